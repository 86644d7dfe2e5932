"""Reading: types, missing values, labels, and one clear line for every bad file."""

from __future__ import annotations

import datetime as dt
import gzip
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pyreadstat
import pytest

import microveil as mv
from microveil.core.errors import BadInput, FileProblem, MicroveilError
from tests.io.frames import mixed_table
from tests.reference import shared_file

SECRET = "geheim123"


def csv(tmp_path: Path, content: str | bytes, name: str = "in.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def column(tmp_path: Path, *fields: str, **options: object) -> pa.ChunkedArray:
    path = csv(tmp_path, "x;other\n" + "".join(f"{field};0\n" for field in fields))
    return mv.read(path, **options).frame["x"]  # type: ignore[arg-type]


# -- types ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "kind", "values"),
    [
        (["1", "-2", ""], "int64", [1, -2, None]),
        (["1", "2.5", " 3"], "double", [1.0, 2.5, 3.0]),
        (["01", "2"], "string", ["01", "2"]),
        (["0", "0.5"], "double", [0.0, 0.5]),
        (["00.5", "1"], "string", ["00.5", "1"]),
        (["0x1F", "1"], "string", ["0x1F", "1"]),
        (["a1", "NA"], "string", ["a1", "NA"]),
        (['"1"', '"NA"'], "string", ["1", "NA"]),
        (["12345678901234567890", "1"], "string", ["12345678901234567890", "1"]),
        (["12345678901234567.5", "1"], "double", [12345678901234567.5, 1.0]),
        (["true", "false", ""], "bool", [True, False, None]),
        (["TRUE", "false"], "string", ["TRUE", "false"]),
        (["2020-01-31", ""], "date32[day]", [dt.date(2020, 1, 31), None]),
        (["2020-01-31", "2020-02-31"], "string", ["2020-01-31", "2020-02-31"]),
        (
            ["2020-01-31 10:00", "2020-01-31T10:00:01.5"],
            "timestamp[us]",
            [dt.datetime.fromisoformat("2020-01-31 10:00"), dt.datetime.fromisoformat("2020-01-31 10:00:01.500")],
        ),
        (["10:00:01", "23:59:59"], "time64[us]", [dt.time(10, 0, 1), dt.time(23, 59, 59)]),
        (["", ""], "string", [None, None]),
        (['"1"', '"2"', ""], "string", ["1", "2", None]),
        (['"1"', "2"], "int64", [1, 2]),
        (['"a;b"', '"c""d"', '""'], "string", ["a;b", 'c"d', ""]),
    ],
)
def test_types_are_decided_over_every_field(tmp_path: Path, fields: list[str], kind: str, values: list[object]) -> None:
    found = column(tmp_path, *fields)
    assert str(found.type) == kind
    assert found.to_pylist() == values


def test_the_last_of_many_fields_decides(tmp_path: Path) -> None:
    rows = "".join(f"{i},{i}.5\n" for i in range(150_000))
    frame = mv.read(csv(tmp_path, "a,b\n" + rows + "x1,7\n")).frame
    assert [str(kind) for kind in frame.schema.types] == ["string", "double"]
    assert frame["a"][-1].as_py() == "x1"


def test_a_file_that_quotes_everything_says_nothing_by_it(tmp_path: Path) -> None:
    frame = mv.read(csv(tmp_path, '"id","age"\n"01","31"\n"02",""\n')).frame
    assert frame.to_pydict() == {"id": ["01", "02"], "age": [31, None]}


def test_listed_words_are_missing_and_free_a_number_column(tmp_path: Path) -> None:
    path = csv(tmp_path, "x,y,t\n1,NA,NA\n2,3.5,b\nNA,-9,c\n")
    data = mv.read(path, missing=["NA", -9])
    assert data.frame.to_pydict() == {"x": [1, 2, None], "y": [None, 3.5, -9.0], "t": ["NA", "b", "c"]}
    assert data.values("y").missing.tolist() == [True, False, True]
    assert data.values("t").missing.tolist() == [True, False, False]
    only = mv.read(path, missing={"x": ["NA"]}, kinds={"y": "nominal"})
    assert [str(kind) for kind in only.frame.schema.types] == ["int64", "string", "string"]


@pytest.mark.parametrize("word", ["NA", "nan", "inf", "-Infinity", ".", "NULL", "#DIV/0!", "#N/A", "#REF!", "#¡VALOR!"])
def test_words_among_numbers_are_never_taken_for_categories_silently(tmp_path: Path, word: str) -> None:
    path = csv(tmp_path, f"x,y\n1,2\n{word},3\n4.5,5\n")
    with pytest.raises(
        BadInput, match=re.escape(f"column 'x' holds numbers and ['{word}'] (first in line 3): if these")
    ):
        mv.read(path)
    assert mv.read(path, kinds={"x": "nominal"}).frame["x"].to_pylist() == ["1", word, "4.5"]
    assert mv.read(path, missing=[word]).frame["x"].to_pylist() == [1.0, None, 4.5]


def test_decimal_comma(tmp_path: Path) -> None:
    assert column(tmp_path, "1,5", "2", decimal=",").to_pylist() == [1.5, 2.0]
    assert column(tmp_path, "1.000,5", "2", decimal=",").to_pylist() == [1000.5, 2.0]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(tmp_path: Path, mark: str) -> None:
    assert mv.read(csv(tmp_path, f'a{mark}"b,;|"\n1{mark}2\n', "in.txt")).frame.to_pydict() == {"a": [1], "b,;|": [2]}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends_and_byte_order_mark(tmp_path: Path, newline: str) -> None:
    path = csv(tmp_path, "\ufeff" + newline.join(["", "a,b", '"x\ny",1', "z,2", "", ""]))
    assert mv.read(path).frame.to_pydict() == {"a": ["x\ny", "z"], "b": [1, 2]}


def test_other_encodings_when_named(tmp_path: Path) -> None:
    assert mv.read(csv(tmp_path, "ä\nö\n".encode("cp1252")), encoding="cp1252").frame.to_pydict() == {"ä": ["ö"]}
    assert mv.read(csv(tmp_path, "ä\nö\n".encode("utf-16")), encoding="utf-16").frame.to_pydict() == {"ä": ["ö"]}


def test_the_reference_files_have_their_shape() -> None:
    data = mv.read(shared_file("data", "testdata.csv"), roles={"ori_hid": "household"})
    assert (data.n, len(data.columns)) == (4580, 15)
    assert mv.read(shared_file("data", "eia.csv")).frame["UTILNAME"].type == pa.string()


# -- labels --------------------------------------------------------------------------------------


def labelled(path: Path) -> Path:
    frame = pd.DataFrame(
        {
            "sex": [1.0, 2.0, 1.0, 9.0],
            "size": [1.0, 2.0, 3.0, 1.0],
            "income": [100.5, -1.0, -5.0, 7.0],
            "region": ["n", "s", "n", "x"],
        }
    )
    pyreadstat.write_sav(
        frame,
        str(path),
        column_labels={"sex": "Sex of the person"},
        variable_value_labels={
            "sex": {1.0: "man", 2.0: "woman", 9.0: "refused"},
            "size": {1.0: "S", 2.0: "M", 3.0: "L"},
            "region": {"n": "north", "s": "south"},
        },
        missing_ranges={"sex": [9], "income": [{"lo": -10, "hi": -1}], "region": ["x"]},
        variable_measure={"size": "ordinal"},
    )
    return path


def test_spss_labels_kinds_and_missing_codes(tmp_path: Path) -> None:
    data, codebook = mv.io.read_with_codebook(labelled(tmp_path / "in.sav"))
    assert codebook.labels == {
        "sex": {1: "man", 2: "woman", 9: "refused"},
        "size": {1: "S", 2: "M", 3: "L"},
        "region": {"n": "north", "s": "south"},
    }
    assert codebook.titles == {"sex": "Sex of the person"}
    assert data.codebook is codebook
    assert data.frame["sex"].to_pylist() == [1, 2, 1, 9]
    assert data.schema["sex"].missing == (9,)
    assert data.schema["income"].missing == (-5.0, -1.0)
    assert data.schema["region"].missing == ("x",)
    assert data.kinds == {"sex": "nominal", "size": "ordinal", "income": "continuous", "region": "nominal"}
    assert data.values("income").missing.tolist() == [False, True, True, False]
    assert data.with_(roles={"sex": "key"}).codebook is codebook


def test_kinds_stated_by_the_user_win(tmp_path: Path) -> None:
    assert mv.read(labelled(tmp_path / "in.sav"), kinds={"size": "continuous"}).kinds["size"] == "continuous"


@pytest.mark.parametrize("ending", ["sav", "zsav", "dta"])
def test_labels_that_still_occur_are_written(tmp_path: Path, ending: str) -> None:
    data = mv.read(labelled(tmp_path / "in.sav"))
    mv.write(data, tmp_path / f"out.{ending}", titles=True, unprotected=True)
    back, codebook = mv.io.read_with_codebook(tmp_path / f"out.{ending}")
    expected = {"sex": {1: "man", 2: "woman"}, "size": {1: "S", 2: "M", 3: "L"}}
    if ending != "dta":  # Stata labels numbers only
        expected |= {"region": {"n": "north", "s": "south"}}
    assert codebook.labels == expected
    assert codebook.titles == {"sex": "Sex of the person"}
    assert sorted(back.frame["sex"].to_pylist(), key=str) == [1, 1, 2, None]


def test_labels_of_long_text(tmp_path: Path) -> None:
    frame = pd.DataFrame({"region": ["north-east", "south-west"]})
    pyreadstat.write_sav(
        frame, str(tmp_path / "in.sav"), variable_value_labels={"region": {"north-east": "NE", "unused-one": "U"}}
    )
    mv.write(mv.read(tmp_path / "in.sav"), tmp_path / "out.sav", unprotected=True)
    assert mv.read(tmp_path / "out.sav").codebook.labels == {"region": {"north-east": "NE"}}


def test_durations_beyond_a_day_stay_numbers(tmp_path: Path) -> None:
    pyreadstat.write_sav(
        pd.DataFrame({"t": [3600.0, 90_000.0]}), str(tmp_path / "in.sav"), variable_format={"t": "TIME8"}
    )
    assert mv.read(tmp_path / "in.sav").frame["t"].to_pylist() == [3600.0, 90_000.0]


def test_the_unnamed_index_of_a_pandas_file_is_no_column(tmp_path: Path) -> None:
    pd.DataFrame({"a": [1, 2]}, index=[7, 9]).to_parquet(tmp_path / "in.parquet")
    assert mv.read(tmp_path / "in.parquet").columns == ("a",)
    pd.DataFrame({"a": [1, 2]}, index=pd.Index([7, 9], name="person")).to_parquet(tmp_path / "in.parquet")
    assert mv.read(tmp_path / "in.parquet").columns == ("a", "person")


def test_arrow_streams_can_be_read(tmp_path: Path) -> None:
    with pa.ipc.new_stream(tmp_path / "in.arrow", mixed_table().schema) as out:
        out.write_table(mixed_table())
    assert mv.read(tmp_path / "in.arrow").n == 6


def test_xlsx_sheets_and_mixed_columns(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    book.active.append(["a", "b"])
    book.active.append([1, 2])
    book.active.append(["x", 2.5])
    other = book.create_sheet("more")
    other.append(["c"])
    other.append([True])
    other.append([None])
    book.save(tmp_path / "in.xlsx")
    assert mv.read(tmp_path / "in.xlsx").frame.to_pydict() == {"a": ["1", "x"], "b": [2.0, 2.5]}
    assert mv.read(tmp_path / "in.xlsx", sheet="more").frame.to_pydict() == {"c": [True]}
    with pytest.raises(KeyError, match=r"has no sheet 'mor'; did you mean 'more'\?"):
        mv.read(tmp_path / "in.xlsx", sheet="mor")


# -- bad input -----------------------------------------------------------------------------------

BAD_CSV = {
    "empty": (b"", r"is empty: 0 bytes"),
    "blank": (b"\n\n", r"is empty: it has no header and no records"),
    "header only": (b"a,b\n", r"has a header and no records"),
    "ragged": (
        b"a,b\n1,2\n\n1,geheim123,3\n",
        r"line 4: 3 fields where the header has 2; repair that line or name the delimiter",
    ),
    "short": (b"a,b\n1,2\n3\n", r"line 3: 1 field where the header has 2"),
    "ragged after a broken line": (b'a,b\n"x\ny",2\ngeheim123\n', r"line 4: 1 field where"),
    "open quote": (b'a,b\n1,2\n"geheim123,3\n4,5\n', r"line 3: a quotation mark is opened and never closed"),
    "zero bytes": (b"a,b\n1,\x002\n", r"is not text: byte 7 is zero"),
    "duplicate": (
        b"a,b,a\n1,2,3\n",
        r"line 1: the column name 'a' occurs more than once \(columns 1 and 3\); rename one of them",
    ),
    "no name": (b'"","b"\n1,2\n', r"line 1: column 1 has no name \(row numbers\?\); name it or remove the column"),
    "parquet inside": (b"PAR1geheim123", r"is not CSV but Parquet by its content; give it the ending .parquet"),
    "gzip inside": (
        gzip.compress(b"a\n1\n"),
        r"is compressed by its content; unpack it or, for CSV, end its name in .csv.gz",
    ),
}


@pytest.mark.parametrize("case", BAD_CSV)
def test_bad_csv_is_one_clear_line(tmp_path: Path, case: str) -> None:
    content, message = BAD_CSV[case]
    with pytest.raises(BadInput, match=message) as caught:
        mv.read(csv(tmp_path, content))
    assert "\n" not in str(caught.value)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_a_missing_file_offers_the_nearest(tmp_path: Path) -> None:
    csv(tmp_path, "a\n1\n", "survey.csv")
    with pytest.raises(FileProblem, match=r"there is no file '.*/surve.csv'; did you mean 'survey.csv'\?"):
        mv.read(tmp_path / "surve.csv")
    with pytest.raises(FileProblem, match=r"there is no file .*; nor is there a folder '.*/none'"):
        mv.read(tmp_path / "none" / "survey.csv")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "x.csv").mkdir()
    with pytest.raises(FileProblem, match="is a folder; name a file in it"):
        mv.read(tmp_path / "x.csv")


@pytest.mark.parametrize("name", ["data.xls", "data"])
def test_unknown_endings_list_the_known(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match=r"'data(.xls)?' has (.xls|no ending); known are .csv, .tsv, .*, .xlsx$"):
        mv.read(csv(tmp_path, "a\n1\n", name))


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = csv(tmp_path, "a\n1\n")

    def refuse(*args: object, **options: object) -> None:
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr(Path, "open", refuse)  # a superuser may read anything, so that permission bits say nothing
    with pytest.raises(FileProblem, match=r"cannot be read: Permission denied"):
        mv.read(path)


@pytest.mark.parametrize("ending", ["parquet", "feather", "arrow", "sav", "zsav", "dta", "xlsx", "csv.gz"])
@pytest.mark.parametrize("kept", [0.2, 0.9])
def test_cut_files_are_told(tmp_path: Path, ending: str, kept: float) -> None:
    mv.write(mixed_table().drop_columns("born"), tmp_path / f"in.{ending}", unprotected=True)
    raw = (tmp_path / f"in.{ending}").read_bytes()
    (tmp_path / f"in.{ending}").write_bytes(raw[: int(len(raw) * kept)])
    with pytest.raises(
        FileProblem, match=r"is damaged or cut short: it cannot be read as .*; get a fresh copy"
    ) as caught:
        mv.read(tmp_path / f"in.{ending}")
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("ending", ["parquet", "feather", "sav", "dta", "sas7bdat", "xpt", "xlsx"])
def test_content_that_does_not_match_the_ending(tmp_path: Path, ending: str) -> None:
    with pytest.raises(BadInput, match=r"does not begin as an? .* file does; it is damaged or of another format"):
        mv.read(csv(tmp_path, "Alter,b\n1,2\n", f"in.{ending}"))
    pq.write_table(pa.table({"a": [1]}), tmp_path / "real.parquet")
    if ending != "parquet":
        (tmp_path / f"in.{ending}").write_bytes((tmp_path / "real.parquet").read_bytes())
        with pytest.raises(BadInput, match=r"but Parquet by its content; give it the ending .parquet"):
            mv.read(tmp_path / f"in.{ending}")


def test_plain_text_called_gz(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"ends in .gz but is not compressed; drop .gz from its name"):
        mv.read(csv(tmp_path, "a\n1\n", "in.csv.gz"))


@pytest.mark.parametrize("ending", ["parquet", "feather", "sav", "dta", "xlsx"])
def test_no_records(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"in.{ending}"
    table = pa.table({"a": pa.array([], pa.float64())})
    if ending == "parquet":
        pq.write_table(table, path)
    elif ending == "feather":
        feather.write_feather(table, str(path))
    elif ending == "xlsx":
        table.to_pandas().to_excel(path, index=False)
    else:
        getattr(pyreadstat, f"write_{ending}")(table.to_pandas(), str(path))
    with pytest.raises(BadInput, match="no records"):
        mv.read(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": ";;"}, r"delimiter=';;' is not one plain character"),
        ({"decimal": ";"}, r"decimal=';' is neither '.' nor ','"),
        ({"decimal": ","}, r"decimal and delimiter are both ','; they must differ"),
        ({"encoding": "klingon"}, r"encoding='klingon' is not known; common ones are 'utf-8', 'cp1252'"),
        ({"encoding": "ascii"}, r"is not ascii: byte 6 does not fit; name its right encoding"),
        ({"sheet": "x"}, r"sheet='x' means nothing for CSV files; leave it out"),
        ({"missing": "NA"}, r"missing is 'NA'; give a list of codes"),
        ({"missing": {"a": "NA"}}, r"missing\['a'\] is 'NA'; give a list of codes"),
        ({"missing": {"c": ["NA"]}}, r"missing: there is no column 'c'; there are \['a', 'b'\]"),
        ({"roles": {"c": "key"}}, r"roles: there is no column 'c'"),
    ],
)
def test_bad_options(tmp_path: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises(MicroveilError, match=message):
        mv.read(csv(tmp_path, "a,b\n1\xe4,2\n"), **options)  # type: ignore[arg-type]


def test_nested_columns_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [[1, 2]]}), tmp_path / "in.parquet")
    with pytest.raises(BadInput, match=r"column 'a' holds list<.*>; only plain columns can be read"):
        mv.read(tmp_path / "in.parquet")


def test_a_cut_sas_transport_file_is_told(tmp_path):
    pyreadstat.write_xport(pd.DataFrame({"A": np.arange(40.0)}), str(tmp_path / "a.xpt"), file_format_version=5)
    whole = (tmp_path / "a.xpt").read_bytes()
    assert mv.read(tmp_path / "a.xpt").n == 40
    (tmp_path / "b.xpt").write_bytes(whole[:-7])
    with pytest.raises(FileProblem, match="cut"):
        mv.read(tmp_path / "b.xpt")
