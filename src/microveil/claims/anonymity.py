"""Anonymity models: what every class of records with equal keys must satisfy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, Literal

from microveil.claims.claim import Claim
from microveil.claims.class_risks import AverageRiskWithin, FewInSmallClasses
from microveil.claims.groups import EqualRowsAtLeast
from microveil.claims.models import (
    ClosenessWithin,
    Diversity,
    DiversityAtLeast,
    FileClosenessWithin,
    FileLikenessWithin,
    LikenessWithin,
    Tree,
)
from microveil.core.errors import BadInput
from microveil.core.families import Family
from microveil.core.parameters import GIVEN, Example, Range, Safer, When
from microveil.core.registry import Value

Distance = Literal["ordered", "equal", "hierarchy"]
Against = Literal["both", "file", "release"]

SensitiveColumn = tuple[Distance, Tree]  # how t is measured on a column, and its tree

MODEL = Family(
    "model", title="Anonymity models", meaning="what every class of equal keys must satisfy", home="Anonymity", order=0
)


@dataclass(frozen=True, kw_only=True)
class Anonymity(Value, family=MODEL, name="anonymity"):
    """Ask for at least k records in every class of equal keys, and for more where it is said.

    Sensitive columns can be required to be l-diverse in every class (with `diversity="distinct"` that is p-sensitive
    k-anonymity), or within `t` of their distribution in the file. With survey weights, `population` asks for classes
    that stand for so many people in the population (k-map).

    >>> Anonymity(k=5, sensitive=["illness"], l=2).asked
    'k=5, l=2 (distinct)'
    """

    k: Annotated[
        int, Range(ge=1, grid=(3, 5)), Safer("twice"), "how many records share their keys; 1 asks for nothing"
    ] = 3
    sensitive: Annotated[
        tuple[str, ...], Example(["illness"], {"l": 2}), "columns whose values must not become certain"
    ] = ()
    l: Annotated[  # noqa: E741 - the literature's letter
        int | None, Range(ge=1), When(sensitive=GIVEN), "least diversity of sensitive values in a class"
    ] = None
    diversity: Annotated[Diversity, When(l=GIVEN), "number of values, exp(entropy), or r1 < c (rl + ...)"] = "distinct"
    c: Annotated[float, Range(gt=0), When(diversity="recursive"), "constant of recursive diversity"] = 2.0
    t: Annotated[
        float | None,
        Range(ge=0, le=1),
        When(sensitive=GIVEN),
        "largest distance of a class's sensitive values from the file's",
    ] = None
    distance: Annotated[
        Distance | None,
        When(t=GIVEN),
        "sensitive values in order, all equally far apart, or along their hierarchy; left out: along the hierarchy if "
        "there is one, in order if that is stated or they are numbers, else equally far apart",
    ] = None
    t_against: Annotated[
        Against, "whether t and beta compare with all records, with those that are released, or with both"
    ] = "both"
    beta: Annotated[
        float | None,
        Range(gt=0),
        When(sensitive=GIVEN),
        "how much more frequent a sensitive value may be in a class: (1 + beta) times",
    ] = None
    population: Annotated[
        float | None, Range(gt=0), "how many people of the population a class stands for, at least: its sum of weights"
    ] = None
    population_size: Annotated[
        int | None,
        Range(ge=1),
        When(population=GIVEN),
        Example(80_000, {"population": 50}),
        "size of the population that the file is a sample of, for population where there are no weights",
    ] = None
    highest_risk: Annotated[
        float | None, Range(gt=0, le=1), "largest risk of a record, one over the size of its class"
    ] = None
    average_risk: Annotated[
        float | None, Range(gt=0, le=1), "largest mean of these risks over the released records"
    ] = None
    share_at_risk: Annotated[
        float | None, Range(ge=0, le=1), "largest share of the released records whose risk is above at_risk"
    ] = None
    at_risk: Annotated[
        float, Range(gt=0, le=1), When(share_at_risk=GIVEN), "the risk above which share_at_risk counts a record"
    ] = 0.2
    uniqueness: Annotated[
        float | None, Range(ge=0, le=1), "largest share of the released records that are alone with their keys"
    ] = None
    register: Annotated[
        int | None,
        Range(ge=1),
        "how many people share the keys of a class: in a register, or in the file where it has more of them",
    ] = None
    presence: Annotated[
        float | None, Range(gt=0, lt=1), "largest share of the register's records with the keys of a class in the file"
    ] = None
    population_uniqueness: Annotated[
        float | None, Range(ge=0, le=1), "largest share of the released records that are alone in the register"
    ] = None
    key_sets: Annotated[
        tuple[tuple[str, ...], ...],
        Example([["age", "sex"], ["region", "job"]]),
        "sets of keys that must each satisfy the model, in place of all keys together",
    ] = ()

    reference = (
        "Samarati 2001; Sweeney 2002; Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007; "
        "Li, Li & Venkatasubramanian 2007"
    )
    also_try = (
        {"sensitive": ("s",), "l": 2, "diversity": "entropy"},
        {"sensitive": ("s",), "l": 2, "diversity": "recursive", "c": 3.0},
        {"sensitive": ("s",), "t": 0.2, "distance": "ordered"},
        {"sensitive": ("s",), "t": 0.2, "distance": "equal"},
        {"sensitive": ("s",), "t": 0.2, "t_against": "file"},
        {"sensitive": ("s",), "beta": 1.5, "t_against": "release"},
    )

    def validate(self) -> None:
        """Sensitive columns are named for something, and something is asked for."""
        wanted = [self.l, self.t, self.beta]
        if self.sensitive and all(one is None for one in wanted):
            raise BadInput("sensitive columns are named; say with l, t or beta what they must satisfy")
        if self.t_against != "both" and self.t is None and self.beta is None:
            raise BadInput(f"t_against={self.t_against!r} says what t and beta compare with; give one of them too")
        if self.k == 1 and all(getattr(self, one.name) == one.default for one in fields(self) if one.name != "k"):
            raise BadInput("k=1 asks for nothing; ask for more records or for something else")
        if self.key_sets and self.needs_register:
            raise BadInput("a register is counted by all keys together; leave key_sets out")
        for names in self.key_sets:
            if not names or len(set(names)) < len(names):
                raise BadInput(f"key_sets holds {list(names)}; name each key of a set once")

    @property
    def smallest(self) -> int:
        """The smallest class that k and the highest risk allow."""
        return max(self.k, 1 if self.highest_risk is None else math.ceil(1 / self.highest_risk - 1e-9))

    def in_sample(self, records: int) -> Anonymity:
        """The model for a file of so many records: a size of the population says how large classes must be.

        A record of a simple sample stands for population_size / records people, so that k-map is k-anonymity.
        """
        if self.population_size is None or self.population is None:
            return self
        if self.population_size < records:
            raise BadInput(f"population_size={self.population_size} is less than the {records} records of the file")
        least = math.ceil(self.population * records / self.population_size - 1e-9)
        least = max(self.k, least)
        if least == 1 and replace(self, population=None, population_size=None, k=2).only_k:
            raise BadInput(
                f"each of the {records} records stands for {self.population_size / records:.4g} people, so that "
                f"population={self.population:g} holds without any change; ask for more people"
            )
        return replace(self, k=least, population=None, population_size=None)

    @property
    def only_k(self) -> bool:
        """Whether nothing is asked beyond k."""
        return self.k > 1 and self == Anonymity(k=self.k)

    @property
    def limits_file(self) -> bool:
        """Whether it limits risks of all released records together, which no class can satisfy by itself."""
        limits = (self.average_risk, self.share_at_risk, self.uniqueness, self.population_uniqueness)
        return any(limit is not None for limit in limits)

    @property
    def needs_register(self) -> bool:
        """Whether it counts the records of a register."""
        return any(one is not None for one in (self.register, self.presence, self.population_uniqueness))

    @property
    def asked(self) -> str:
        """What is asked, in short."""
        wanted: list[Any] = [f"k={self.k}"] if self.k > 1 else []
        wanted += [f"l={self.l} ({self.diversity})"] if self.l is not None else []
        plain = (
            "t",
            "beta",
            "population",
            "population_size",
            "highest_risk",
            "average_risk",
            "share_at_risk",
            "uniqueness",
        )
        for name in (*plain, "register", "presence", "population_uniqueness"):
            value = getattr(self, name)
            wanted += [f"{name}={value:g}"] if value is not None else []
        return ", ".join(wanted)

    def distance_of(self, name: str, kind: str, has_hierarchy: bool) -> Distance:
        """How t is measured on a sensitive column of this kind: one rule for masks, claims and measures.

        Text has no order unless somebody states its levels.
        """
        return choose_distance(self.distance, name, kind, has_hierarchy)

    def claims(
        self, columns: tuple[str, ...], sensitive: Mapping[str, SensitiveColumn] | None = None, dropping: bool = False
    ) -> tuple[Claim, ...]:
        """What a release that satisfies the model promises; `sensitive` is what is known of the sensitive columns.

        `dropping`: records may be left out, so that the file and the release are not distributed alike.
        """
        found: list[Claim] = []
        for keys in self.key_sets or (columns,):
            found += [EqualRowsAtLeast(columns=keys, k=self.smallest)] if self.smallest > 1 else []
            for name in self.sensitive:
                found += self._about(keys, name, (sensitive or {}).get(name), dropping)
            if self.average_risk is not None:
                found.append(AverageRiskWithin(columns=keys, most=self.average_risk))
            if self.share_at_risk is not None:
                size = smallest_class_at(self.at_risk)
                found.append(FewInSmallClasses(columns=keys, most=self.share_at_risk, size=size))
            if self.uniqueness is not None:
                found.append(FewInSmallClasses(columns=keys, most=self.uniqueness, size=2))
        return tuple(found)

    def _about(self, keys: tuple[str, ...], name: str, column: SensitiveColumn | None, dropping: bool) -> list[Claim]:
        found: list[Claim] = []
        columns = (*keys, name)
        if self.l is not None:
            found.append(DiversityAtLeast(columns=columns, l=float(self.l), kind=self.diversity, c=self.c))
        both = (False, True) if dropping else (False,)
        against: tuple[bool, ...] = {"both": both, "file": (True,), "release": (False,)}[self.t_against]
        for original in against:
            if self.t is not None and column is not None:
                claim = FileClosenessWithin if original else ClosenessWithin
                how, tree = column
                found.append(claim(columns=columns, t=self.t, ordered=how == "ordered", tree=tree))
            if self.beta is not None:
                likeness = FileLikenessWithin if original else LikenessWithin
                found.append(likeness(columns=columns, beta=self.beta))
        return found


def smallest_class_at(risk: float) -> int:
    """The size of the smallest class whose records have at most this risk."""
    return math.ceil(1 / risk - 1e-9)


def choose_distance(stated: Distance | None, name: str, kind: str, has_hierarchy: bool) -> Distance:
    """How the values of a sensitive column are apart: as stated, or by its hierarchy, else its kind."""
    if stated == "hierarchy" and not has_hierarchy:
        raise BadInput(f"distance='hierarchy' needs a hierarchy of {name!r}; state one, or use 'equal'")
    if stated == "ordered" and kind == "nominal":
        raise BadInput(f"distance='ordered' needs an order of {name!r}; state its levels, or use 'equal'")
    if stated is not None:
        return stated
    return "hierarchy" if has_hierarchy else "equal" if kind == "nominal" else "ordered"
