"""Files as strangers read them: what is promised must hold for readers who know nothing of us."""

from __future__ import annotations

import csv
import gzip
import io
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow.feather
import pyarrow.parquet
import pyreadstat
import pytest

import microveil as mv
from microveil.core.errors import BrokenPromise

K = 3
Rows = list[tuple[Any, ...]]


def with_rare_keys(numbers: bool) -> mv.Microdata:
    """Keys with a few rare combinations, as text or as numbers, some missing in the source."""
    rng = np.random.default_rng(4)
    draws = {name: rng.geometric(0.5, 300).clip(max=6) for name in ("region", "sector", "size")}
    frame = pd.DataFrame(draws)
    if not numbers:
        frame = frame.map(lambda value: f"={value} å")
        frame.loc[::40, "size"] = None
    frame["amount"] = rng.lognormal(8, 1, 300).round(2)
    return mv.Microdata(
        frame, roles=dict.fromkeys(draws, "key"), kinds=dict.fromkeys(draws, "nominal") if numbers else None
    )


def suppressed(missing: str, numbers: bool = False) -> mv.Release:
    return mv.mask.LocalSuppression(k=K, missing=missing).apply(with_rare_keys(numbers), seed=1)  # type: ignore[arg-type]


def rows_of(frame: pd.DataFrame) -> Rows:
    keys = frame[["region", "sector", "size"]].astype(object)
    return list(keys.where(keys.notna(), None).itertuples(index=False, name=None))


def csv_module(path: Path) -> Rows:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    return [tuple(row[:3]) for row in csv.reader(io.StringIO(text, newline=""))][1:]


def openpyxl_rows(path: Path) -> Rows:
    book = openpyxl.load_workbook(path, read_only=True)
    rows = [row[:3] for row in book.worksheets[0].iter_rows(min_row=2, values_only=True)]
    book.close()
    return rows


def polars_rows(reader: Callable[..., Any]) -> Callable[[Path], Rows]:
    return lambda path: reader(path).select("region", "sector", "size").rows()


READERS: list[tuple[str, str, Callable[[Path], Rows]]] = [
    ("csv", "pandas", lambda path: rows_of(pd.read_csv(path))),
    ("csv", "polars", polars_rows(pl.read_csv)),
    ("csv", "csv module", csv_module),
    ("csv.gz", "pandas", lambda path: rows_of(pd.read_csv(path))),
    ("csv.gz", "polars", polars_rows(pl.read_csv)),
    ("csv.gz", "csv module", csv_module),
    ("parquet", "pandas", lambda path: rows_of(pd.read_parquet(path))),
    ("parquet", "polars", polars_rows(pl.read_parquet)),
    ("parquet", "pyarrow", lambda path: rows_of(pyarrow.parquet.read_table(path).to_pandas())),
    ("feather", "pandas", lambda path: rows_of(pd.read_feather(path))),
    ("feather", "polars", polars_rows(pl.read_ipc)),
    ("feather", "pyarrow", lambda path: rows_of(pyarrow.feather.read_table(path).to_pandas())),
    ("sav", "pyreadstat", lambda path: rows_of(pyreadstat.read_sav(str(path))[0])),
    ("zsav", "pyreadstat", lambda path: rows_of(pyreadstat.read_sav(str(path))[0])),
    ("dta", "pyreadstat", lambda path: rows_of(pyreadstat.read_dta(str(path))[0])),
    ("dta", "pandas", lambda path: rows_of(pd.read_stata(path))),
    ("xlsx", "openpyxl", openpyxl_rows),
    ("xlsx", "pandas", lambda path: rows_of(pd.read_excel(path))),
]


def smallest_class(rows: Rows) -> int:
    """The least frequent combination, a missing cell being a value of its own."""
    return min(Counter(rows).values())


def smallest_agreement(rows: Rows) -> int:
    """The fewest records that one agrees with, a missing cell agreeing with anything."""
    counts = Counter(rows)
    return min(
        sum(
            number
            for other, number in counts.items()
            if all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))
        )
        for one in counts
    )


@pytest.mark.parametrize(("ending", "reader", "read"), READERS, ids=[f"{e}-{r}" for e, r, _ in READERS])
@pytest.mark.parametrize("numbers", [False, True])
def test_k_holds_in_both_readings_of_a_missing_cell(
    tmp_path: Path, ending: str, reader: str, read: Callable[[Path], Rows], numbers: bool
) -> None:
    mv.write(suppressed("own", numbers), tmp_path / f"out.{ending}", reproducible=True)
    rows = read(tmp_path / f"out.{ending}")
    assert len(rows) == 300
    assert smallest_class(rows) >= K
    assert smallest_agreement(rows) >= K


@pytest.mark.parametrize(("ending", "reader", "read"), READERS, ids=[f"{e}-{r}" for e, r, _ in READERS])
@pytest.mark.parametrize("numbers", [False, True])
def test_k_of_the_wildcard_reading_holds_or_the_file_is_refused(
    tmp_path: Path, ending: str, reader: str, read: Callable[[Path], Rows], numbers: bool
) -> None:
    release, target = suppressed("wildcard", numbers), tmp_path / f"out.{ending}"
    if ending in ("sav", "zsav", "dta") and not numbers:
        with pytest.raises(
            BrokenPromise, match=r"files know no missing text, .*every record agrees with at least 3.*missing='own'"
        ):
            mv.write(release, target, reproducible=True)
        assert not list(tmp_path.iterdir())
        return
    mv.write(release, target, reproducible=True)
    rows = read(target)
    if reader == "csv module":  # it gives text only: an empty cell is the empty text
        rows = [tuple(cell or None for cell in row) for row in rows]
    assert smallest_agreement(rows) >= K
    assert smallest_class(rows) < K


@pytest.mark.parametrize(("ending", "title"), [("sav", "SPSS"), ("dta", "Stata")])
def test_missing_text_in_statistical_files_is_told(tmp_path: Path, ending: str, title: str) -> None:
    frame = pd.DataFrame({"word": ["a", None, None], "number": [1.0, None, 2.0]})
    written = mv.write(frame, tmp_path / f"out.{ending}", unprotected=True)
    told = f"missing text in 'word' (2 cells) was written as empty text: {title} knows no difference, and many readers "
    assert written.notes == (told + "take it for a value",)


def test_codes_for_missing_text_are_read_as_a_value_too(tmp_path: Path) -> None:
    data = with_rare_keys(numbers=False)
    frame = data.frame.fillna({"size": "unknown"})
    coded = mv.Microdata(frame, roles=data.roles, missing={"size": ["unknown", ""]})
    release = mv.mask.LocalSuppression(k=K, missing="wildcard").apply(coded, seed=1)
    with pytest.raises(BrokenPromise, match="SPSS files know no missing text"):
        mv.write(release, tmp_path / "out.sav", reproducible=True)


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather", "sav", "dta", "xlsx"])
def test_intervals_of_pandas_are_released_as_text(tmp_path: Path, ending: str) -> None:
    ages = pd.DataFrame({"age": pd.cut(np.arange(40), [-1, 18, 39]), "x": np.arange(40.0)})
    release = mv.mask.Pram().apply(mv.Microdata(ages, roles={"x": "other"}), columns=["age"], seed=1)
    assert release.frame["age"].dtype == ages["age"].dtype
    mv.write(release, tmp_path / f"out.{ending}", shuffle=False, reproducible=True)
    found = mv.read(tmp_path / f"out.{ending}").narwhal["age"].to_list()
    assert found == [str(one) for one in release.frame["age"]]
