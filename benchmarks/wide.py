"""Files of five records and many columns: reading, a first look, masking half, writing; growth 1 is linear."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import microveil as mv

SIZES = (2_500, 5_000, 10_000, 20_000)
ROWS = 5


def run(quick: bool) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        _steps(10, Path(folder))  # compiles what is compiled once
        found: list[dict[str, Any]] = []
        before: dict[str, float] = {}
        for columns in SIZES[:2] if quick else SIZES:
            seconds = _steps(columns, Path(folder))
            for what, taken in seconds.items():
                growth = math.log2(taken / before[what]) if what in before else None
                found.append({"what": what, "columns": columns, "cpu seconds": taken, "growth": growth})
            before = seconds
    return found


def _steps(columns: int, folder: Path) -> dict[str, float]:
    numbers = np.random.default_rng(columns).lognormal(8, 1, (columns, ROWS)).round(2)
    table = pa.table({f"c{j}": column for j, column in enumerate(numbers)})
    mv.write(table, folder / "in.csv", unprotected=True)
    seconds: dict[str, float] = {}
    data = _timed("read", lambda: mv.read(folder / "in.csv"), seconds)
    _timed("inspect", lambda: mv.inspect(data), seconds)
    release = _timed(
        "mask half", lambda: mv.mask.UncorrelatedNoise().apply(data, columns=data.columns[: columns // 2]), seconds
    )
    _timed("write CSV", lambda: mv.write(release, folder / "out.csv"), seconds)
    _timed("write Parquet", lambda: mv.write(release, folder / "out.parquet"), seconds)
    return seconds


def _timed(what: str, call: Callable[[], Any], seconds: dict[str, float]) -> Any:
    start = time.process_time()
    result = call()
    seconds[what] = time.process_time() - start
    return result
