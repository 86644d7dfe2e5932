"""How long a search may take, as people say it."""

from __future__ import annotations

import re
from typing import NamedTuple

from microveil.core.errors import BadInput
from microveil.core.words import kind_of

_ALLOWED = 'give a time such as "60 s", "5 min" or "1 h", or a number of plans such as "40 trials"'
_USUAL = 60.0  # seconds
_TRIALS = ("trial", "trials")
_UNITS = {
    **dict.fromkeys(("s", "sec", "second", "seconds"), 1.0),
    **dict.fromkeys(("min", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
}
_SAID = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*")
_LONGEST_TRIAL = 600.0  # seconds, where nobody stated a budget
_SHARE = 0.1  # of the budget that one trial may take
_LEAST = 20.0  # seconds that every trial may take


class Budget(NamedTuple):
    """The seconds or the trials that a search may take; None where it is not limited by them."""

    seconds: float | None
    trials: int | None


def budget_of(budget: str | float | None, trials: int | None = None) -> Budget:
    """A budget such as "60 s", "5 min", "1 h" or "40 trials"; a number is seconds, and 60 s is what nobody stated.

    >>> budget_of("5 min").seconds, budget_of("1.5 h").seconds, budget_of(20).seconds, budget_of("40 trials").trials
    (300.0, 5400.0, 20.0, 40)
    """
    if trials is not None and (isinstance(trials, bool) or not isinstance(trials, int) or trials < 1):
        raise BadInput(f'{trials!r} is not a number of trials; give 1 or more, or a budget such as "5 min"')
    if budget is None:
        return Budget(_USUAL if trials is None else None, trials)
    if isinstance(budget, bool) or not isinstance(budget, int | float | str):
        raise BadInput(f"budget is {kind_of(budget)}; {_ALLOWED}")
    number, unit = (float(budget), "s") if not isinstance(budget, str) else _parts(budget)
    if unit in _TRIALS and number >= 1 and number == int(number):
        if trials is not None:
            raise BadInput(f"the budget {budget!r} and {trials} trials both say how many plans to try; give one")
        return Budget(None, int(number))
    if unit not in _UNITS or not 0 < number < float("inf"):
        raise BadInput(f"the budget {budget!r} is neither a time nor a number of trials; {_ALLOWED}")
    return Budget(number * _UNITS[unit], trials)


def _parts(budget: str) -> tuple[float, str]:
    said = _SAID.fullmatch(budget.lower())
    return (float(said[1]), said[2]) if said else (0.0, "")


def longest_trial(budget: float | None) -> float:
    """The seconds after which one trial is given up, so that no plan takes all of the budget."""
    return _LONGEST_TRIAL if budget is None else max(_LEAST, _SHARE * budget)
