"""What a proven bound on linkage says about limits, and when attacks find more than it allows."""

from __future__ import annotations

from microveil.detect.words import says, words_of
from microveil.measure import Pair, Scenario
from microveil.run.unit_notes import SEVERAL

_ROUNDING = 1e-12


def is_kept_by_proof(scenario: Scenario, k: int | None) -> bool:
    """Whether a proof of 1/k bounds the risk of every record by what a scenario tolerates.

    The proof holds against somebody who knows every original value, hence against the intruder of any scenario. Which
    records are linked in one draw is chance then, and more of them than on average are no reason to refuse a file.
    """
    return k is not None and 1 / k <= scenario.limit("risk") + _ROUNDING


def find_repeated(pair: Pair) -> str:
    """An identifier that stands in several original records, in words; empty where each is of one record.

    Groups count records: k of them may be of one person. Names that a few records share are those of namesakes where
    another identifier tells all records apart.
    """
    columns = {name: pair.before.narwhal.get_column(name) for name in pair.before.names("identifier")}
    all_told_apart = any(column.n_unique() == len(column) and not column.null_count() for column in columns.values())
    for name, column in columns.items():
        seen = column.drop_nulls()
        namesakes = all_told_apart and not column.dtype.is_numeric() and len(seen) < SEVERAL * seen.n_unique()
        if seen.n_unique() < len(seen) and not namesakes:
            of = "households" if says(words_of(str(name)), "household") else "people"
            return f"{name} stands in several records, so that k records may be of fewer than k {of}"
    return ""


def exceeds_bound(value: float, interval: tuple[float, float], k: int | None) -> bool:
    """Whether more records are found, in per cent, than a proof of 1/k allows.

    Figures scatter, and the worst is the highest of several: only what lies beyond twice the interval counts.
    """
    return k is not None and value - 2 * (value - interval[0]) > 100 / k
