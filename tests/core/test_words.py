"""Numbers of things in words that agree."""

from __future__ import annotations

import pytest

from microveil.core.words import counted, list_all, unit_for, with_article


def test_one_of_something_has_no_plural() -> None:
    assert [counted(number, "record") for number in (0, 1, 2, 1200)] == [
        "0 records",
        "1 record",
        "2 records",
        "1,200 records",
    ]
    assert counted(2, "category", "categories") == "2 categories"
    assert [unit_for(value, "records") for value in (0.0, 1.0, 2.0)] == ["records", "record", "records"]
    assert unit_for(1.0, "%") == "%"


@pytest.mark.parametrize(
    ("article", "words"),
    [
        ("an", "attack amount edit identifier original hour honest heir unknown unusual unimportant update outlier"),
        ("an", "SPSS XLSX XPT"),
        (
            "a",
            "unilateral unanimous utopia mask unit unique uniform user utility household one European SAS",
        ),
    ],
)
def test_the_article_goes_with_the_sound(article: str, words: str) -> None:
    assert [with_article(word) for word in words.split()] == [f"{article} {word}" for word in words.split()]


def test_a_list_of_any_length_is_a_sentence() -> None:
    assert [list_all(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
