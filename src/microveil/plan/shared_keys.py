"""On which keys records are alike in a release, in words."""

from __future__ import annotations

from dataclasses import dataclass

from microveil.core.words import counted


@dataclass(frozen=True)
class Alike:
    """How many records share these keys at least; None where that cannot be counted.

    `as_value` is how many do if a missing value is a value of its own, where k was counted with one agreeing with any.
    """

    k: int | None
    keys: tuple[str, ...]
    as_value: int | None = None

    @property
    def other_reading(self) -> str:
        """What is said beside k where the other reading of missing values gives another."""
        if self.as_value is None or self.as_value == self.k:
            return ""
        return f" with a missing value agreeing with any, {_alike(self.as_value)} with it counted as a value"


@dataclass(frozen=True)
class SharedKeys:
    """How many records share their keys at least: those promised, and all that can be counted.

    `promised` is None where nothing is promised about keys.
    """

    promised: Alike | None
    counted: Alike
    all_keys: tuple[str, ...]
    perturbed: tuple[str, ...]  # keys that hold other values, so that counting them says nothing

    def __str__(self) -> str:
        if not self.all_keys:
            return "no column is a key"
        told = [self.counted] if self.counted.k is not None else []
        if self.promised is not None and self.promised.k is not None and self.promised.k != self.counted.k:
            told = [self.promised, *told]
        if not told:
            if set(self.all_keys) <= set(self.perturbed):
                return f"{self._changed()}, so that counting who shares them says nothing"
            one = len(self.all_keys) == 1
            which = "the one key cannot" if one else f"none of the {counted(len(self.all_keys), 'key')} can"
            return f"{which} be counted{self._beside()}"
        return (
            ", ".join(f"{_alike(one.k)} on {self._share(one.keys)}{one.other_reading}" for one in told) + self._beside()
        )

    def _changed(self) -> str:
        names = ", ".join(map(str, self.all_keys))
        which = "the one key" if len(self.all_keys) == 1 else f"all {len(self.all_keys)} keys"
        return f"the values of {which} were changed ({names})"

    def _share(self, keys: tuple[str, ...]) -> str:
        if len(keys) == len(self.all_keys):
            return f"all {len(keys)} keys" if len(keys) > 1 else "the one key"
        return f"{len(keys)} of {counted(len(self.all_keys), 'key')}"

    def _beside(self) -> str:
        """What became of the keys that are not counted."""
        rest = [name for name in self.all_keys if name not in self.counted.keys and name in self.perturbed]
        return f" ({', '.join(map(str, rest))} perturbed)" if rest else ""


def _alike(k: int | None) -> str:
    return f"{k}-anonymous" if k is not None and k > 1 else "some records alone"
