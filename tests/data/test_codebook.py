"""What a file says beside its values."""

from __future__ import annotations

import pytest

from microveil.data.codebook import Codebook, ReadAs


@pytest.mark.parametrize(
    ("read_as", "said", "options"),
    [
        (ReadAs(), "", {}),
        (ReadAs("utf-8-sig"), "read as UTF-8 with BOM", {}),
        (ReadAs("utf-16", "\t"), "read as UTF-16, with tabs", {"encoding": "utf-16", "delimiter": "\t"}),
        (ReadAs(delimiter="~"), "read with '~' between fields", {"delimiter": "~"}),
        (ReadAs(decimal=","), "read with decimal commas", {"decimal": ","}),
        (ReadAs(sheet="a"), "", {}),
    ],
)
def test_what_is_unusual_is_said_and_reads_it_again(read_as: ReadAs, said: str, options: dict[str, str]) -> None:
    assert str(read_as) == said
    assert read_as.options == options


def test_labels_of_the_levels_that_are_left() -> None:
    book = Codebook({"sex": {1: "man", 2: "woman", 9: "refused"}})
    assert book.of_levels("sex", {2, 9, 5}) == {2: "woman", 9: "refused"}
    assert book.of_levels("age", {1}) == {}
