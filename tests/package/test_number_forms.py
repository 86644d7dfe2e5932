"""Numbers of CSV files that are written in several forms mark records; what programs write does not."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow.csv import write_csv

from microveil.package.number_forms import odd_forms


def forms(*cells: str) -> list[str]:
    return list(odd_forms(pa.chunked_array([cells], pa.string())))


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (("2604", "500.0", "7"), "zeros at their ends"),
        (("2.5", "500.00", "7.25"), "zeros at their ends"),
        (("2.5", "500.", "7.25"), "zeros at their ends"),
        (("1.50", "2.0", "3.25"), "zeros at their ends"),
        (("12", "+7", "9"), "a plus"),
        (("0.5", ".25", "2"), "begin with a point"),
        (("012", "7", "19"), "zeros before them"),
        (("2604", "2.604e3", "7"), "exponents"),
        (("2604", "2604e0", "7"), "exponents"),
        (("0", "-0", "7"), "are 0 with a sign"),
        (("0,0", "-0,0", "7,5"), "are 0 with a sign"),
    ],
)
def test_two_forms_in_one_column_are_marks(cells, said):
    (found,) = forms(*cells)
    assert said in found


@pytest.mark.parametrize(
    "cells",
    [
        ("0", "1.5", "-2", "1e+05", "123456"),  # as R writes them
        ("1.50", "2.00", "-0.25"),
        (".5", "-.25", "2"),
        ("007", "012", "123"),
        ("2.604e+03", "0.000e+00", "-1.500e+01"),
        ("+5", "-7", "+9"),
        ("1,5", "2,0", "3,25"),
        (),
    ],
)
def test_one_rule_for_a_column_is_no_mark(cells):
    assert forms(*cells) == []


def test_what_programs_write_has_no_marks():
    """Amounts of all sizes, whole numbers among them, as four programs write them."""
    rng = np.random.default_rng(1)
    values = np.round(rng.normal(size=4_000) * 10.0 ** rng.integers(-8, 18, 4_000), 6)
    values[::7] = np.round(values[::7])
    values = values[values != 0]
    written = io.BytesIO()
    write_csv(pa.table({"x": values}), written)
    for text in (
        pd.DataFrame({"x": values}).to_csv(index=False),
        pl.DataFrame({"x": values}).write_csv(),
        written.getvalue().decode(),
        "\n".join(["x", *(f"{value:.15g}" for value in values)]),
    ):
        assert forms(*text.split()[1:]) == []
