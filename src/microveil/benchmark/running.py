"""Running a benchmark: every plan of the catalogue once, measured alike, journalled as soon as it is done."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from microveil.benchmark.data import data_called
from microveil.benchmark.entries import Entry, entries_for
from microveil.benchmark.figures import WORST, taken
from microveil.benchmark.journal import Journal, Result
from microveil.core.errors import BadInput, MicroveilError
from microveil.core.measured import Measured
from microveil.core.streams import Key, Streams
from microveil.data.fingerprint import fingerprint
from microveil.data.microdata import Microdata
from microveil.plan.worst_case import strongest
from microveil.study.lines import alone_in, mark_of_key
from microveil.study.workers import Answering, Here, Lost, Workers

DEFAULT_SEED = "benchmark of the field"
JOURNALS = "{name}.jsonl"

Progress = Callable[[str, int, int], None]


def run(
    name: str,
    folder: str | Path,
    *,
    seed: str = DEFAULT_SEED,
    most: int | None = None,
    most_seconds: float | None = None,
    progress: Progress | None = None,
) -> tuple[Result, ...]:
    """The results of one file in the order of the catalogue; what the journal in the folder holds is not run again.

    `most` plans of the catalogue are run, from its beginning; all unless said. A plan that takes more than
    `most_seconds` with its measures is ended and noted as such; it has a process of its own.
    """
    check_numbers(most, most_seconds)
    data = data_called(name)
    wanted = entries_for(data)[:most]
    place = Path(folder)
    with alone_in(place, "the benchmark"):
        journal = Journal(place / JOURNALS.format(name=name), _about(name, data, seed))
        run_entries(data, wanted, journal, Key.of(seed), most_seconds, progress)
    # what plans are called is the catalogue's, whatever was noted
    return tuple(replace(journal.results[entry.text], label=entry.label, group=entry.group) for entry in wanted)


def check_numbers(most: int | None, most_seconds: float | None) -> None:
    """Refuse numbers with which nothing could be run."""
    if most is not None and most < 1:
        raise BadInput(f"most must be 1 or more; {most} was given")
    if most_seconds is not None and most_seconds <= 0:
        raise BadInput(f"most_seconds must be above 0; {most_seconds} was given")


def run_entries(
    data: Microdata,
    wanted: Sequence[Entry],
    journal: Journal,
    key: Key,
    most_seconds: float | None = None,
    progress: Progress | None = None,
) -> None:
    """Run what the journal does not hold yet, one after the other: seconds are part of what is told."""
    worker: Answering[Entry, Result]
    begin = partial(_begin, data, key)
    worker = Here(begin()) if most_seconds is None else Workers(begin, 1, most_seconds, _lost)
    try:
        for number, entry in enumerate(wanted, start=1):
            if progress is not None:
                progress(entry.label, number, len(wanted))
            if entry.text not in journal.results:
                journal.add(worker.submit(entry).result())
    finally:
        worker.close()


def _begin(data: Microdata, key: Key) -> Callable[[Entry], Result]:
    return lambda entry: _measure(entry, data, _key_for(entry, key))


def _lost(entry: Entry, why: Lost) -> Result:
    return Result(entry.text, entry.label, entry.group, problem=why.problem, seconds=why.seconds)


def _about(name: str, data: Microdata, seed: str) -> dict[str, object]:
    return {"data": name, "fingerprint": fingerprint(data), "key": mark_of_key(seed), "figures": list(taken())}


def _key_for(entry: Entry, key: Key) -> Key:
    """The key of one plan: the same whatever was run before it."""
    return Key.of(Streams(key).at("benchmark", entry.text).words(0, 4).tobytes())


def _measure(entry: Entry, data: Microdata, key: Key) -> Result:
    begun = time.perf_counter()
    try:
        release = entry.plan.run(data, seed=key)
    except MicroveilError as problem:
        return Result(entry.text, entry.label, entry.group, problem=str(problem), seconds=_since(begun))
    figures: dict[str, float] = {}
    parts: dict[str, dict[str, float]] = {}
    silent: dict[str, str] = {}
    for name, one in taken().items():
        try:
            found = one.measure(data, release)
        except MicroveilError as problem:
            silent[name] = str(problem)
            continue
        if isinstance(found, Measured):
            figures[name], parts[name] = found.value, dict(found.parts)
        else:
            silent[name] = found.reason
    by = strongest(parts[WORST]) if parts.get(WORST) else ""
    return Result(entry.text, entry.label, entry.group, figures, parts, silent, by, seconds=_since(begun))


def _since(begun: float) -> float:
    return round(time.perf_counter() - begun, 3)
