"""Sound files of every format and a sound project: what is damaged in all ways begins with these."""

from __future__ import annotations

import datetime as dt
import gzip
import io
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import yaml

import microveil as mv
from microveil.data.codebook import Codebook

ROWS = 12
READABLE = (
    "csv",
    "tsv",
    "csv.gz",
    "parquet",
    "feather",
    "arrow",
    "sav",
    "zsav",
    "dta",
    "xpt",
    "sas7bdat",
    "xlsx",
)


def table() -> pa.Table:
    """A column of every kind, with gaps."""
    whole = list(range(ROWS))
    return pa.table(
        {
            "sex": [1 + number % 2 for number in whole],
            "region": [None if number == 3 else ("north", "south", "east")[number % 3] for number in whole],
            "income": [None if number == 5 else 1000.5 + 37.25 * number for number in whole],
            "born": [dt.date(1960 + number, 1, 1 + number) for number in whole],
            "seen": pa.array(
                [dt.datetime(2020, 1, 2, 3, 4, number) for number in whole],  # noqa: DTZ001 - files know no zones
                pa.timestamp("us"),
            ),
        }
    )


@cache
def sound_files() -> dict[str, tuple[bytes, ...]]:
    """Bytes of sound files by their ending."""
    data = mv.Microdata(
        table(),
        roles={"sex": "key"},
        kinds={"sex": "nominal"},
        codebook=Codebook({"sex": {1: "men", 2: "women"}}, {"income": "Income"}),
    )
    found: dict[str, tuple[bytes, ...]] = {}
    with TemporaryDirectory() as folder:
        for ending in ("csv", "tsv", "csv.gz", "parquet", "feather", "arrow", "sav", "zsav", "dta", "xlsx"):
            path = Path(folder) / f"sound.{ending}"
            mv.write(data, path, unprotected=True, titles=True, seed=1)
            found[ending] = (path.read_bytes(),)
        found["xpt"] = (_transport(Path(folder) / "sound.xpt"),)
        found["zsav"] += _by_pyreadstat(Path(folder), "zsav")
        found["sav"] += _by_pyreadstat(Path(folder), "sav")
        found["dta"] += _by_pyreadstat(Path(folder), "dta")
    found["csv"] += (
        b'\xef\xbb\xbfa;b;c\r\n1,5;"x;y";2020-01-01\r\n2,5;"z\n";\r\n',
        "a,b\n1,é\n2,ü\n".encode("cp1252"),
        "a\tb\n1\t2\n".encode("utf-16"),
        b"sep=|\na|b\n1|2\n",
    )
    found["csv.gz"] += (gzip.compress(b"a,b\n1,2\n" * 3),)
    found["parquet"] += (_parquet(compression="none", use_dictionary=False), _parquet(compression="snappy"))
    found["feather"] += (_feather(1), _feather(2))
    found["arrow"] += (_stream(),)
    found["sas7bdat"] = (_sas_header(),)
    return found


def _parquet(**options: Any) -> bytes:
    handle = io.BytesIO()
    pyarrow.parquet.write_table(table(), handle, **options)
    return handle.getvalue()


def _feather(version: int) -> bytes:
    import warnings

    handle = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = table().drop_columns(["born", "seen"])
        pyarrow.feather.write_feather(
            plain, handle, version=version, compression=None if version == 1 else "uncompressed"
        )
    return handle.getvalue()


def _stream() -> bytes:
    handle = io.BytesIO()
    with pyarrow.ipc.new_stream(handle, table().schema) as writer:
        writer.write_table(table())
    return handle.getvalue()


def _transport(path: Path) -> bytes:
    import pandas as pd
    import pyreadstat

    frame = pd.DataFrame({"sex": np.arange(ROWS) % 2 + 1.0, "region": ["north", "south"] * (ROWS // 2)})
    pyreadstat.write_xport(frame, str(path))
    return path.read_bytes()


def _by_pyreadstat(folder: Path, ending: str) -> tuple[bytes, ...]:
    """As others write: with labels, declared missing values and long text."""
    import pandas as pd
    import pyreadstat

    frame = pd.DataFrame({"sex": [1.0, 2.0, 9.0] * 4, "word": ["x" * 300, "é", ""] * 4})
    path = folder / f"other.{ending}"
    labels = {"variable_value_labels": {"sex": {1: "men", 2: "women"}}, "column_labels": ["Sex", "Word"]}
    if ending == "dta":
        pyreadstat.write_dta(frame, str(path), **labels)
    else:
        pyreadstat.write_sav(
            frame, str(path), compress=ending == "zsav", missing_ranges={"sex": [{"lo": 9, "hi": 9}]}, **labels
        )
    return (path.read_bytes(),)


def _sas_header() -> bytes:
    """Nobody writes these but SAS: a header of the right beginning, then zeros, is what there is to damage."""
    magic = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")
    head = bytearray(magic + bytes(65536 - len(magic)))
    head[32], head[35], head[37], head[39] = 0x33, 0x33, 0x01, 0x31
    head[84:92] = b"SAS FILE"
    head[196:200] = (1024).to_bytes(4, "little")
    head[200:204] = (4096).to_bytes(4, "little")
    head[204:208] = (8).to_bytes(4, "little")
    return bytes(head[:8192])


def sound_project() -> dict[str, Any]:
    """A project about the table with every section."""
    text = """
version: 1
dataset: {path: data.csv, sha256: ''}
integers: round
columns:
  sex: {role: key, kind: nominal}
  region: {role: key, kind: nominal, levels: [east, north, south]}
  income: {role: confidential, kind: continuous, missing: [-9]}
  born: {role: other}
  seen: {role: other}
constraints: [income >= 0, income <= 100000]
scenarios:
  - {name: neighbour, keys: [sex, region], thresholds: {risk: 0.5}}
search: {objectives: [pil], columns: [income], methods: [rank-swap], at_most: {worst-case: 5}, budget: 1 min}
plan:
  version: 1
  steps:
    - {method: {microaggregation: {partition: {mdav: {k: 4}}}}, columns: [income]}
    - {method: {uncorrelated-noise: {p: 0.1}}, columns: [income], by: [sex]}
"""
    found: dict[str, Any] = yaml.safe_load(text)
    return found
