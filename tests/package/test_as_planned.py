"""Records of files that any program wrote, beside those that a plan gives."""

from __future__ import annotations

import pyarrow as pa
import pytest

from microveil.data.microdata import Microdata
from microveil.package.as_planned import count_strangers, labels_of


def strangers(shown: list[object], given: list[object]) -> int:
    files = [Microdata(pa.table({"x": one})) for one in (shown, given)]
    ours, theirs = labels_of(files, {"x": ()})
    return count_strangers(theirs, ours)


@pytest.mark.parametrize(
    ("shown", "given"),
    [
        (884869239441, 884869239400),
        (884869239441.5, 884869239400.0),
        (884869239441.1234, 884869239400.0),
        (999999999999999, 999999999999998),
        (111111111.11, 111111111.12),
        (884869239441.0, 884869239400 + 1 / 3),
    ],
)
def test_long_amounts_are_others_though_they_differ_by_little(shown: float, given: float):
    assert strangers([shown], [given]) == 1


@pytest.mark.parametrize(
    ("shown", "given"),
    [(111.96000000000001, 111.96), (5.0, 5), (0.3333333333, 1 / 3), (1234567.33333333, 1234567 + 1 / 3), ("7", 7)],
)
def test_an_amount_is_the_same_however_programs_write_it(shown: object, given: object):
    assert strangers([shown], [given]) == 0


def test_neighbours_do_not_join_into_one_amount():
    chain = [1 + step * 0.9e-9 + 1e-16 for step in range(10)]
    assert strangers([chain[-1]], [chain[0]]) == 1
    assert strangers([chain[-1], *chain[1:9], chain[-1]], [chain[0], *chain[1:9], chain[-1]]) == 1


def test_amounts_texts_and_gaps_have_labels_of_their_own():
    cells = ["1", "x", "", "2020-01-01", "2.5", "inf", "-inf"]
    label = labels_of([Microdata(pa.table({"x": cells}))] * 2, {"x": ()})[0]
    assert len(set(label.tolist())) == len(cells)


@pytest.mark.parametrize("word", ["none", "NA", "nan"])
def test_a_word_for_gaps_is_a_category_where_the_plan_leaves_it_as_text(word: str):
    given = [word, "high", None]
    assert strangers(given, given) == 0
    assert strangers(["", "high", None], given) == 1
    assert strangers([word, "high", word], given) == 1
    assert strangers([word, "high", word], [None, "high", None]) == 0  # as programs write gaps
