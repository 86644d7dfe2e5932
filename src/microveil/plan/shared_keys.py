"""On which keys records are alike in a release, in words."""

from __future__ import annotations

from dataclasses import dataclass

from microveil.core.words import counted


@dataclass(frozen=True)
class SharedKeys:
    """How many records share their keys at least, on which of the keys, and what became of the other keys."""

    k: int | None
    keys: tuple[str, ...]
    all_keys: tuple[str, ...]
    left: tuple[str, ...]  # keys that are as they were
    perturbed: tuple[str, ...]  # keys that hold other values, so that counting them says nothing

    def __str__(self) -> str:
        if not self.all_keys:
            return "no column is a key"
        others = [f"{', '.join(map(str, names))} {what}" for names, what in self._others() if names]
        beside = f" ({'; '.join(others)})" if others else ""
        if self.k is None:
            return f"none of the {counted(len(self.all_keys), 'key')} can be counted{beside}"
        what = f"{self.k}-anonymous" if self.k > 1 else "some records alone"
        return f"{what} on {self._share()}{beside}"

    def _share(self) -> str:
        if len(self.keys) == len(self.all_keys):
            return f"all {len(self.keys)} keys" if len(self.keys) > 1 else "the one key"
        return f"{len(self.keys)} of {counted(len(self.all_keys), 'key')}"

    def _others(self) -> tuple[tuple[tuple[str, ...], str], ...]:
        rest = [name for name in self.all_keys if name not in self.keys]
        left = tuple(name for name in rest if name in self.left)
        perturbed = tuple(name for name in rest if name in self.perturbed)
        other = tuple(name for name in rest if name not in (*left, *perturbed))
        as_it_was = "left as it was" if len(left) == 1 else "left as they were"
        return (left, as_it_was), (perturbed, "perturbed"), (other, "not part of it")
