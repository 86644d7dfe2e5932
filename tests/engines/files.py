"""A small file of many kinds of columns, in several Parquet files."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

import microveil as mv

ROWS = 180
KEY = "7c4f0b8e6a1d93f2507be8c1a4d6923f10b7e5c8d2a4961f3e0c7b5a8d4f6e21"


def people() -> pa.Table:
    """Identifiers, categories, amounts with gaps and codes, weights, dates and long numbers."""
    draw = np.random.default_rng(1)
    income = np.round(draw.lognormal(8, 1, ROWS), 2)
    return pa.table(
        {
            "id": [f"p{row}" for row in range(ROWS)],
            "region": draw.choice(["north", "south", "east", None], ROWS).tolist(),
            "age": draw.integers(0, 90, ROWS).astype(np.int8),
            "sex": draw.integers(1, 3, ROWS),
            "income": income,
            "tax": np.rint(0.3 * income + draw.normal(0, 100, ROWS)),
            "score": pa.array(draw.normal(size=ROWS).round(2).astype(np.float32)),
            "debt": pa.array(np.where(draw.random(ROWS) < 0.1, np.nan, draw.normal(size=ROWS)), from_pandas=True),
            "weight": draw.integers(1, 9, ROWS) + 0.5,
            "account": np.where(np.arange(ROWS) == 133, 2**60, 5),
            "day": pa.array(draw.integers(0, 99, ROWS).astype(np.int32), pa.int32()).cast(pa.date32()),
        }
    )


FACTS: dict[str, Any] = {
    "roles": {
        "id": "identifier",
        "weight": "weight",
        "region": "key",
        "sex": "key",
        "account": "other",
        "day": "other",
        "income": "confidential",
    },
    "missing": {"age": [3]},
}


def write_parts(folder: Path, table: pa.Table | None = None) -> str:
    """Three files of unlike sizes, with small row groups; the pattern of their names."""
    table = people() if table is None else table
    cuts = [0, 60, 71, table.num_rows]
    for number, (start, stop) in enumerate(pairwise(cuts)):
        parquet.write_table(table.slice(start, stop - start), folder / f"part{number}.parquet", row_group_size=32)
    return str(folder / "part*.parquet")


def written(source: Any, steps: list[Any], into: Path, engine: Any) -> tuple[Any, list[bytes]]:
    """The release of a plan, and the bytes of its files."""
    release = mv.Plan(steps).run(source, into=into, seed=KEY, engine=engine)
    return release, [path.read_bytes() for path in release.files]


def same_releases(source: Any, steps: list[Any], folder: Path, engine: Any) -> tuple[Any, Any]:
    """The release of a plan in memory and that of an engine: the same bytes and promises, and nothing else is left."""
    whole, expected = written(source, steps, folder / "memory", "memory")
    found, files = written(source, steps, folder / "engine", engine)
    assert files == expected
    assert (found.fingerprint, found.claims, found.lost) == (whole.fingerprint, whole.claims, whole.lost)
    assert found.unchecked == ()
    assert all(verdict.holds for verdict in found.check())
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]
    return whole, found
