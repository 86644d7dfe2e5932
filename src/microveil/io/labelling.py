"""Labels that somebody states for columns and their values, in place of those that the file has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from microveil.core.errors import BadInput
from microveil.core.open_types import Json, Labels
from microveil.core.printable import is_plain
from microveil.data.codebook import Codebook
from microveil.data.schema import check_names

# Labels are arguments of reading, not a change of the release: codebook, SPSS and Stata files and replays have them
# then.
# of each column its values with their texts; as pairs too, which is how logs keep them
AnyLabels: TypeAlias = Mapping[str, Labels | Sequence[Sequence[object]]]


def check_title(name: str, title: Any) -> None:
    """The label of a column is a text."""
    if not isinstance(title, str) or not title.strip() or not is_plain(title):
        raise BadInput(
            f"the label of column {name!r} is {title!r}; give a text in one line of signs that are shown, or none"
        )


def check_labels(name: str, labels: Any) -> None:
    """The labels of values are texts by value."""
    texts = labels.values() if isinstance(labels, Mapping) else (None,)
    if not all(isinstance(text, str) and text.strip() and is_plain(text) for text in texts):
        raise BadInput(
            f"the labels of column {name!r} are {labels!r}; give a text for each value, of one line: {{1: employed}}"
        )


def with_labels(book: Codebook, titles: Mapping[str, str], labels: AnyLabels, columns: Sequence[str]) -> Codebook:
    """The codebook with what is stated about labels; values that nobody names keep theirs."""
    check_names(dict(titles), list(columns), "titles")
    check_names(dict(labels), list(columns), "labels")
    stated = {name: _by_value(given) for name, given in labels.items()}
    for name, title in titles.items():
        check_title(name, title)
    for name, found in stated.items():
        check_labels(name, found)
    together = {name: {**book.labels.get(name, {}), **found} for name, found in stated.items()}
    return replace(book, titles={**book.titles, **titles}, labels={**book.labels, **together})


def logged_labels(titles: Mapping[str, str], labels: AnyLabels) -> Json:
    """What is stated, in plain terms that give it back; nothing where nothing is."""
    pairs = {name: [[value, text] for value, text in _by_value(given).items()] for name, given in labels.items()}
    return {what: said for what, said in {"titles": dict(titles), "labels": pairs}.items() if said}


def _by_value(given: Any) -> Any:
    pairs = isinstance(given, Sequence) and not isinstance(given, str)
    return dict(given) if pairs and all(isinstance(one, Sequence) and len(one) == 2 for one in given) else given
