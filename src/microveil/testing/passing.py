"""Checks of what passes through: no column, subdomain or record comes back as it was without a word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any, NamedTuple

from microveil.run.method import Method
from microveil.run.release import Release
from microveil.testing.attacks import count_unique_copies
from microveil.testing.runs import DOMAIN, Seen, seen_in_domains, seen_on_sample
from microveil.testing.samples import numbers_of

_STANDARD_ERRORS = 6.0  # one more than the release allows itself
_COPIES_BY_CHANCE = 6
_FEW_VALUES = 0.05  # the chance that two cells agree, above which a column has few values


class _Cells(NamedTuple):
    """Cells of a column beside their originals: how many there are, how many agree, the share that would by chance."""

    number: int
    same: int
    chance: float

    @property
    def share(self) -> float:
        return self.same / self.number if self.number else 0.0

    @property
    def whole(self) -> bool:
        """Whether all came back although they could have changed."""
        return self.number > 1 and self.same == self.number and self.chance < 1

    @property
    def beyond_chance(self) -> bool:
        return self.share > self.chance + _STANDARD_ERRORS * sqrt(self.chance * (1 - self.chance) / max(self.number, 1))


def check_every_column_changed(method: Method) -> None:
    """No column passes through as it was, no amounts of a subdomain do, nor do the records of a synthetic file.

    Methods that rightly leave alone what needs no protection declare `spares`. Few categories in a small subdomain may
    come back by chance, which must then be told (`check_unchanged_told`).
    """
    if method.spares:
        return
    for seen, by in ((seen_on_sample(method), None), (seen_in_domains(method), DOMAIN)):
        release = seen.release
        if (release.origin < 0).all():
            copied = count_unique_copies(release)
            assert copied <= _COPIES_BY_CHANCE, f"{copied} of {len(release)} synthetic records are unique originals"
            continue
        for name in release.steps[0].columns:
            for where, rows in _parts(release, by).items():
                cells = _cells(release, name, rows)
                may_agree = by is not None and cells.chance > _FEW_VALUES
                assert may_agree or not cells.whole, f"{name} came back unchanged{where}"


def check_unchanged_told(method: Method) -> None:
    """What came back as it was is told: a whole column by a warning or a note, more cells than by chance in numbers."""
    for seen, by in ((seen_on_sample(method), None), (seen_in_domains(method), DOMAIN)):
        release = seen.release
        if (release.origin < 0).all():
            continue
        for name in release.steps[0].columns:
            cells = _cells(release, name, range(len(release)))
            _check_whole_told(method, seen, name, cells)
            _check_counted(release, name, cells)
            _check_expected(method, release, name, cells)
            for where, rows in _parts(release, by).items():
                if by is not None and not method.spares and _cells(release, name, rows).whole:
                    told = _noted(release, name) or any(repr(name) in text for text in seen.warned)
                    assert told, f"every value of {name}{where} is as it was, and nothing says so"


def _check_whole_told(method: Method, seen: Seen, name: str, cells: _Cells) -> None:
    if not cells.whole:
        return
    warned = any(repr(name) in text for text in seen.warned)
    noted = method.spares and (len(seen.release) < seen.release.original.n or _noted(seen.release, name))
    assert warned or noted, f"every value of {name} is as it was, and nothing says so"


def _noted(release: Release, name: str) -> bool:
    return any(repr(name) in note for note in release.notes)


def _check_counted(release: Release, name: str, cells: _Cells) -> None:
    told = release.unchanged.get(name)
    if told is None:
        # a column that the run did not return is the source's, unless records are all that it takes away
        assert not cells.beyond_chance or _takes_records_only(release), (
            f"{cells.share:.0%} of {name} came back, and release.unchanged says nothing of it"
        )
        return
    assert abs(told - cells.share) < 1e-9, f"release.unchanged says {told} of {name}, and we count {cells.share}"


def _check_expected(method: Method, release: Release, name: str, cells: _Cells) -> None:
    expected = method.expected_unchanged(name, release.original.values(name))
    if expected is not None:
        told = cells._replace(chance=expected)
        assert not told.beyond_chance, f"{cells.share:.0%} of {name} came back, and {expected:.0%} are expected"


def _takes_records_only(release: Release) -> bool:
    return all(step.method.coarsens and step.method.spares for step in release.steps)


def _parts(release: Release, by: str | None) -> Mapping[str, Sequence[int]]:
    if by is None:
        return {"": range(len(release))}
    domains = numbers_of(release.original.frame, [by])[by]
    found: dict[str, list[int]] = {}
    for place, row in enumerate(release.origin.tolist()):
        if row >= 0:
            found.setdefault(f" in the subdomain {domains[row]}", []).append(place)
    return found


def _cells(release: Release, name: str, rows: Sequence[int]) -> _Cells:
    """The observed original cells of these rows beside the released ones, in the digits of the source."""
    before = numbers_of(release.original.frame, [name])[name]
    after = numbers_of(release.frame, [name])[name]
    origin = release.origin.tolist()
    pairs = [(before[origin[i]], after[i]) for i in rows if origin[i] >= 0 and before[origin[i]] is not None]
    counts = Counter(old for old, _ in pairs)
    chance = sum(count**2 for count in counts.values()) / max(len(pairs), 1) ** 2
    return _Cells(len(pairs), sum(_same(old, new) for old, new in pairs), chance)


def _number_in(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _same(old: Any, new: Any) -> bool:
    if isinstance(new, str) and not isinstance(old, str):
        new = _number_in(new)  # an amount as text tells as much as the amount
    if isinstance(old, str) or new is None:
        return bool(old == new)
    if isinstance(old, int):
        return bool(round(new) == old)
    return bool(round(new, 2) == old)
