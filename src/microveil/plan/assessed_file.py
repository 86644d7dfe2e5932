"""The risk of one file as it is: every figure that counting its keys gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import comb
from typing import Any

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import MicroveilError
from microveil.core.measured import Measured, NotApplicable
from microveil.data.microdata import Microdata
from microveil.measure import Pair
from microveil.plan.assessed_keys import KeyClasses, KeyWords
from microveil.plan.key_changes import KeyChange, key_changes
from microveil.plan.riskiest import RiskyCombination, RiskyRecord, most_at_risk, risky_combinations, risky_records

LEVELS = (2, 3, 5)  # the k of the counts of records that violate k-anonymity
BINS = (0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)  # of the histogram of individual risk
HIGH = 0.1
# About 10^8 a second: all combinations of seven keys in a million records, of up to three of nine. A sample would not
# do, because a unique record of a sample is not unique in the file.
_MOST_WORK = 200_000_000  # records times combinations of keys: a few seconds
_MOST_VALUES = 50  # of a key that are listed

Step = Callable[[str], None]


@dataclass(frozen=True)
class Special:
    """Special uniques (SUDA): how many records, the highest DIS score, and what each key contributes in per cent."""

    records: int
    largest_dis: float
    contributions: Mapping[str, float]
    largest_size: int
    keys: int

    def to_json(self) -> dict[str, Any]:
        """The figures in plain JSON terms."""
        return {
            "records": self.records,
            "largest_dis": self.largest_dis,
            "contributions": dict(self.contributions),
            "combinations_up_to": self.largest_size,
        }


@dataclass(frozen=True)
class KeyFrequencies:
    """How often each value of a key occurs, the most frequent first, and how many values more there are."""

    key: str
    values: tuple[tuple[str, int], ...]
    more_values: int

    def to_json(self) -> dict[str, Any]:
        """The table in plain JSON terms."""
        return {"values": [list(pair) for pair in self.values], "more_values": self.more_values}


@dataclass(frozen=True)
class PerRecord:
    """Figures of every record in file order; None where a figure does not exist."""

    f: Ints
    f_wildcard: Ints
    people: Floats
    risk: Floats
    household_risk: Floats | None
    dis: Floats | None


@dataclass(frozen=True)
class FileRisk:
    """The risk of one file by some keys; `each` holds the figures of its records (private)."""

    records: int
    keys: tuple[str, ...]
    weighted: bool
    gaps: bool
    below: Mapping[int, int]
    below_wildcard: Mapping[int, int]
    expected: float
    largest: float
    above_high: int
    household_expected: float | None
    histogram: tuple[int, ...]
    population: Measured | NotApplicable
    special: Special | NotApplicable
    ranking: Measured | NotApplicable
    combinations: tuple[RiskyCombination, ...]
    riskiest: tuple[RiskyRecord, ...]
    changes: tuple[KeyChange, ...]
    frequencies: tuple[KeyFrequencies, ...]
    notes: tuple[str, ...] = ()
    each: PerRecord = field(repr=False, compare=False, kw_only=True)

    def to_json(self) -> dict[str, Any]:
        """The figures in plain JSON terms, without those of single records but the five most at risk."""
        bins = [[low, high, n] for low, high, n in zip(BINS, BINS[1:], self.histogram, strict=False)]
        return {
            "records": self.records,
            "keys": list(self.keys),
            "weighted": self.weighted,
            "records_below": {str(k): n for k, n in self.below.items()},
            "records_below_missing_agrees": {str(k): n for k, n in self.below_wildcard.items()},
            "expected_reidentifications": self.expected,
            "expected_reidentifications_through_households": self.household_expected,
            "largest_risk": self.largest,
            "records_above_0.1": self.above_high,
            "histogram": bins,
            "population_uniqueness": self.population.to_json(),
            "special_uniques": self.special.to_json(),
            "key_ranking": self.ranking.to_json(),
            "riskiest_combinations": [combination.to_json() for combination in self.combinations],
            "records_most_at_risk": [record.to_json() for record in self.riskiest],
            "one_change": [change.to_json() for change in self.changes],
            "frequencies": {table.key: table.to_json() for table in self.frequencies},
            "notes": list(self.notes),
        }


def file_risk(data: Microdata, keys: Sequence[str], population: float | None, step: Step) -> FileRisk:
    """Every figure of one file by these keys."""
    from microveil.kernels.tables.individual import individual_risk
    from microveil.kernels.tables.sizes import class_sizes
    from microveil.risk import KAnonymity
    from microveil.risk.individual_risk import household_risk

    pair = Pair.of(data).only(tuple(keys))
    words = KeyWords.of(data, keys)
    step("counting keys")
    codes = words.table.codes()
    classes = KeyClasses.of(codes, data.weights)
    gaps = bool((codes < 0).any())
    f = classes.size[classes.label]
    f_wildcard = class_sizes(codes, "wildcard")[0] if gaps else f
    of_class = individual_risk(classes.size, classes.people)
    risk = of_class[classes.label]
    together = None if data.households is None else household_risk(risk, data.households)
    step("special uniques")
    special, dis = _special(pair, f)
    step("population")
    in_population = _in_population(data, keys, population)
    step("ranking keys")
    ranking = _ranking(data, keys)
    step("changes of keys")
    order = most_at_risk(classes, of_class, dis)
    return FileRisk(
        records=data.n,
        keys=tuple(keys),
        weighted=data.weights is not None,
        gaps=gaps,
        below={k: int((f < k).sum()) for k in LEVELS},
        below_wildcard={k: int((f_wildcard < k).sum()) for k in LEVELS},
        expected=float(risk.sum()),
        largest=float(risk.max()),
        above_high=int((risk > HIGH).sum()),
        household_expected=None if together is None else float(together.sum()),
        histogram=_histogram(risk),
        population=in_population,
        special=special,
        ranking=ranking,
        combinations=risky_combinations(words, classes, of_class, order),
        riskiest=risky_records(words, classes, of_class, order),
        changes=key_changes(words, classes),
        frequencies=tuple(_frequencies(words, key) for key in keys),
        notes=tuple(f"{note[0].upper()}{note[1:]}." for note in KAnonymity(keys=tuple(keys)).key_notes(pair)),
        each=PerRecord(f, f_wildcard, classes.people[classes.label], risk, together, dis),
    )


def _special(pair: Pair, f: Ints) -> tuple[Special | NotApplicable, Floats | None]:
    from microveil.risk import Suda
    from microveil.risk.suda import dis_scores

    width = len(pair.columns)
    size = _affordable(len(f), width, width)
    if size < min(2, width):
        reason = f"the search takes long with {len(f):,} records and {width} keys; name fewer keys for it"
        return NotApplicable(Suda.name, reason), None
    measure = Suda(keys=pair.columns, max_size=size)
    try:
        scores, by_key = measure.scores(pair)
    except MicroveilError as problem:
        return NotApplicable(Suda.name, str(problem)), None
    dis = dis_scores(scores, int((f == 1).sum()), int((f == 2).sum()), width, measure.fraction)
    whole = float(scores.sum())
    shares = 100.0 * by_key.sum(axis=0) / whole if whole else np.zeros(width)
    contributions = {key: float(share) for key, share in zip(pair.columns, shares, strict=True)}
    return Special(int((scores > 0).sum()), float(dis.max()), contributions, size, width), dis


def _in_population(data: Microdata, keys: Sequence[str], population: float | None) -> Measured | NotApplicable:
    from microveil.risk import PopulationUniqueness

    if population is None and data.weights is None:
        return NotApplicable(PopulationUniqueness.name, "the size of the population is unknown without weights")
    measure = PopulationUniqueness(keys=tuple(keys), population=population)
    # what the user states wrongly is an error; weights that fit no population are a reason
    return measure(data) if population is not None else _of(lambda: measure(data))


def _ranking(data: Microdata, keys: Sequence[str]) -> Measured | NotApplicable:
    from microveil.risk import KeyRanking

    largest = max(_affordable(data.n, len(keys), 3), 1)
    return _of(lambda: KeyRanking(keys=tuple(keys), sizes=tuple(range(1, largest + 1)), top=10)(data))


def _affordable(records: int, width: int, most: int) -> int:
    """How many keys may be combined so that looking at every combination takes seconds."""
    work, size = 0, 0
    while size < min(width, most):
        work += records * comb(width, size + 1)
        if work > _MOST_WORK:
            break
        size += 1
    return size


def _of(measure: Callable[[], Measured | NotApplicable]) -> Measured | NotApplicable:
    try:
        return measure()
    except MicroveilError as problem:
        # what a measure refuses is shown with its reason; it never becomes a number
        return NotApplicable("", str(problem))


def _histogram(risk: Floats) -> tuple[int, ...]:
    """Records in each bin, its upper end included; risks above 0 alone occur."""
    place = np.searchsorted(np.array(BINS[1:]), risk.round(12), side="left")
    return tuple(int(n) for n in np.bincount(place, minlength=len(BINS) - 1))


def _frequencies(words: KeyWords, key: str) -> KeyFrequencies:
    found = words.frequencies(key)
    return KeyFrequencies(key, tuple(found[:_MOST_VALUES]), max(len(found) - _MOST_VALUES, 0))
