"""What is written comes back: every format, every frame library."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
import textwrap
from decimal import Decimal
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microveil as mv
from microveil.core.errors import BadInput
from microveil.io.formats import format_of
from microveil.io.formats.format import Options
from microveil.io.reading import read_contents
from tests.io.frames import LIBRARIES, WRITABLE, as_rows, in_library, mixed_table

HELD = {  # the types that come back; SPSS and XLSX know one kind of number, SPSS and Stata no true and false
    "csv": "double double int64 string string string bool date32[day] timestamp[us]",
    "parquet": "double double int64 string string string bool date32[day] timestamp[us]",
    "feather": "double double int64 string string string bool date32[day] timestamp[us]",
    "dta": "double double int64 string string string int64 date32[day] timestamp[us]",
    "sav": "double int64 int64 string string string int64 date32[day] timestamp[us]",
    "xlsx": "double int64 int64 string string string bool date32[day] timestamp[us]",
}
SAME = {"tsv": "csv", "txt": "csv", "csv.gz": "csv", "arrow": "feather", "zsav": "sav"}


def for_format(ending: str) -> pa.Table:
    table = mixed_table()
    if ending == "xlsx":  # sheets count days from 1900
        table = table.drop_columns("born").append_column(
            "born", pa.array([None, *[pd.Timestamp("2020-02-03")] * 5], pa.timestamp("us")).cast(pa.date32())
        )
        return table.select(mixed_table().column_names)
    return table


@pytest.mark.parametrize("ending", WRITABLE)
def test_every_value_and_type_comes_back(tmp_path: Path, ending: str) -> None:
    table = for_format(ending)
    written = mv.write(table, tmp_path / f"out.{ending}", unprotected=True)
    back = mv.read(tmp_path / f"out.{ending}").frame
    assert [str(kind) for kind in back.schema.types] == HELD[SAME.get(ending, ending)].split()
    assert written.rows == 6
    assert written.columns == tuple(table.column_names)
    assert as_rows(back) == as_rows(table)  # True == 1, so SPSS and Stata compare as well


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    "ending",
    ["csv", "xlsx", *(pytest.param(one, marks=pytest.mark.full) for one in ("parquet", "feather", "sav", "dta"))],
)
def test_every_library_writes_the_same_bytes(tmp_path: Path, library: str, ending: str) -> None:
    table = for_format(ending)
    expected = mv.write(table, tmp_path / f"plain.{ending}", seed=7, unprotected=True)
    written = mv.write(in_library(table, library), tmp_path / f"other.{ending}", seed=7, unprotected=True)
    if library == "pandas":  # plain pandas makes whole numbers with gaps floating
        first, second = mv.read(tmp_path / f"plain.{ending}"), mv.read(tmp_path / f"other.{ending}")
        assert mv.io.fingerprint(first) == mv.io.fingerprint(second)
    else:
        assert written.sha256 == expected.sha256


@pytest.mark.parametrize("backend", ["pyarrow", "pandas", "polars"])
def test_read_gives_the_library_asked_for(tmp_path: Path, backend: str) -> None:
    mv.write(mixed_table(), tmp_path / "out.csv", unprotected=True)
    data = mv.read(tmp_path / "out.csv", backend=backend)
    assert type(data.frame).__module__.startswith(backend)
    assert data.n == 6


def test_an_unknown_backend_is_refused(tmp_path: Path) -> None:
    mv.write(mixed_table(), tmp_path / "out.csv", unprotected=True)
    with pytest.raises(ValueError, match=r"no backend called 'dask'; there are \['pyarrow', 'pandas', 'polars'\]"):
        mv.read(tmp_path / "out.csv", backend="dask")


text = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
tricky = st.sampled_from(
    [
        "",
        "NA",
        "None",
        "01",
        "1",
        "1.0",
        "+1",
        "1e5",
        " x",
        "x ",
        "true",
        "2020-01-01",
        "10:11:12",
        '"',
        '""',
        ",",
        "\r",
        "\n",
        "\r\n",
        "'",
        "nan",
        "-",
    ]
)


@given(
    st.lists(st.tuples(st.none() | text | tricky, st.none() | tricky), min_size=1, max_size=12),
    st.sampled_from(",;\t|"),
)
def test_text_survives_csv(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str | None, str | None]], delimiter: str
) -> None:
    path = tmp_path_factory.mktemp("text") / "out.csv"
    table = pa.table(
        {"a": pa.array([row[0] for row in rows], pa.string()), "b": pa.array([row[1] for row in rows], pa.string())}
    )
    mv.write(table, path, delimiter=delimiter, shuffle=False, unprotected=True)
    back = mv.read(path).frame
    assert back.column_names == ["a", "b"]
    assert back.to_pydict() == table.to_pydict()


@given(st.lists(st.none() | text | tricky, min_size=1, max_size=12))
def test_one_text_column_survives_csv(tmp_path_factory: pytest.TempPathFactory, cells: list[str | None]) -> None:
    path = tmp_path_factory.mktemp("text") / "out.csv"
    mv.write(pa.table({"only": pa.array(cells, pa.string())}), path, shuffle=False, unprotected=True)
    assert mv.read(path).frame["only"].to_pylist() == cells


@given(st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_numbers_come_back_with_the_same_bits(
    tmp_path_factory: pytest.TempPathFactory, cells: list[float | None]
) -> None:
    path = tmp_path_factory.mktemp("numbers") / "out.csv"
    table = pa.table({"x": pa.array(cells, pa.float64()), "y": list(range(len(cells)))})
    # nominal, and as a table: amounts are not that large
    mv.write(mv.Microdata(table, kinds={"x": "nominal"}), path, shuffle=False, unprotected=True)
    back = read_contents(path, Options(), format_of(path)).table["x"].to_pylist()
    assert [None if x is None else x + 0.0 for x in cells] == back


@pytest.mark.long
@settings(max_examples=3)  # each reads three files in processes of their own
@given(
    st.lists(
        st.text(
            st.characters(exclude_characters="\0", exclude_categories=["Cs", "Cc", "Zs"]), min_size=1, max_size=300
        ),
        min_size=1,
        max_size=6,
    )
)
def test_text_survives_spss_and_stata(tmp_path_factory: pytest.TempPathFactory, cells: list[str]) -> None:
    folder = tmp_path_factory.mktemp("text")
    for ending in ("sav", "zsav", "dta"):
        mv.write(
            pa.table({"t": cells, "n": list(range(len(cells)))}),
            folder / f"out.{ending}",
            shuffle=False,
            unprotected=True,
        )
        assert mv.read(folder / f"out.{ending}").frame["t"].to_pylist() == cells


def test_classes_are_the_same_after_reading_back(tmp_path: Path) -> None:
    words = ["NA", "None", "01", "1", "1.0", "", "true", "NaN", None, " 1"]
    for ending in ("csv", "parquet", "feather"):
        mv.write(pa.table({"key": words}), tmp_path / f"k.{ending}", unprotected=True)
        assert set(mv.read(tmp_path / f"k.{ending}").frame["key"].to_pylist()) == set(words)


def test_readers_that_ignore_quotes_are_warned_of(tmp_path: Path) -> None:
    notes = mv.write(pa.table({"key": ["01", "1"], "w": ["NA", "x"]}), tmp_path / "k.csv", unprotected=True).notes
    assert len(notes) == 2
    assert notes[0].startswith("text in 'key' looks like numbers; it stands in quotes")
    assert notes[1].startswith("text in 'w' holds words such as NA")


def test_stata_files_are_read_alike_by_pandas(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    table = pa.table(
        {
            "x": rng.normal(size=50),
            "small": pa.array(rng.integers(-100, 100, 50), mask=rng.random(50) < 0.3),
            "mid": rng.integers(-30_000, 30_000, 50),
            "large": rng.integers(-(2**31) + 1, 2**31 - 100, 50),
            "huge": rng.integers(-(2**50), 2**50, 50),
            "t": [f"wört {i}" for i in range(50)],
            "essay": ["long " * 600 + str(i % 7) for i in range(50)],
            "single": pa.array(rng.normal(size=50).astype(np.float32), mask=rng.random(50) < 0.3),
        }
    )
    mv.write(table, tmp_path / "out.dta", shuffle=False, unprotected=True)
    seen = pd.read_stata(tmp_path / "out.dta")
    for name in table.column_names:
        expected = table[name].to_pandas()
        if expected.dtype == object or str(expected.dtype).startswith("str"):
            assert seen[name].tolist() == expected.tolist()
        else:
            np.testing.assert_array_equal(seen[name].to_numpy(float), expected.to_numpy(float))


def test_times_of_day_are_milliseconds_in_stata(tmp_path: Path) -> None:
    times = [dt.time(0, 0, 1), dt.time(13, 45, 30), None]
    mv.write(pa.table({"t": pa.array(times, pa.time64("us"))}), tmp_path / "out.dta", shuffle=False, unprotected=True)
    raw, _ = pyreadstat.read_dta(str(tmp_path / "out.dta"), disable_datetime_conversion=True)
    assert raw["t"].tolist()[:2] == [1000.0, ((13 * 60 + 45) * 60 + 30) * 1000.0]
    assert raw["t"].isna().tolist() == [False, False, True]


def test_many_records_cross_the_blocks_of_compressed_spss(tmp_path: Path) -> None:
    n = 150_000
    table = pa.table(
        {"a": np.arange(n), "b": np.arange(n) / 7, "c": pa.array(np.arange(n) * 1.5, mask=np.arange(n) % 3 == 0)}
    )
    mv.write(table, tmp_path / "out.zsav", shuffle=False, unprotected=True)
    assert mv.read(tmp_path / "out.zsav").frame.to_pydict() == table.to_pydict()


def test_sas_transport_files_can_be_read(tmp_path: Path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame(
        {"AGE": [31.0, 44.0, np.nan], "CITY": ["Bern", "", "Basel"], "BORN": pd.to_datetime(["1990-05-06"] * 3)}
    )
    pyreadstat.write_xport(frame, str(tmp_path / "in.xpt"), variable_format={"BORN": "DATETIME20."})
    assert mv.read(tmp_path / "in.xpt").frame.to_pylist() == [
        {"AGE": 31, "CITY": "Bern", "BORN": pd.Timestamp("1990-05-06")},
        {"AGE": 44, "CITY": None, "BORN": pd.Timestamp("1990-05-06")},
        {"AGE": None, "CITY": "Basel", "BORN": pd.Timestamp("1990-05-06")},
    ]


@pytest.mark.full  # make test-core runs much more without them
def test_neither_pandas_nor_polars_is_needed(tmp_path: Path) -> None:
    script = """
        import sys
        class Absent:
            def find_spec(self, name, path=None, target=None):
                if name.partition(".")[0] in ("pandas", "polars"):
                    raise ModuleNotFoundError(name)
        sys.meta_path.insert(0, Absent())
        import pyarrow as pa, microveil as mv
        for ending in sys.argv[2].split():
            mv.write(pa.table({"a": [1, None], "t": ["x", "y"]}), f"{sys.argv[1]}/out.{ending}", unprotected=True)
            assert mv.read(f"{sys.argv[1]}/out.{ending}").n == 2
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script), str(tmp_path), " ".join(WRITABLE)], check=True)


def test_categories_come_back_from_feather_in_order(tmp_path: Path) -> None:
    size = pd.Categorical(["low", "high", "low"], categories=["low", "mid", "high"], ordered=True)
    place = pd.Categorical(["b", "a", "b"], categories=["z", "b", "a"])
    mv.write(pd.DataFrame({"size": size, "place": place}), tmp_path / "out.feather", unprotected=True)
    back = mv.read(tmp_path / "out.feather").frame
    assert back["size"].chunk(0).dictionary.to_pylist() == ["low", "high"]
    assert back["size"].type.ordered
    assert back["place"].chunk(0).dictionary.to_pylist() == ["a", "b"]
    assert not back["place"].type.ordered


def test_polars_categories_are_written_everywhere(tmp_path: Path) -> None:
    frame = pl.DataFrame({"c": ["x", "y", "x"], "e": ["lo", "hi", "lo"]}).with_columns(
        pl.col("c").cast(pl.Categorical), pl.col("e").cast(pl.Enum(["lo", "mid", "hi"]))
    )
    for ending in WRITABLE:
        mv.write(frame, tmp_path / f"out.{ending}", unprotected=True)
        assert sorted(mv.read(tmp_path / f"out.{ending}").frame["e"].to_pylist()) == ["hi", "lo", "lo"]


def test_single_precision_means_its_shortest_text(tmp_path: Path) -> None:
    table = pa.table({"x": pa.array([0.1, 2.5, None, 1e-7], pa.float32()), "n": [1, 2, 3, 4]})
    for ending in WRITABLE:
        mv.write(table, tmp_path / f"out.{ending}", shuffle=False, unprotected=True)
        back = mv.read(tmp_path / f"out.{ending}").frame["x"]
        assert back.cast(pa.float32()).to_pylist() == table["x"].to_pylist()
        if back.type == pa.float64():
            assert back.to_pylist() == [0.1, 2.5, None, 1e-7]


def test_columns_that_mix_types_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="column 'a' mixes types such as text and numbers; make it one type"):
        mv.write(mv.Microdata(pd.DataFrame({"a": [1, "x"], "b": [1, 2]})), tmp_path / "out.csv", unprotected=True)


# -- XLSX --------------------------------------------------------------------------------------------


def openpyxl_column(path: Path) -> list[object]:
    book = openpyxl.load_workbook(path, read_only=True)
    cells = [row[0] for row in book.worksheets[0].iter_rows(min_row=2, values_only=True)]
    book.close()
    return cells


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_every_floating_number_comes_back_from_a_sheet(tmp_path_factory: pytest.TempPathFactory, values: list[float]):
    path = tmp_path_factory.mktemp("sheet") / "out.xlsx"
    data = mv.Microdata(pa.table({"x": values}), kinds={"x": "nominal"})  # amounts are not that large
    mv.write(data, path, shuffle=False, unprotected=True)
    assert openpyxl_column(path) == values


def test_noise_of_full_precision_can_be_written_as_a_sheet(tmp_path: Path) -> None:
    fine = np.random.default_rng(0).lognormal(8, 1, 300)
    release = mv.mask.UncorrelatedNoise().apply(pd.DataFrame({"x": fine}), seed=1)
    mv.write(release, tmp_path / "out.xlsx", shuffle=False, reproducible=True)
    assert openpyxl_column(tmp_path / "out.xlsx") == release.frame["x"].tolist()


def test_moments_at_midnight_are_dates_in_a_sheet(tmp_path: Path) -> None:
    days = [dt.datetime(1904, 1, 1), dt.datetime(2020, 2, 29), None]  # noqa: DTZ001 - files know no zone
    pyreadstat.write_sav(pd.DataFrame({"x": days, "n": [1.0, 2.0, 3.0]}), str(tmp_path / "in.sav"))
    data = mv.read(tmp_path / "in.sav")
    assert data.frame["x"].type == pa.timestamp("us")
    written = mv.write(data, tmp_path / "out.xlsx", shuffle=False, unprotected=True)
    assert written.notes == ("moments in 'x' are all at midnight and were written as dates",)
    assert openpyxl_column(tmp_path / "out.xlsx") == days


@pytest.mark.parametrize(
    ("moment", "message"),
    [
        (dt.datetime(2020, 1, 1, 1, 2, 3, 456789), "times finer than a millisecond, which XLSX cannot keep"),  # noqa: DTZ001
        (dt.time(1, 2, 3, 456789), "times finer than a millisecond, which XLSX cannot keep"),
        (dt.date(1899, 12, 31), "days before 1900, which XLSX cannot keep"),
        (2**53 + 1, r"whole numbers beyond 2\^53, which XLSX cannot keep"),
    ],
)
def test_what_a_sheet_cannot_hold_is_said(tmp_path: Path, moment: object, message: str) -> None:
    with pytest.raises(BadInput, match=f"column 'x' holds {message}"):
        mv.write(pa.table({"x": [moment]}), tmp_path / "out.xlsx", unprotected=True)


def test_records_without_any_value_are_refused_or_told(tmp_path: Path) -> None:
    table = pa.table({"x": [1, None, 3], "y": ["a", None, None]})
    with pytest.raises(BadInput, match=r"1 record has no value in any column, which readers of XLSX take for the end"):
        mv.write(table, tmp_path / "out.xlsx", unprotected=True)
    written = mv.write(table.select(["x"]), tmp_path / "out.csv", unprotected=True)
    assert written.notes == ("records without a value are empty lines, which some readers skip",)
    assert mv.read(tmp_path / "out.csv").n == 3


def test_decimals_count_by_their_digits_not_by_their_type(tmp_path: Path) -> None:
    mv.write(
        pl.DataFrame({"x": [Decimal("1.50"), Decimal("2.25")]}), tmp_path / "out.csv", shuffle=False, unprotected=True
    )
    assert mv.read(tmp_path / "out.csv").frame["x"].to_pylist() == [1.5, 2.25]
    with pytest.raises(BadInput, match=r"column 'x' holds decimal128.*, more digits than a file keeps"):
        mv.write(pl.DataFrame({"x": [Decimal("1234567890123456.5")]}), tmp_path / "out.csv", unprotected=True)


def test_a_sheet_does_not_say_which_program_wrote_it(tmp_path: Path) -> None:
    import zipfile

    mv.write(pa.table({"a": [1, 2]}), tmp_path / "out.xlsx", unprotected=True)
    with zipfile.ZipFile(tmp_path / "out.xlsx") as book:
        app = book.read("docProps/app.xml")
        assert b"<Application>" not in app
        assert b"<AppVersion>" not in app
        assert book.read("docProps/core.xml").endswith(b'core-properties"/>')


def test_decimals_of_fifteen_digits_are_written_and_longer_ones_are_not(tmp_path: Path) -> None:
    fits = pa.table({"a": pa.array([Decimal("1234567890123.45")], pa.decimal128(15, 2))})
    mv.write(fits, tmp_path / "out.csv", unprotected=True)
    assert pd.read_csv(tmp_path / "out.csv")["a"].tolist() == [1234567890123.45]
    longer = pa.table({"a": pa.array([Decimal("12345678901234.56")], pa.decimal128(16, 2))})
    with pytest.raises(BadInput, match="more digits than a file keeps"):
        mv.write(longer, tmp_path / "other.csv", unprotected=True)


def test_wide_text_is_shown_forty_characters_wide_in_spss(tmp_path: Path) -> None:
    mv.write(pa.table({"t": ["x" * 100], "n": [1.5]}), tmp_path / "out.sav", unprotected=True)
    _, meta = pyreadstat.read_sav(str(tmp_path / "out.sav"))
    assert meta.variable_display_width == {"t": 40, "n": 8}
