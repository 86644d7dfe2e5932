"""Which names in a parameter are columns of the data: declared beside it, checked before anything is run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class OfColumns:
    """The value of a parameter names columns: in the keys of a mapping, in its values, or wherever a list has a name.

    A word alone is a choice and no name, as in `cluster_on: all`.

    >>> list(OfColumns().names({"sex": ["age", "region"]}))
    ['sex', 'age', 'region']
    >>> list(OfColumns("keys").names({"sex": ["f", "m"]})), list(OfColumns().names("all"))
    (['sex'], [])
    """

    where: Literal["everywhere", "keys", "values"] = "everywhere"

    def names(self, value: object) -> Iterator[str]:
        """The columns that a value names."""
        if isinstance(value, Mapping):
            if self.where != "values":
                yield from map(str, value)
            if self.where != "keys":
                for one in value.values():
                    yield from _inside(one)
        elif self.where != "keys" and not isinstance(value, str):
            yield from _inside(value)


def _inside(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Sequence):
        for one in value:
            yield from _inside(one)
