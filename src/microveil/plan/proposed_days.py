"""Rules about dates that the records of a file keep: one before another, and the days between them in a column."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.edits import Edit
from microveil.data import frames
from microveil.data.days import UNCLEAR, form_of_days
from microveil.data.schema import TECHNICAL_ROLES

if TYPE_CHECKING:
    from microveil.plan.inspection import Inspection

_LEAST = 20  # records in which dates differ: fewer may stand in an order by chance
_NEARLY = 0.99  # of the records
_TRIED = 50  # values of a column that are read first: most texts are no dates
_COUNTED_IN = (0.0, 1.0)  # days that are counted beside those between two dates: the first one is, or is not


def date_columns(found: Inspection) -> dict[Any, Floats]:
    """The columns of dates that may be released, in days."""
    out = {}
    for look in found.columns:
        series = found.source.narwhal.get_column(look.name)
        if look.role in TECHNICAL_ROLES or look.distinct < 2 or frames.is_numeric(series):
            continue
        first = [level for level in series.drop_nulls().head(_TRIED).to_list() if level not in _codes(found, look.name)]
        if not form_of_days(first) or form_of_days(found.source.encoded(look.name).levels) in ("", UNCLEAR):
            continue
        days = found.source.read_for_rules(series, look.name)
        if days is not None:
            out[look.name] = days
    return out


def find_orders(dates: Mapping[Any, Floats]) -> list[Edit]:
    """One date at most another in nearly all records; not where it is so of any two records, whoever they are."""
    found = []
    for early, late in permutations(dates, 2):
        apart = dates[late] - dates[early]
        seen = ~np.isnan(apart)
        if np.count_nonzero(apart > 0) < _LEAST or np.count_nonzero(apart[seen] >= 0) < _NEARLY * seen.sum():
            continue
        if np.nanmax(dates[early]) > np.nanmin(dates[late]):
            found.append(Edit((late, early), (1.0, -1.0)))
    return found


def find_spans(dates: Mapping[Any, Floats], numbers: Mapping[Any, Floats]) -> list[Edit]:
    """A number that is the days between two dates, in nearly all records."""
    found = []
    for early, late in permutations(dates, 2):
        apart = dates[late] - dates[early]
        for name, days in numbers.items():
            more = days - apart
            seen = ~np.isnan(more)
            if np.count_nonzero(seen & (apart != 0)) < _LEAST or len(np.unique(days[seen])) < 2:
                continue
            found += [
                Edit((late, early, name), (1.0, -1.0, -1.0), constant, equal=True)
                for constant in _COUNTED_IN
                if np.count_nonzero(more[seen] == constant) >= _NEARLY * seen.sum()
            ]
    return found


def _codes(found: Inspection, name: Any) -> tuple[Any, ...]:
    return found.source.schema[name].missing
