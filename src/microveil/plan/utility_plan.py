"""What must survive: figures that users will compute, each with the change that is tolerated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from microveil.core.errors import BadInput, MicroveilError
from microveil.core.formula import parse_formula
from microveil.core.open_types import Json
from microveil.core.parameters import nearest
from microveil.core.words import kind_of
from microveil.loss.indicator_language import Indicator
from microveil.plan import project_shapes as shape
from microveil.plan.project_shapes import Place, Shape, check_fields, fields_schema

# the words of a project, and what the language of indicators calls them
STATISTICS = {
    "mean": "mean",
    "sum": "total",
    "count": "count",
    "median": "median",
    "variance": "variance",
    "sd": "sd",
    "gini": "gini",
}

_NOT_EXTREME = 0.05  # quantiles further out are values of few records
_NAME = shape.text("give the figure a name of its own")
_TOLERANCE = shape.number("give the largest relative change: 0.02 is two per cent", least=0)
_WHERE = shape.values("give the values that records must have: {region: North}")
# by the field that says what kind of figure it is
KINDS: Mapping[str, Mapping[str, Shape]] = {
    "statistic": {
        "name": _NAME,
        "statistic": shape.one_of(list(STATISTICS), f"write one of {', '.join(STATISTICS)}"),
        "of": shape.text("name the column"),
        "by": shape.names("give a list of columns of categories, such as [region]"),
        "where": _WHERE,
        "tolerance": _TOLERANCE,
    },
    "table": {
        "name": _NAME,
        "table": shape.names("give a list of columns of categories, such as [size, region]"),
        "tolerance": shape.number("give the share of records that may stand in another cell: 0.05", least=0, most=1),
    },
    "regression": {
        "name": _NAME,
        "regression": shape.text("write a formula such as income ~ age + hours"),
        "overlap": shape.number("give the least overlap of the intervals of each coefficient: 0.8", least=0, most=1),
    },
    "indicator": {
        "name": _NAME,
        "indicator": shape.text("write an expression such as quantile(pay, 0.9) / median(pay)"),
        "tolerance": _TOLERANCE,
    },
}
_REQUIRED = {
    "statistic": ("name", "statistic", "tolerance"),
    "table": ("name", "table", "tolerance"),
    "regression": ("name", "regression", "overlap"),
    "indicator": ("name", "indicator", "tolerance"),
}


@dataclass(frozen=True)
class Goal:
    """One figure that must survive: a statistic, a table, a regression or an indicator, and what is tolerated.

    `tolerance` is the largest relative change of any figure (for a table the share of records that stand in another
    cell), `overlap` the least overlap of the confidence intervals of any coefficient.
    """

    name: str
    statistic: str = ""
    of: str | None = None
    by: tuple[str, ...] = ()
    where: Mapping[str, object] = field(default_factory=dict)
    table: tuple[str, ...] = ()
    regression: str = ""
    indicator: str = ""
    tolerance: float | None = None
    overlap: float | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that the figure needs."""
        if self.regression:
            return parse_formula(self.regression).columns
        if self.indicator:
            return Indicator(self.indicator).columns
        own = () if self.of is None else (self.of,)
        return tuple(dict.fromkeys((*own, *self.by, *self.where, *self.table)))

    @property
    def text(self) -> str:
        """What is computed, in words for people.

        >>> Goal("pay", statistic="mean", of="pay", by=("region",), where={"sex": "f"}, tolerance=0.02).text
        'mean of pay by region where sex is f'
        >>> Goal("sizes", table=("size", "region"), tolerance=0.05).text
        'table of size by region'
        """
        if self.table:
            return f"table of {' by '.join(self.table)}"
        if not self.statistic:
            return self.regression or self.indicator
        parts = [self.statistic, "" if self.of is None else f"of {self.of}"]
        parts += [f"by {', '.join(self.by)}"] if self.by else []
        parts += (
            [f"where {' and '.join(f'{name} is {value}' for name, value in self.where.items())}"] if self.where else []
        )
        return " ".join(part for part in parts if part)

    def said_with(self, weights: bool) -> str:
        """What is computed, and whether with weights, where the data have a column that is the weight.

        >>> Goal("pay", statistic="mean", of="pay", tolerance=0.02).said_with(True)
        'weighted mean of pay'
        """
        if not weights:
            return self.text
        if self.regression:
            return f"{self.text}, without weights"
        return f"{self.text}, weighted" if self.indicator else f"weighted {self.text}"

    @property
    def expression(self) -> str:
        """The figure as an indicator of one number; empty where it is several, a table or a regression.

        >>> Goal("pay", statistic="sum", of="pay", tolerance=0.02).expression
        'total(pay)'
        """
        plain = self.of is not None and self.of.isidentifier() and not self.by and not self.where
        known = self.statistic in STATISTICS and self.statistic != "count"
        return f"{STATISTICS[self.statistic]}({self.of})" if plain and known else self.indicator

    @property
    def is_extreme(self) -> bool:
        """Whether it is, or holds, the value of a few records at an end.

        >>> Goal("x", indicator="quantile(pay, 0.999)", tolerance=0.01).is_extreme
        True
        """
        chances = (float(found) for found in re.findall(r"quantile\([^)]*?,\s*([0-9.]+)", self.indicator))
        return any(not _NOT_EXTREME <= chance <= 1 - _NOT_EXTREME for chance in chances)

    def to_spec(self) -> Json:
        """The goal as it stands in a project."""
        fields = {
            "name": self.name,
            "statistic": self.statistic,
            "of": self.of,
            "table": list(self.table),
            "regression": self.regression,
            "indicator": self.indicator,
            "by": list(self.by),
            "where": dict(self.where),
        }
        said = {name: value for name, value in fields.items() if value}
        limits = {"tolerance": self.tolerance, "overlap": self.overlap}
        return said | {name: value for name, value in limits.items() if value is not None}


def check_utility(given: Any, place: Place) -> tuple[Goal, ...]:
    """The goals of a project, each under a name of its own."""
    if given is None:
        return ()
    if not isinstance(given, list):
        raise BadInput(f"utility is a list of figures; begin each with a dash{place('utility')}")
    found: list[Goal] = []
    for number, spec in enumerate(given):
        goal = _goal(spec, place, number)
        if any(one.name == goal.name for one in found):
            raise BadInput(
                f"several figures of utility are called {goal.name!r}; give each its own name{place('utility', number)}"
            )
        found.append(goal)
    return tuple(found)


def goals_of(given: Sequence[Goal | Mapping[str, object]]) -> tuple[Goal, ...]:
    """Goals as somebody gives them in Python, as such or in the words of a project; each is checked."""
    if isinstance(given, str | Mapping | Goal):
        raise BadInput(f"utility is {kind_of(given)}; give a list of figures, such as project.utility")
    return check_utility([dict(one.to_spec() if isinstance(one, Goal) else one) for one in given], _nowhere)


def _nowhere(*_: Any) -> str:
    """Where something stands that stands in no file."""
    return ""


def _goal(spec: Any, place: Place, number: int) -> Goal:
    kinds = [kind for kind in KINDS if isinstance(spec, dict) and kind in spec]
    if not isinstance(spec, dict) or len(kinds) != 1:
        raise BadInput(
            f"figure {number + 1} of utility says {', '.join(kinds) or 'nothing that is computed'}; give it a name and "
            f"one of {list(KINDS)}{_near_kind(spec)}{place('utility', number)}"
        )
    kind = kinds[0]
    what = f"figure {number + 1} of utility"
    fields = check_fields(spec, KINDS[kind], _REQUIRED[kind], what, place, "utility", number)
    if kind == "statistic" and ("of" in fields) is (fields["statistic"] == "count"):
        told = "a count is of records, so leave it out" if "of" in fields else "name the column"
        raise BadInput(f"of of {what} is {fields.get('of')!r}; {told}{place('utility', number, 'of')}")
    settings: Json = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    goal = Goal(**settings)
    try:
        goal.columns  # noqa: B018 - formulas and expressions are read when their columns are asked for
    except MicroveilError as problem:
        raise type(problem)(f"{problem}{place('utility', number, kind)}") from None
    return goal


def _near_kind(spec: Any) -> str:
    """The kind of figure that a misspelt field may have meant."""
    given = map(str, spec) if isinstance(spec, dict) else ()
    return next((hint for name in given if name not in KINDS and (hint := nearest(name, KINDS))), "")


def named_columns(goals: tuple[Goal, ...]) -> Iterator[tuple[Any, str, Mapping[str, Any]]]:
    """The columns that goals name: the path to where each stands, in words, and the names."""
    for number, goal in enumerate(goals):
        yield ("utility", number), f"utility {goal.name!r}", dict.fromkeys(goal.columns)


def utility_schema() -> Json:
    """The JSON Schema of the section."""
    forms = [fields_schema(KINDS[kind], _REQUIRED[kind]) for kind in KINDS]
    counts: Json = {
        "if": {"properties": {"statistic": {"const": "count"}}, "required": ["statistic"]},
        "then": {"not": {"required": ["of"]}},
        "else": {"if": {"required": ["statistic"]}, "then": {"required": ["of"]}},
    }
    return {"type": ["array", "null"], "items": {"oneOf": forms, **counts}}
