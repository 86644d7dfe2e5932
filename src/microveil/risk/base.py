"""Base of all risk measures, and of those that read classes of equal key combinations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.parameters import Example, Grid
from microveil.data.schema import check_names
from microveil.data.table import Table
from microveil.measure import UNKNOWN_METHOD, Measure, Pair

NO_KEY = "no column has the role key"

Keys = Annotated[tuple[str, ...] | None, Example(["age", "region"]), "key columns; by default those with the role key"]
Missing = Annotated[
    Literal["own", "wildcard"],
    Grid(("own", "wildcard")),
    "a missing key value is a category of its own, or agrees with every value",
]


@dataclass(frozen=True, kw_only=True)
class Risk(Measure, family="risk"):
    """Base of all measures of disclosure risk.

    The intruder is assumed to hold the true values of the attributes concerned for every record; what
    really belongs together is known from the release.
    """

    attack: ClassVar[bool] = False  # whether the value is the per cent of records that an intruder re-identifies

    def reidentified(self, result: Measured) -> dict[str, float]:
        """The per cent of records re-identified by scenario, in the worst subdomain; none if that is not measured."""
        return {"": result.worst} if self.attack else {}

    @property
    def attack_title(self) -> str:
        """The attack's name for people, among the same attack in other ways."""
        return self.title or self.name

    def in_other_ways(self, amounts_changed: bool) -> tuple[Risk, ...]:
        """The same attack with the files compared in other ways, one of which may find more."""
        return ()


@dataclass(frozen=True, kw_only=True)
class KeyRisk(Risk):
    """Base of measures that look at combinations of key values in the protected file alone.

    They take the released keys for true: after keys were perturbed they say nothing about people. Those about classes
    of equal records (`counts_alike`) still do where records are alike by promise.
    """

    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal", "nominal")
    alone: ClassVar[bool] = True
    trusts_keys: ClassVar[bool] = True
    counts_alike: ClassVar[bool] = False

    keys: Keys = None

    def choose(self, pair: Pair) -> tuple[str, ...]:
        return chosen_keys(pair, self.keys)

    def key_codes(self, pair: Pair, names: Sequence[str] | None = None) -> Ints:
        """The keys of the protected file as whole-number codes, -1 where missing."""
        return pair.tables(pair.columns if names is None else names)[1].codes()

    def key_notes(self, pair: Pair) -> tuple[str, ...]:
        """What a reader must know about the keys."""
        amounts = [name for name in pair.columns if pair.before.kinds[name] == "continuous" and not pair.recoded(name)]
        if not amounts:
            return ()
        return (
            f"continuous keys ({', '.join(amounts)}) are compared by exact value; classes mean little before grouping",
        )

    def weights(self, pair: Pair) -> Floats | None:
        """The survey weights of the protected records in view, if there are any."""
        weights = pair.after.weights
        return None if weights is None else weights[pair.rows_after]

    def keys_in_doubt(self, pair: Pair) -> list[str]:
        """The keys that were perturbed, so that they may not be counted here."""
        if not self.trusts_keys:
            return []
        alike = pair.alike if self.counts_alike else ()
        return [name for name in self.choose(pair) if name in pair.perturbed and name not in alike]

    def on(self, pair: Pair) -> Measured | NotApplicable:
        doubtful = self.keys_in_doubt(pair)
        if doubtful:
            return self.not_applicable(why_not_counted(pair, doubtful))
        if not self.choose(pair):
            return self.not_applicable(f"{NO_KEY}; give it to some, or name them with keys=[...]")
        if not len(pair.rows_after):
            return self.not_applicable("there is no record")
        return super().on(pair)


def why_not_counted(pair: Pair, doubtful: Sequence[str]) -> str:
    """Why counting these perturbed keys says nothing about people, and what does."""
    one = len(doubtful) == 1
    named = f"the {'key' if one else 'keys'} {', '.join(map(str, doubtful))}"
    methods = dict.fromkeys(pair.perturbed[name] for name in doubtful)
    if UNKNOWN_METHOD in methods:
        found = f"{named} {'seems' if one else 'seem'} perturbed"
    else:
        found = f"{named} {'was' if one else 'were'} perturbed ({', '.join(methods)})"
    unlinked = "nobody knows which rows belong together, and the private log would tell"
    return (
        f"{found}: how often {'its' if one else 'their'} values occur says nothing about people; "
        f"{'see the linkage measures' if pair.link is not None else unlinked}"
    )


@dataclass(frozen=True, kw_only=True)
class RecordRisk(KeyRisk):
    """Base of measures that give every protected record a figure of its own."""

    def records(self, original: Any, protected: Any = None) -> Floats:
        """The figure of every protected record, in the order of the file: for the protector's eyes only."""
        pair = Pair.of(original, protected)
        names = self.choose(pair)
        if not names:
            raise BadInput(f"{self.name} needs keys: {NO_KEY}; name them with keys=[...]")
        return self.record_values(pair.only(names))

    def record_values(self, pair: Pair) -> Floats:
        """The figure of every protected record in view of a pair whose columns are the keys."""
        raise TypeError(f"{type(self).__name__} must implement record_values()")


Sensitive = Annotated[
    tuple[str, ...] | None, Example(["income"]), "confidential columns; by default those with that role"
]


def chosen_targets(pair: Pair, named: Sequence[str] | None, keys: Sequence[str]) -> tuple[str, ...]:
    """The confidential columns named, or those in both files with that role, without the keys."""
    both = [name for name in pair.before.columns if name in pair.after.columns]
    if named is None:
        return tuple(name for name in both if pair.before.roles[name] == "confidential" and name not in keys)
    check_names(tuple(named), both, "targets")
    shared = [name for name in named if name in keys]
    if shared:
        raise BadInput(f"{shared} are keys and cannot be targets as well; name them once")
    return tuple(dict.fromkeys(named))


def chosen_keys(pair: Pair, keys: Sequence[str] | None) -> tuple[str, ...]:
    """The key columns named, or those in view with the role key."""
    if keys is None:
        return tuple(name for name in pair.columns if pair.before.roles[name] == "key")
    check_names(tuple(keys), [name for name in pair.before.columns if name in pair.after.columns], "keys")
    return tuple(dict.fromkeys(keys))


def common_codes(before: Table, after: Table) -> tuple[Ints, Ints]:
    """The columns of two files as whole-number codes that mean the same in both, -1 where missing."""
    both = np.empty((before.rows + after.rows, len(before.names)), dtype=np.int64)
    for j, name in enumerate(before.names):
        data = np.concatenate([before[name].data, after[name].data])
        if before[name].levels is None:
            # numbers are equal as numbers: never as text
            missing = np.isnan(data)
            data = np.unique(np.where(missing, 0.0, data), return_inverse=True)[1]
            data[missing] = -1
        both[:, j] = data
    return both[: before.rows], both[before.rows :]


def share_interval(percent: float, records: int) -> tuple[float, float]:
    """95 % interval of a share of records in per cent, the records seen as a sample (Wilson 1927)."""
    z, n, p = 1.959963984540054, max(records, 1), percent / 100
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(max(p * (1 - p), 0.0) / n + z * z / (4 * n * n))
    # rounding must not push an end past the share itself
    return float(100 * min(centre - half, p)), float(100 * max(centre + half, p))
