"""Writing: order, decimals, identifiers, and nothing left behind when something fails."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import microveil as mv
from microveil.core.errors import BadInput, BrokenPromise, FileProblem, NothingHidden
from microveil.core.streams import Streams
from microveil.data.codebook import Codebook
from microveil.io import atomic, verifying, writing
from microveil.io.formats import ending_of
from tests.io.frames import WRITABLE, mixed_table


def households(n: int = 60) -> pa.Table:
    rng = np.random.default_rng(5)
    return pa.table(
        {
            "name": [f"person {i}" for i in range(n)],
            "household": [f"H{i // 3}" for i in range(n)],
            "income": np.round(rng.lognormal(8, 1, n), 2),
            "age": rng.integers(18, 90, n),
        }
    )


ROLES = {"name": "identifier", "household": "household", "income": "confidential"}


def release(seed: int | None = 1, **facts: Any) -> mv.Release:
    return mv.mask.Round(base=10).apply(mv.Microdata(households(), roles=ROLES, **facts), seed=seed)


# -- what is written -----------------------------------------------------------------------------


def test_rows_are_shuffled_by_the_release_s_own_key(tmp_path: Path) -> None:
    one = release()
    mv.write(one, tmp_path / "out.parquet", reproducible=True)
    order = Streams(one.key.for_data(one.original.mark)).at("write").order(60)
    expected = np.asarray(one.frame["age"])[order]
    assert mv.read(tmp_path / "out.parquet").frame["age"].to_pylist() == expected.tolist()
    assert not np.array_equal(order, np.arange(60))


def test_same_key_same_bytes_other_key_other_order(tmp_path: Path) -> None:
    first, again = (
        mv.write(release(1), tmp_path / "a.csv", reproducible=True),
        mv.write(release(1), tmp_path / "b.csv", reproducible=True),
    )
    other = mv.write(release(2), tmp_path / "c.csv", reproducible=True)
    assert first.sha256 == again.sha256 != other.sha256
    fresh = (
        mv.write(households(), tmp_path / "d.csv", unprotected=True).sha256,
        mv.write(households(), tmp_path / "e.csv", unprotected=True).sha256,
    )
    assert fresh[0] != fresh[1]
    assert (
        mv.write(households(), tmp_path / "d.csv", seed=3, unprotected=True).sha256
        == mv.write(households(), tmp_path / "e.csv", seed=3, unprotected=True).sha256
    )


def test_shuffle_can_be_left_out(tmp_path: Path) -> None:
    mv.write(release(), tmp_path / "out.csv", shuffle=False, reproducible=True)
    assert mv.read(tmp_path / "out.csv").frame["age"].to_pylist() == households()["age"].to_pylist()


def test_identifiers_are_left_out_and_households_numbered_anew(tmp_path: Path) -> None:
    written = mv.write(release(), tmp_path / "out.csv", shuffle=False, reproducible=True)
    assert written.columns == ("household", "income", "age")
    assert written.notes == (
        "identifiers were left out: name",
        "the numbers in 'household' were drawn anew: they say who belongs together and no more",
        "released as they are: age; 17 of 60 records are alone with these values",
    )
    numbers = np.array(mv.read(tmp_path / "out.csv").frame["household"].to_pylist()).reshape(20, 3)
    assert (numbers == numbers[:, :1]).all()
    assert sorted(numbers[:, 0]) == list(range(1, 21))
    assert numbers[:, 0].tolist() != list(range(1, 21))


def test_identifiers_can_be_kept(tmp_path: Path) -> None:
    written = mv.write(release(), tmp_path / "out.csv", keep_identifiers=True, shuffle=False, reproducible=True)
    assert written.columns == ("name", "household", "income", "age")
    assert mv.read(tmp_path / "out.csv").frame["household"].to_pylist() == households()["household"].to_pylist()


def test_nothing_but_identifiers(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="every column is an identifier and identifiers are not released"):
        mv.write(mv.Microdata(pa.table({"a": [1]}), roles={"a": "identifier"}), tmp_path / "out.csv", unprotected=True)
    assert not list(tmp_path.iterdir())


def test_missing_codes_become_empty(tmp_path: Path) -> None:
    table = pa.table({"x": [1.5, -9.0, -8.0, None], "t": ["a", "?", None, "b"], "n": [1, 2, 99, 4]})
    data = mv.Microdata(table, missing={"x": [-9, -8], "t": ["?"], "n": [99]})
    written = mv.write(data, tmp_path / "out.csv", shuffle=False, unprotected=True)
    assert (tmp_path / "out.csv").read_text() == 'x,t,n\n1.5,"a",1\n,,2\n,,\n,"b",4\n'
    assert written.notes[0] == "cells of 'x' with a code for a missing value were written as empty"


def test_not_a_number_is_missing_in_every_library(tmp_path: Path) -> None:
    mv.write(
        pa.table({"x": [1.5, float("nan"), None], "y": [-0.0, 1.0, 2.0]}),
        tmp_path / "out.csv",
        shuffle=False,
        unprotected=True,
    )
    assert (tmp_path / "out.csv").read_text() == "x,y\n1.5,0.0\n,1.0\n,2.0\n"


# -- text that spreadsheet programs run --------------------------------------------------------------


def test_text_like_formulas_is_kept_and_told_or_refused(tmp_path: Path) -> None:
    words = ["=cmd|' /C calc'!A0", "+1", "-x", "@SUM(1)", "\tx", "\rx", "a=b", None]
    table = pa.table({"word": words, "-name": ["x"] * 8, "number": [-1.5] * 8, "one": ["=1", *"abcdefg"]})
    written = mv.write(table, tmp_path / "out.csv", shuffle=False, unprotected=True)
    assert pd.read_csv(tmp_path / "out.csv", keep_default_na=False)["word"].tolist()[:7] == words[:7]
    told = (
        "spreadsheet programs may run as a formula what begins with = + - @, tab or return: "
        "the name '-name', 6 cells of 'word', 1 cell of 'one'"
    )
    assert written.notes == (f"{told}; it was written as it is",)
    with pytest.raises(BadInput, match=re.escape(told) + "; change that text, write XLSX or Parquet"):
        mv.write(table, tmp_path / "other.csv", formulas="refuse", unprotected=True)
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.csv"]
    mv.write(pa.table({"word": ["a"], "number": [-1]}), tmp_path / "other.csv", formulas="refuse", unprotected=True)
    assert mv.write(table, tmp_path / "out.parquet", unprotected=True).notes == ()


# -- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("out.sas7bdat", {}, r"SAS files can be read, not written; write one of .csv, .*, .xlsx"),
        ("out.xpt", {}, r"SAS transport files can be read, not written"),
        ("out.doc", {}, r"'out.doc' has .doc; known are .csv"),
        ("out.parquet", {"delimiter": ";"}, r"delimiter=';' means nothing for Parquet files"),
        ("out.csv", {"delimiter": '"'}, r"is not one plain character"),
        ("out.csv", {"seed": 1}, r"a release is shuffled with its own key; leave seed out"),
        ("out.csv", {"formulas": "drop"}, r"formulas='drop' is not one of \['keep', 'refuse'\]"),
        ("out.xlsx", {"formulas": "refuse"}, r"formulas='refuse' means nothing for XLSX files; leave it out"),
        ("none/out.csv", {}, r"there is no folder '.*/none' to write to; make it first"),
        ("folder.csv", {}, r"'.*/folder.csv' is a folder; name a file in it"),
    ],
)
def test_refusals_write_nothing(tmp_path: Path, name: str, options: dict[str, Any], message: str) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises((BadInput, FileProblem), match=message):
        mv.write(release(), tmp_path / name, **options)
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder.csv"]


def test_the_source_file_is_never_overwritten(tmp_path: Path) -> None:
    mv.write(households(), tmp_path / "in.csv", unprotected=True)
    before = (tmp_path / "in.csv").read_bytes()
    (tmp_path / "link.csv").symlink_to(tmp_path / "in.csv")
    os.link(tmp_path / "in.csv", tmp_path / "hard.csv")
    data = mv.read(tmp_path / "in.csv")
    masked = mv.mask.Round(base=10).apply(data, columns=["income"])
    for target in ("in.csv", "link.csv", "hard.csv"):
        for source in (data, masked):
            with pytest.raises(FileProblem, match="is the file the data were read from; write to another name"):
                mv.write(source, tmp_path / target, unprotected=source is data)
    assert (tmp_path / "in.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("column", "ending", "message"),
    [
        (pa.array([float("inf")]), "csv", "column 'c' has infinite values"),
        (pa.array([[1]]), "csv", "column 'c' holds list<.*>; text, numbers"),
        (pa.array([1], pa.duration("s")), "parquet", r"column 'c' holds duration\[s\]; text, numbers"),
        (pa.array(["a\0b"]), "csv", "text in column 'c' holds zero characters, which CSV cannot keep; write Parquet"),
        (pa.array(["a\0b"]), "dta", "text in column 'c' holds zero characters, which Stata cannot keep"),
        (
            pa.array(["", None, "x"]),
            "dta",
            "column 'c' has both empty text and missing values, which Stata cannot tell apart",
        ),
        (pa.array(["", None, "x"]), "sav", "which SPSS cannot tell apart; write Parquet or CSV"),
        (
            pa.array(["x", "x "]),
            "sav",
            "text in column 'c' ends in blanks or holds zero characters, which SPSS cannot keep",
        ),
        (pa.array(["x" * 40_000]), "sav", "text in column 'c' is longer than 32767 bytes"),
        (
            pa.array([2**60 + 1, 2**60]).cast(pa.string()).cast(pa.int64()),
            "sav",
            "column 'c' holds whole numbers beyond 2\\^53",
        ),
        (pa.array([1e308]), "dta", r"column 'c' holds numbers beyond 8.9e\+307, which Stata cannot keep"),
        (pa.array(["a\x07"]), "xlsx", "text in column 'c' is too long for a cell or holds control characters"),
    ],
)
def test_what_a_format_cannot_hold(tmp_path: Path, column: pa.Array, ending: str, message: str) -> None:
    data = mv.Microdata(pa.table({"c": column}), kinds={"c": "nominal"})
    with pytest.raises(BadInput, match=message):
        mv.write(data, tmp_path / f"out.{ending}", unprotected=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "ending"),
    [("a b", "dta"), ("1a", "dta"), ("int", "dta"), ("x" * 33, "dta"), ("a b", "sav"), ("_a", "sav"), ("with", "sav")],
)
def test_names_a_format_cannot_hold(tmp_path: Path, name: str, ending: str) -> None:
    with pytest.raises(BadInput, match=f"{name!r} cannot be a name in S"):
        mv.write(pa.table({name: [1]}), tmp_path / f"out.{ending}", unprotected=True)


def test_names_that_differ_in_case_only(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="'Age' and 'age' are the same name to SPSS"):
        mv.write(pa.table({"age": [1], "Age": [2]}), tmp_path / "out.sav", unprotected=True)
    mv.write(pa.table({"age": [1], "Age": [2]}), tmp_path / "out.dta", unprotected=True)


# -- whole or not at all -------------------------------------------------------------------------


@pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), KeyboardInterrupt(), MemoryError()])
@pytest.mark.parametrize("stage", ["create", "fill", "verify", "hash", "disk", "rename"])
def test_nothing_is_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str, problem: BaseException
) -> None:
    target = tmp_path / "out.csv"
    target.write_text("as it was")

    def fail(*args: object, **options: object) -> None:
        raise problem

    places = {
        "create": (os, "open"),
        "fill": (__import__("microveil.io.csv_write", fromlist=["x"]), "_write"),
        "verify": (verifying, "verify"),
        "hash": (writing, "sha256_of"),
        "disk": (atomic, "_to_disk"),
        "rename": (os, "replace"),
    }
    with monkeypatch.context() as patch:
        patch.setattr(*places[stage], fail)
        with pytest.raises((FileProblem, OSError, KeyboardInterrupt, MemoryError)) as caught:
            mv.write(mixed_table(), target, unprotected=True)
    if isinstance(problem, OSError) and stage in ("create", "fill", "disk", "rename"):
        assert isinstance(caught.value, FileProblem)
        assert str(caught.value).endswith("cannot be written: No space left on device; nothing was written")
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.csv"]
    assert target.read_text() == "as it was"


@pytest.mark.parametrize("ending", WRITABLE)
def test_a_file_that_comes_back_otherwise_is_not_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    real = verifying.read_contents

    def tampered(*args: Any, **options: Any) -> Any:
        from dataclasses import replace

        found = real(*args, **options)
        names = found.table.column_names
        return replace(found, table=found.table.set_column(1, names[1], pa.array([7] * found.table.num_rows)))

    monkeypatch.setattr(verifying, "read_contents", tampered)
    with pytest.raises(
        FileProblem, match=r"cannot hold column 'age': its values would come back differently.*nothing was written"
    ):
        mv.write(pa.table({"x": [1.5, 2.5], "age": [30, 40]}), tmp_path / f"out.{ending}", unprotected=True)
    assert not list(tmp_path.iterdir())


def test_permissions_are_those_of_any_new_file(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        mv.write(households(), tmp_path / "out.csv", unprotected=True)
        (tmp_path / "plain").touch()
    finally:
        os.umask(mask)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("out.csv", "plain")]
    assert modes == [0o640, 0o640]


def test_the_result_tells_what_was_written(tmp_path: Path) -> None:
    import hashlib

    written = mv.write(release(), tmp_path / "out.csv", reproducible=True)
    assert written.path == tmp_path / "out.csv"
    assert (written.rows, written.columns) == (60, ("household", "income", "age"))
    assert written.sha256 == hashlib.sha256((tmp_path / "out.csv").read_bytes()).hexdigest()
    with pytest.raises(AttributeError):
        written.rows = 0  # type: ignore[misc]


# -- dates ---------------------------------------------------------------------------------------


def test_dates_in_csv_show_no_time_of_day(tmp_path: Path) -> None:
    import datetime as dt

    moments = [dt.datetime(2024, 12, 14), dt.datetime(2023, 1, 2), None]  # noqa: DTZ001 - dates of a survey
    times = [dt.datetime(2024, 12, 14, 10, 30), dt.datetime(2023, 1, 2), None]  # noqa: DTZ001
    table = pa.table({"day": pa.array(moments, pa.timestamp("us")), "at": pa.array(times, pa.timestamp("us"))})
    written = mv.write(table, tmp_path / "out.csv", shuffle=False, unprotected=True)
    assert (tmp_path / "out.csv").read_text() == (
        "day,at\n2024-12-14,2024-12-14 10:30:00\n2023-01-02,2023-01-02 00:00:00\n,\n"
    )
    assert written.notes == ("moments in 'day' are all at midnight and were written as dates",)


# -- refused before a long run ---------------------------------------------------------------------


def test_a_place_is_checked_before_a_long_run(tmp_path: Path) -> None:
    data = mv.Microdata(households())
    mv.io.check_writable(data, tmp_path / "out.csv")
    mv.io.check_writable(data, tmp_path / "new" / "out.csv", new_folder=True)
    with pytest.raises(FileProblem, match=r"there is no folder '.*/new' to write to; make it first"):
        mv.io.check_writable(data, tmp_path / "new" / "out.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(FileProblem, match=r"folder.csv' is a folder; name a file in it"):
        mv.io.check_writable(data, tmp_path / "folder.csv", new_folder=True)
    with pytest.raises(BadInput, match="SAS files can be read, not written"):
        mv.io.check_writable(data, tmp_path / "out.sas7bdat")
    mv.write(households(), tmp_path / "in.csv", unprotected=True)
    with pytest.raises(FileProblem, match="is the file the data were read from; write to another name"):
        mv.io.check_writable(mv.read(tmp_path / "in.csv"), tmp_path / "in.csv")


@pytest.mark.parametrize(
    ("name", "ending"),
    [("a.b.CSV", ".csv"), ("a.b.csv.GZ", ".csv.gz"), ("a.parquet", ".parquet"), ("x.y.tsv.gz", ".tsv.gz")],
)
def test_the_ending_that_is_remembered(name: str, ending: str) -> None:
    assert ending_of(Path(name)) == ending


def test_a_release_remembers_how_it_was_written(tmp_path: Path) -> None:
    one = release()
    digest = mv.write(one, tmp_path / "a.csv", delimiter=";", shuffle=False, reproducible=True).sha256
    assert [options.to_mapping() for options in one.written] == [
        {
            "ending": ".csv",
            "shuffle": False,
            "delimiter": ";",
            "keep_identifiers": False,
            "titles": False,
            "formulas": "keep",
            "reproducible": True,
            "sha256": digest,
        }
    ]


def test_guessable_keys_and_columns_that_came_back_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="the seed of this release can be guessed"):
        mv.write(release(seed=1), tmp_path / "out.csv")
    with pytest.warns(NothingHidden):
        whole = mv.mask.Round(base=1).apply(pa.table({"x": [10, 20, 30]}))
    with pytest.raises(BrokenPromise, match="nothing was written"):
        mv.write(whole, tmp_path / "out.csv")
    assert not list(tmp_path.iterdir())
    mv.write(release(seed=None), tmp_path / "out.csv")


def test_defaults_of_writing(tmp_path: Path) -> None:
    book = Codebook({}, {"age": "Age in years"})
    data = mv.Microdata(households(), roles=ROLES, codebook=book)
    written = mv.write(data, tmp_path / "out.sav", seed=1, unprotected=True)
    assert written.columns == ("household", "income", "age")
    back = mv.read(tmp_path / "out.sav")
    assert back.codebook.titles == {}
    assert back.frame["age"].to_pylist() != households()["age"].to_pylist()
    mv.write(data, tmp_path / "titled.sav", titles=True, unprotected=True)
    assert mv.read(tmp_path / "titled.sav").codebook.titles == {"age": "Age in years"}
