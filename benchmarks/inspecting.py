"""First look at files of 15 columns read from CSV, beside looking at every column through its coded levels."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

import microveil as mv
from microveil.kernels.tables.sizes import class_sizes

RECORDS = 1_000_000
QUICK = 100_000
NOT_AMONG_15 = ["stratum", "expenditure", "wealth", "debts", "health"]


def run(quick: bool) -> list[dict[str, Any]]:
    records = QUICK if quick else RECORDS
    files = {
        "enterprises": mv.datasets.make_enterprises(records, seed=3),
        "survey": mv.datasets.make_survey(records, seed=3).drop_columns(NOT_AMONG_15),
    }
    _first_use()
    return [_measured(name, table) for name, table in files.items()]


def _first_use() -> None:
    """What is loaded and compiled once."""
    mv.inspect(mv.datasets.make_survey(100, seed=1))


def _measured(name: str, table: pa.Table) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "in.csv"
        arrow_csv.write_csv(table, path)
        read, data = _timed(lambda: mv.read(path))
    ours, found = _timed(lambda: mv.inspect(data))
    plain, _ = _timed(lambda: _plainly(data, found.keys))
    cpu, wall = read.cpu + ours.cpu, read.wall + ours.wall
    return {
        "file": name,
        "records": data.n,
        "columns": len(data.columns),
        "read": read.cpu,
        "inspect": ours.cpu,
        "both": cpu,
        "both, wall": wall,
        "plain": plain.cpu,
        "plain / inspect": plain.cpu / ours.cpu,
    }


def _plainly(data: mv.Microdata, keys: tuple[str, ...]) -> tuple[list[int], int]:
    """Counts from every column as codes with sorted levels, and class sizes from the codes of the keys."""
    distinct = [len(data.encoded(name).levels) for name in data.columns]
    sizes = class_sizes(np.column_stack([data.encoded(name).codes for name in keys]))[0]
    return distinct, int((sizes == 1).sum())


class _Seconds(NamedTuple):
    cpu: float
    wall: float


def _timed(call: Callable[[], Any]) -> tuple[_Seconds, Any]:
    cpu, wall = time.process_time(), time.perf_counter()
    result = call()
    return _Seconds(time.process_time() - cpu, time.perf_counter() - wall), result
