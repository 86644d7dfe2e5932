"""Rows as words and back."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.data.row_coding import RowCoding
from microveil.data.table import Table, Values

AMOUNTS = np.array([2.5, np.nan, -1.0, 2.5])


def table_of_levels(levels: int) -> Table:
    """Amounts with a gap, and categories of so many levels with one."""
    names = tuple(range(levels))
    return Table(
        {
            "x": Values("continuous", AMOUNTS),
            "c": Values("nominal", np.array([levels - 1, -1, 0, 1]), names),
            "d": Values("ordinal", np.array([0, 0, levels - 1, -1]), names),
        },
        4,
    )


@pytest.mark.parametrize(("levels", "words"), [(3, 1), (1 << 29, 1), (1 << 31, 2)])
def test_words_order_as_rows_do_and_come_back(levels: int, words: int) -> None:
    whole = table_of_levels(3)
    # so many levels need not be held to be counted
    wide = range(levels)
    columns = {
        name: values if values.levels is None else Values(values.kind, values.data, wide)  # type: ignore[arg-type]
        for name, values in whole.columns.items()
    }
    coding = RowCoding.of(Table(columns, 4), {"x": np.array([-1.0, 2.5])})
    found = coding.words(whole)
    assert found.shape == (4, words)
    assert np.lexsort(found.T[::-1]).tolist() == [1, 2, 3, 0]
    back = coding.table(found)
    assert back.names == whole.names
    for name in whole.names:
        np.testing.assert_array_equal(back[name].data, whole[name].data)
