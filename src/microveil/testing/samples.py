"""Small files for the common suite: every kind of column, odd indexes, ties, gaps, all frame libraries."""

from __future__ import annotations

import csv
import importlib
import importlib.util
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

from microveil.core.arrays import AnyArray
from microveil.core.streams import Key, Streams
from microveil.data.microdata import Microdata

LEVELS = ("none", "primary", "secondary", "tertiary")
PLACES = ("north", "south", "east", "west")
HIERARCHY = {
    "north": ("vertical", "all"),
    "south": ("vertical", "all"),
    "east": ("flat", "all"),
    "west": ("flat", "all"),
}

ROLES = {
    "weight": "weight",
    "household": "household",
    "region": "stratum",
    "income": "confidential",
    "wealth": "confidential",
    "hours": "confidential",
    "school": "confidential",
    "place": "confidential",
    "sex": "key",
    "age": "key",
}
KINDS = {"hours": "continuous", "school": "ordinal", "place": "nominal", "sex": "nominal", "region": "nominal"}


def sample_columns(n: int, seed: int = 0) -> dict[str, Any]:
    """Columns of every kind: heavy tails, whole numbers, an ordered text, a text with a hierarchy."""
    draw = Streams(Key.of(seed)).at("sample").generator()
    ability = draw.normal(size=n)
    age = draw.integers(18, 90, size=n)
    return {
        "income": np.round(np.exp(7.5 + 0.6 * ability + 0.2 * draw.normal(size=n)), 2),
        "wealth": np.round(3.0e4 * draw.standard_normal(n) + 5.0e3 * ability, 2),
        "hours": (draw.integers(0, 1200, size=n) + 3 * age).astype(np.int64),
        "school": _pick(LEVELS, np.clip(np.floor(1.5 + ability + 0.5 * draw.normal(size=n)), 0, 3).astype(int)),
        "place": _pick(PLACES, draw.choice(4, size=n, p=[0.4, 0.3, 0.2, 0.1])),
        "sex": _pick(("f", "m"), draw.integers(0, 2, size=n)),
        "age": age.astype(np.int64),
        "region": _pick(("a", "b"), np.arange(n) % 2),
        "household": (np.arange(n) // 3).astype(np.int64),
        "weight": np.round(1.0 + draw.random(n), 3),
    }


def _pick(levels: tuple[str, ...], codes: AnyArray) -> list[str]:
    return [levels[code] for code in codes.tolist()]


def with_gaps(columns: Mapping[str, Any], names: Iterable[str], every: int = 7) -> dict[str, Any]:
    """The same columns with every so many cells of some of them missing."""
    out = dict(columns)
    for shift, name in enumerate(names):
        values = list(np.asarray(out[name], dtype=object))
        out[name] = [None if (i + shift) % every == 0 else value for i, value in enumerate(values)]
    return out


def backends() -> tuple[str, ...]:
    """The frame libraries installed here."""
    found = ["pyarrow"]
    if importlib.util.find_spec("pandas"):
        found += ["pandas", "pandas nullable"]
    if importlib.util.find_spec("polars"):
        found.append("polars")
    return tuple(found)


def as_frame(columns: Mapping[str, Any], backend: str) -> Any:
    """The columns as a frame of one library; pandas ones with an index that is not 0, 1, 2, ..."""
    pa = importlib.import_module("pyarrow")
    table = pa.table({name: pa.array(_plain(values)) for name, values in columns.items()})
    if backend == "pyarrow":
        return table
    if backend == "polars":
        return nw.from_native(table, eager_only=True).to_polars()
    frame = table.to_pandas()
    if backend == "pandas nullable":
        kinds = {"int64": "Int64", "float64": "Float64", "double": "Float64", "string": "string"}
        frame = frame.astype({field.name: kinds[str(field.type)] for field in table.schema if str(field.type) in kinds})
    return frame.set_axis(range(1000, 1000 + 2 * len(frame), 2), axis=0)


def _plain(values: Any) -> Any:
    return values.tolist() if isinstance(values, np.ndarray) else values


def as_microdata(columns: Mapping[str, Any], backend: str = "pyarrow", integers: str = "round") -> Microdata:
    """The columns as microdata with roles, kinds, order of levels and a hierarchy."""
    present = set(columns)
    return Microdata(
        as_frame(columns, backend),
        roles={name: role for name, role in ROLES.items() if name in present},
        kinds={name: kind for name, kind in KINDS.items() if name in present},
        levels={"school": LEVELS} if "school" in present else None,
        hierarchies={"place": HIERARCHY} if "place" in present else None,
        integers=integers,
    )


def numbers_of(frame: Any, names: Iterable[str]) -> dict[str, list[Any]]:
    """Columns of any frame as plain lists with None for gaps: for comparisons across libraries."""
    opened = nw.from_native(frame, eager_only=True)
    out = {}
    for name in names:
        values = opened.get_column(name).to_list()
        out[name] = [None if value is None or value != value or str(value) == "<NA>" else value for value in values]
    return out


def read_texts(path: Path) -> dict[str, list[str]]:
    """Read a CSV file by Python's own reader, every cell as text."""
    with path.open(newline="", encoding="utf-8") as handle:
        header, *rows = csv.reader(handle)
    return {name: [row[j] for row in rows] for j, name in enumerate(header)}
