"""Checks of methods on files in blocks: the values of the run in memory, to the last bit."""

from __future__ import annotations

import tempfile
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from microveil.core.errors import BadInput, NothingHidden
from microveil.core.streams import Key, Streams
from microveil.engines.passing import InBlocks
from microveil.engines.refusing import ORDER_IN_MEMORY, can_be_run, goes_by_order, goes_in_cuts
from microveil.engines.scanning import Scan, scan
from microveil.engines.workers import Threads, Workers
from microveil.partition import Blocked
from microveil.partition.by_partition import ByPartition
from microveil.run.contract import Step
from microveil.run.method import Method
from microveil.run.state import State
from microveil.testing.runs import DOMAIN, sample
from microveil.testing.samples import HIERARCHY, KINDS, LEVELS, ROLES

_PATH = ("step", 1)
_TWO = Threads(2)
_BLOCK = 50  # records of a block: the sample holds a few


def check_in_blocks(method: Method, workers: Workers = _TWO) -> None:
    """A method gives every record the bytes that it gets in memory: in every subdomain, and by blocks if it can.

    One that follows the order of columns does so in memory and on disk, and one that forms groups forms them in
    blocks of near records, too.
    """
    data, source = sample(), _scanned()
    streams = Streams(Key.of("blocks").for_data(data.mark))
    for step, in_memory in (
        (Step(method), ORDER_IN_MEMORY),
        (Step(method), 0),
        (Step(method, by=DOMAIN), ORDER_IN_MEMORY),
        *((Step(one), ORDER_IN_MEMORY) for one in in_near_blocks(method)),
    ):
        if not can_be_run(step) or (not in_memory and not goes_by_order(step)):
            continue
        rows = 50 if step.by else 7
        with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
            warnings.simplefilter("ignore", NothingHidden)
            whole = State.begin(data).advance(step, streams.at(*_PATH))
            passing = InBlocks(source, streams, rows, workers, folder=Path(folder), order_in_memory=in_memory)
            passing = passing.learn(step, _PATH)
            blocks = list(passing.each(lambda passed: (passed.first, passed.state.origin, dict(passed.state.changed))))
        found = [changed for _, origin, changed in blocks if len(origin)]
        origin = np.concatenate([np.where(kept < 0, -1, first + kept) for first, kept, _ in blocks])
        assert np.array_equal(origin, whole.origin), "in blocks other records come back"
        for name, values in whole.changed.items():
            parts = [changed[name] for changed in found]
            told = f"{name!r} in blocks of {rows} records is not what it is in memory"
            assert np.concatenate([part.data for part in parts]).tobytes() == values.data.tobytes(), told
            assert all((part.levels, part.kind) == (values.levels, values.kind) for part in parts), told


def in_near_blocks(method: Method) -> tuple[Method, ...]:
    """The method with its groups formed in small blocks of near records, if it can be set so."""
    if not isinstance(method, ByPartition) or isinstance(method.partition, Blocked):
        return ()
    try:
        blocked = replace(method, partition=Blocked(base=method.partition, size=max(_BLOCK, 2 * method.partition.k)))
    except BadInput:
        return ()
    return (blocked,) if goes_in_cuts(Step(blocked)) else ()


@cache
def _scanned() -> Scan:
    """The sample as a file."""
    import pyarrow.parquet as parquet

    # as long as the process lives: `cache` holds what is scanned, and that reads the file again
    folder = tempfile.TemporaryDirectory()
    _FOLDERS.append(folder)
    path = Path(folder.name) / "sample.parquet"
    parquet.write_table(sample().frame, path, row_group_size=40)
    return scan(path, roles=ROLES, kinds=KINDS, levels={"school": LEVELS}, hierarchies={"place": HIERARCHY})


_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []
