"""What a file's columns are, as plain dictionaries from which a schema can be built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict


class FileSchema(TypedDict):
    """Roles and kinds by column, ordered levels of ordinal text, ancestors of each leaf of a hierarchy."""

    roles: dict[str, str]
    kinds: dict[str, str]
    levels: dict[str, list[str]]
    hierarchies: dict[str, dict[str, tuple[str, ...]]]


def ancestors(tree: Mapping[str, Any] | Sequence[str], above: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Each leaf of a nested mapping with its ancestors from the nearest to the root.

    >>> ancestors({"fruit": ("apple", "pear"), "nuts": ("walnut",)}, ("all",))["pear"]
    ('fruit', 'all')
    """
    if not isinstance(tree, Mapping):
        return dict.fromkeys(tree, above)
    found: dict[str, tuple[str, ...]] = {}
    for name, below in tree.items():
        found.update(ancestors(below, (name, *above)))
    return found
