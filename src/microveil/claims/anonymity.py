"""Anonymity models: what every class of records with equal keys must satisfy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from microveil.claims.claim import Claim
from microveil.claims.groups import EqualRowsAtLeast
from microveil.claims.models import ClosenessWithin, Diversity, DiversityAtLeast
from microveil.core.errors import BadInput
from microveil.core.families import Family
from microveil.core.parameters import Example, Range
from microveil.core.registry import Value

Distance = Literal["ordered", "equal"]

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

    k: Annotated[int, Range(ge=2, grid=(3, 5)), "how many records share their keys"] = 3
    sensitive: Annotated[
        tuple[str, ...], Example(["illness"], {"l": 2}), "columns whose values must not become certain"
    ] = ()
    l: Annotated[int | None, Range(ge=1), "least diversity of sensitive values in a class"] = None  # noqa: E741 - the literature's letter
    diversity: Annotated[Diversity, "number of values, exp(entropy), or r1 < c (rl + ...)"] = "distinct"
    c: Annotated[float, Range(gt=0), "constant of recursive diversity"] = 2.0
    t: Annotated[float | None, Range(ge=0, le=1), "largest distance of a class's sensitive values from the file's"] = (
        None
    )
    distance: Annotated[
        Distance | None,
        "sensitive values in order, or all equally far apart; left out, in order unless the column is nominal",
    ] = None
    population: Annotated[float | None, Range(gt=0), "least sum of weights in a class"] = None

    reference = (
        "Samarati 2001; Sweeney 2002; Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007; "
        "Li, Li & Venkatasubramanian 2007"
    )
    also_try = (
        {"sensitive": ("s",), "l": 2, "diversity": "entropy"},
        {"sensitive": ("s",), "l": 2, "diversity": "recursive", "c": 3.0},
        {"sensitive": ("s",), "t": 0.2, "distance": "ordered"},
        {"sensitive": ("s",), "t": 0.2, "distance": "equal"},
    )

    def validate(self) -> None:
        """What is asked of sensitive columns needs them, and each part needs what it refines."""
        if (self.l is not None or self.t is not None) and not self.sensitive:
            raise BadInput("l and t need sensitive columns; list them in sensitive")
        if self.sensitive and self.l is None and self.t is None:
            raise BadInput("sensitive columns are named; say with l or t what they must satisfy")
        if self.diversity != "distinct" and self.l is None:
            raise BadInput(f"diversity={self.diversity!r} says how l is counted; give l too")
        if self.c != 2.0 and self.diversity != "recursive":
            raise BadInput(f"c={self.c:g} is the constant of diversity='recursive'; give that too, or leave c out")
        if self.distance is not None and self.t is None:
            raise BadInput(f"distance={self.distance!r} says how t is measured; give t too")

    @property
    def only_k(self) -> bool:
        """Whether nothing is asked beyond k."""
        return self == Anonymity(k=self.k)

    @property
    def asked(self) -> str:
        """What is asked, in short."""
        wanted: list[Any] = [f"k={self.k}"]
        wanted += [f"l={self.l} ({self.diversity})"] if self.l is not None else []
        wanted += [f"t={self.t}"] if self.t is not None else []
        wanted += [f"population={self.population:g}"] if self.population is not None else []
        return ", ".join(wanted)

    def ordered(self, kind: str) -> bool:
        """Whether the values of a sensitive column of this kind are taken in order for t."""
        return kind != "nominal" if self.distance is None else self.distance == "ordered"

    def claims(self, columns: tuple[str, ...], kinds: Mapping[str, str] | None = None) -> tuple[Claim, ...]:
        """What a release that satisfies the model promises; `kinds` are those of the sensitive columns, if known."""
        found: list[Claim] = [EqualRowsAtLeast(columns=columns, k=self.k)]
        for name in self.sensitive:
            if self.l is not None:
                found.append(DiversityAtLeast(columns=(*columns, name), l=float(self.l), kind=self.diversity, c=self.c))
            if self.t is not None and (self.distance is not None or kinds is not None):
                ordered = self.ordered((kinds or {}).get(name, ""))
                found.append(ClosenessWithin(columns=(*columns, name), t=self.t, ordered=ordered))
        return tuple(found)
