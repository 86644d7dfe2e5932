"""A search of a minute on a file of which little is known: the same trials, on some records where there are many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.errors import BadInput
from microveil.core.streams import Key, Streams
from microveil.data.microdata import Microdata
from microveil.measure import Scenario
from microveil.plan.plan import Plan
from microveil.plan.utility_figures import check_goals
from microveil.plan.utility_plan import Goal
from microveil.plan.worst_case import NAME as WORST
from microveil.study.searching import Progress, search
from microveil.study.study import Study

MOST_RECORDS = 5000  # of a larger file that many are looked at


@dataclass(frozen=True)
class ShortSearch:
    """The study, and how many records it looked at."""

    study: Study
    records: int


def search_shortly(
    data: Microdata,
    seconds: float,
    max_risk: float,
    *,
    scenarios: Sequence[Scenario] = (),
    utility: Sequence[Goal] = (),
    plans: Sequence[Plan] = (),
    workers: int = 2,
    seed: int | str | bytes | Key | None = None,
    progress: Progress | None = None,
) -> ShortSearch:
    """Search for the plan of least loss in which attacks find `max_risk` per cent of the records at most."""
    key = Key.of(seed)
    source = _some_records(data, key)
    _check_goals(data, source, utility)
    study = search(
        source,
        budget=seconds,
        workers=workers,
        seed=key,
        at_most={WORST: max_risk},
        scenarios=scenarios,
        utility=utility,
        plans=list(plans),
        progress=progress,
    )
    return ShortSearch(study, source.n)


def _homes(data: Microdata) -> Ints:
    """The number of the household of each record; a record without one is one of its own."""
    named = data.names("household")
    if not named:
        return np.arange(data.n)
    codes = data.encoded(named[0]).codes.astype(np.int64)
    alone = np.flatnonzero(codes < 0)
    codes[alone] = codes.max(initial=-1) + 1 + np.arange(len(alone))
    return codes


def _check_goals(data: Microdata, source: Microdata, utility: Sequence[Goal]) -> None:
    """Figures that must survive need records among those that are looked at."""
    check_goals(data, tuple(utility))
    if source.n == data.n:
        return
    try:
        check_goals(source, tuple(utility))
    except BadInput as problem:
        raise BadInput(
            f"of {data.n} records {source.n} are looked at, and these do not suit what must survive: {problem}; search "
            "with the project (microveil search), which looks at all"
        ) from None


def _some_records(data: Microdata, key: Key) -> Microdata:
    """The data, or some of many records, drawn at random; households whole, since who lives together is found by that.

    A file of which one household alone is larger is looked at as far as that household goes.
    """
    if data.n <= MOST_RECORDS:
        return data
    homes = _homes(data)
    drawn = Streams(key).at("short search", "records").order(int(homes.max()) + 1)
    turn = np.argsort(drawn)[homes]  # when the household of a record has its turn
    order = np.argsort(turn, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(turn[order])) + 1, data.n)  # records after so many whole households
    most = max(int(ends[ends <= MOST_RECORDS].max(initial=0)), int(ends[0]))
    rows = sorted(order[:most].tolist())
    return data.with_(data.narwhal[rows, :].to_native())
