"""How long a search may take, as people say it."""

from __future__ import annotations

import re

from microveil.core.errors import BadInput
from microveil.core.words import kind_of

_UNITS = {"s": 1.0, "sec": 1.0, "seconds": 1.0, "min": 60.0, "minutes": 60.0, "h": 3600.0, "hours": 3600.0}
_SAID = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*")
_LONGEST_TRIAL = 600.0  # seconds, where nobody stated a budget
_SHARE = 0.1  # of the budget that one trial may take
_LEAST = 20.0  # seconds that every trial may take


def seconds_of(budget: str | float) -> float:
    """The seconds of a budget such as "60 s", "5 min" or "1 h"; a number is seconds.

    >>> seconds_of("5 min"), seconds_of("1.5 h"), seconds_of(20)
    (300.0, 5400.0, 20.0)
    """
    found: float | None = None
    if isinstance(budget, int | float) and not isinstance(budget, bool):
        found = float(budget)
    elif isinstance(budget, str):
        said = _SAID.fullmatch(budget.lower())
        found = float(said[1]) * _UNITS[said[2]] if said and said[2] in _UNITS else None
    else:
        raise BadInput(f'budget is {kind_of(budget)}; give a text such as "60 s", "5 min" or "1 h"')
    if found is None or not 0 < found < float("inf"):
        raise BadInput(f'budget={budget!r} is no time; give a text such as "60 s", "5 min" or "1 h"')
    return found


def longest_trial(budget: float | None) -> float:
    """The seconds after which one trial is given up, so that no plan takes all of the budget."""
    return _LONGEST_TRIAL if budget is None else max(_LEAST, _SHARE * budget)
