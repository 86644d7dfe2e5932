"""CSV at its borders: delimiters, quotes, types, and what is wrong with a file."""

from __future__ import annotations

import datetime as dt
import gzip
import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

import microveil as mv
from microveil.core.errors import BadInput, FileProblem
from microveil.io import csv_read
from microveil.io.cleaning import Clean
from microveil.io.csv_types import find_type
from microveil.io.csv_write import for_csv, write_csv


def read(folder: Path, content: str | bytes, name: str = "in.csv", **options: Any) -> Any:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return mv.read(path, **options).frame.to_pydict()


# -- the delimiter -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ('"a,b";"c,d";e', ["a,b", "c,d", "e"]),  # what stands in quotes does not count
        ("a|b,c|d", ["a", "b,c", "d"]),
        ("a;b,c", ["a;b", "c"]),  # the first of the most frequent
        ("alone", ["alone"]),
    ],
)
def test_the_most_frequent_mark_of_the_header_delimits(tmp_path: Path, header: str, names: list[str]) -> None:
    mark = "," if len(names) < 3 else ";" if ";" in header else "|"
    assert list(read(tmp_path, f"{header}\n" + mark.join("1" * len(names)) + "\n")) == names


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("in.tsv", ["a,b,c", "d"]),
        ("in.TSV.gz", ["a,b,c", "d"]),
        ("in.tsv.csv", ["a", "b", "c\td"]),
        ("tsv.csv", ["a", "b", "c\td"]),
    ],
)
def test_tabs_delimit_where_the_ending_says_so(tmp_path: Path, name: str, names: list[str]) -> None:
    content = b"a,b,c\td\n1,5,6\t2\n"
    assert list(read(tmp_path, gzip.compress(content) if name.endswith("gz") else content, name)) == names


@pytest.mark.parametrize(("name", "mark"), [("o.tsv", "\t"), ("o.tsv.gz", "\t"), ("o.tsv.csv", ","), ("o.txt", ",")])
def test_the_ending_says_which_delimiter_is_written(tmp_path: Path, name: str, mark: str) -> None:
    mv.write(pa.table({"a": [1], "b": [2]}), tmp_path / name, unprotected=True)
    raw = (tmp_path / name).read_bytes()
    assert (gzip.decompress(raw) if name.endswith("gz") else raw) == f"a{mark}b\n1{mark}2\n".encode()


# -- quotes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('a,b\n"1","2"\n', {"a": ["1"], "b": ["2"]}),  # plain names: quotes tell text
        ('a,"b"\n"1","2"\n', {"a": ["1"], "b": ["2"]}),
        ('"a","b"\n"1",2\n', {"a": ["1"], "b": [2]}),
        ('"a","b"\n"1","2"\n', {"a": [1], "b": [2]}),  # all in quotes: they tell nothing
        ('"a","b"\n"","2"\n"x","3"\n', {"a": [None, "x"], "b": [2, 3]}),
        ('a,b\n"",2\nx,3\n', {"a": ["", "x"], "b": [2, 3]}),
        ('"a\nb","say ""c"""\n1,2\n', {"a\nb": [1], 'say "c"': [2]}),
    ],
)
def test_what_quotes_tell(tmp_path: Path, content: str, expected: dict[str, list[Any]]) -> None:
    assert read(tmp_path, content) == expected


# -- what is wrong with a file ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (b"\n\r\n\ra,b\n1,2,3\n", {}, r"line 5: 3 fields where the header has 2"),
        (b"a,b\n1,2,3\n1,2,3\n", {}, r"line 2: 3 fields where the header has 2"),
        (b'"a,b\n1,2\n', {}, r"line 1: a quotation mark is opened and never closed; repair it"),
        (b"\na,a\n1,2\n", {}, r"line 2: the column name 'a' occurs more than once"),
        (b"\na,b\n1,\x81\n", {}, r"is not UTF-8: byte 8 \(line 3\) does not fit"),
        (b"\x81\n", {}, r"is not UTF-8: byte 1 \(line 1\) does not fit"),
        (b"a\n\x00\n", {"encoding": "latin-1"}, r"is not text in latin-1: it holds zero characters"),
    ],
)
def test_the_line_is_named(tmp_path: Path, content: bytes, options: dict[str, str], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        read(tmp_path, content, **options)


@pytest.mark.parametrize("mark", [",", ";"])
def test_an_empty_last_field_is_missing_whatever_stands_before_it(tmp_path: Path, mark: str) -> None:
    content = 'a,b\n"x",1\n"y",'.replace(",", mark)
    found = read(tmp_path, content)
    assert found == {"a": ["x", "y"], "b": [1, None]}


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        (["1", "", "-20"], [1, None, -20]),
        (["1", "9" * 18], [1, 10**18 - 1]),
        (["1", str(2**63 - 1)], [1, 2**63 - 1]),  # too long to be settled in passing, and a number all the same
        (["1", "02"], ["1", "02"]),
        (["1", "+2"], [1.0, 2.0]),
        (["1", " 2"], [1, 2]),
        (["1", "2.5"], [1.0, 2.5]),
        (["1", "x"], ["1", "x"]),
        (["1", '"2"'], [1, 2]),
        (["-0", "3"], [0, 3]),
    ],
)
def test_one_field_decides_whether_a_column_holds_whole_numbers(
    tmp_path: Path, fields: list[str], values: list[Any]
) -> None:
    found = read(tmp_path, "a,b\n" + "".join(f"{field},t\n" for field in fields))
    assert found["a"] == values


def test_text_that_begins_with_many_numbers_is_looked_at_to_its_end(tmp_path: Path) -> None:
    gaps, commas = ["", *["NA"] * 2_000], [*['"1,5"'] * 2_000, '"2"']
    with pytest.raises(BadInput, match=r"column 'a' holds numbers and \['NA'\]"):
        read(tmp_path, "a,b\n" + "".join(f"{field},t\n" for field in [*gaps, "5"]))
    found = read(tmp_path, "a,b\n" + "".join(f"{field},t\n" for field in commas))
    assert found["a"][-1] == "2"


def test_a_file_that_cannot_be_read_any_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for problem, told in ((OSError(5, "Input/output error"), "Input/output error"), (OSError(), "refused")):

        def fail(path: Path, problem: OSError = problem) -> bytes:
            raise problem

        monkeypatch.setattr(Path, "read_bytes", fail)
        with pytest.raises(FileProblem, match=f"in.csv' cannot be read: {told}"):
            read(tmp_path, "a\n1\n")


def test_rows_that_two_parsers_count_differently_are_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = csv_read.arrow_csv.read_csv

    def refuse(*given: Any, **options: Any) -> Any:
        raise pa.ArrowInvalid

    for parser in (refuse, lambda *given, **options: real(*given, **options).slice(1)):
        monkeypatch.setattr(csv_read.arrow_csv, "read_csv", parser)
        with pytest.raises(FileProblem, match="is damaged or cut short: it cannot be read as CSV"):
            read(tmp_path, "a,b\n1,2\n3,4\n")


@pytest.mark.parametrize(
    ("longest", "size"),
    [
        (0, 2**24),
        (2**23, 2**24),
        (2**23 + 1, 2**24 + 2),
        (2**30 - 1, 2**31 - 2),
        (2**30, 2**31 - 1),
        (2**40, 2**31 - 1),
    ],
)
def test_the_longest_row_fits_into_a_block(longest: int, size: int) -> None:
    assert csv_read._block_size(longest) == size


@pytest.mark.parametrize("mark", ["", ";;", "é", '"', "\r", "\n", "\0", 5])
def test_marks_that_cannot_delimit(mark: Any) -> None:
    with pytest.raises(BadInput, match="is not one plain character such as"):
        csv_read.check_delimiter(mark)


# -- types ---------------------------------------------------------------------------------------


def text(*cells: str | None) -> Any:
    return pa.chunked_array([pa.array(cells, pa.string())])


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([" 01", "2"], "string"),
        (["12345678901234567", "0.5"], "string"),
        (["1234567890123456", "0.5"], "double"),
        ([" 12345678901234567890"], "string"),
        ([" 2020-01-31 "], "date32[day]"),
        (["2020-01-31 00:00:00.123456"], "timestamp[us]"),
        (["2020-01-31 00:00:00.123456789"], "timestamp[ns]"),
        (["2020-01-31 00:00:00Z", "2020-01-31 00:00:00+02:00"], "timestamp[us, tz=UTC]"),
        (["2020-01-31 00:00:00Z", "2020-01-31 00:00:00"], "string"),
        (["10:00:01.123456"], "time64[us]"),
        (["10:00:01.1234567"], "string"),
        (["25:00:01"], "string"),
        (["1", "inf"], "string"),
        (["1", "nan"], "string"),
        (["nan", "1"], "string"),
        (["٣"], "string"),
        ([".5", "-.5", "+1"], "double"),
        (["FALSE", "TRUE", None], "bool"),
        (["true", "True"], "string"),
    ],
)
def test_types(cells: list[str | None], kind: str) -> None:
    assert str(find_type(text(*cells)).type) == kind


def test_the_first_value_may_stand_in_a_later_chunk() -> None:
    chunks = pa.chunked_array([pa.array([None], pa.string()), pa.array([], pa.string()), pa.array(["7"])])
    assert find_type(chunks).to_pylist() == [None, 7]
    assert find_type(text(None, None)).type == pa.string()


def test_points_among_decimal_commas_are_text() -> None:
    assert find_type(text("1,5", "2"), ",").to_pylist() == [1.5, 2.0]
    assert find_type(text("1.5", "2"), ",").to_pylist() == ["1.5", "2"]
    assert find_type(text(",5"), ",").to_pylist() == [0.5]


# -- writing -------------------------------------------------------------------------------------


def clean(columns: dict[str, Any]) -> Clean:
    return Clean(pa.table(columns), dict.fromkeys(columns, "continuous"))


def written(columns: dict[str, Any], mark: str = ",", compress: bool = False) -> bytes:
    handle = io.BytesIO()
    write_csv(pa.table(columns), handle, mark, compress)
    return handle.getvalue()


@pytest.mark.parametrize(
    ("cells", "fields"),
    [
        ([1.0, None, -3.0], ["1.0", "", "-3.0"]),
        ([999_999_999_999_999.0], ["999999999999999.0"]),
        ([1e15], ["1e+15"]),
        ([1e15, 1.0], ["1e+15", "1"]),
        ([1.0, 0.5], ["1", "0.5"]),
    ],
)
def test_whole_floating_numbers_keep_a_point(cells: list[float | None], fields: list[str]) -> None:
    assert written({"x": cells}).decode().splitlines() == ["x", *fields]


def test_names_stand_in_quotes_where_they_must() -> None:
    names = ["a b", "c,d", 'e"f', "g\nh", "i\rj", "k;l", "m\tn", "o|p", "q~r"]
    head = 'a b~"c,d"~"e""f"~"g\nh"~"i\rj"~"k;l"~"m\tn"~"o|p"~"q~r"\n'
    assert written({name: [1] for name in names}, "~").decode().startswith(head)


def test_compressed_files_carry_no_name_and_no_time() -> None:
    raw = written({"a": [1]}, compress=True)
    assert raw[:10] == b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
    assert gzip.decompress(raw) == b"a\n1\n"


def test_empty_lines_are_noted_of_one_column_alone() -> None:
    note = "records without a value are empty lines, which some readers skip"
    assert for_csv(clean({"a": [1, None]})).notes == (note,)
    assert for_csv(clean({"a": [1, 2]})).notes == ()
    assert for_csv(clean({"a": [1, None], "b": [1, 2]})).notes == ()


def test_text_that_other_readers_take_for_something_else() -> None:
    numbers = for_csv(clean({"a": ["01", " +1.5e3 ", None], "n": [1, 2, 3]})).notes
    assert [note[:35] for note in numbers] == ["text in 'a' looks like numbers; it "]
    assert for_csv(clean({"a": ["01", "x"], "b": pa.array([None, None], pa.string())})).notes == ()
    words = for_csv(clean({"a": ["x", "NA"]})).notes
    assert [note[:40] for note in words] == ["text in 'a' holds words such as NA that "]
    with pytest.raises(BadInput, match="text in column 'a' holds zero characters, which CSV cannot keep"):
        for_csv(clean({"a": ["x", "a\0b"]}))


def test_text_like_formulas_is_counted_in_columns_of_text() -> None:
    table = clean({"=n": ["=1", "-x", "y"], "m": [-1, 2, 3], "o": ["@", "a", None], "p": ["a", "b", "c"]})
    told = "with = + - @, tab or return: the name '=n', 2 cells of '=n', 1 cell of 'o'"
    (note,) = for_csv(table).notes
    assert note == f"spreadsheet programs may run as a formula what begins {told}; it was written as it is"
    with pytest.raises(BadInput, match=r"what begins with = .*; change that text, write XLSX or Parquet, or keep it"):
        for_csv(table, "refuse")


def test_only_unusual_delimiters_are_told_when_a_file_is_read_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everyone else has to find the delimiter as well."""
    from microveil.io import verifying

    told: list[str | None] = []
    real = verifying.read_contents

    def noting(path: Path, options: Any, kind: Any) -> Any:
        told.append(options.stated.get("delimiter"))
        return real(path, options, kind)

    monkeypatch.setattr(verifying, "read_contents", noting)
    table = pa.table({"a": [dt.date(2020, 1, 1)], "b": ["x"]})
    for name, mark in (("o.csv", None), ("o.csv", ";"), ("o.csv", "~"), ("o.tsv", None), ("o.parquet", None)):
        mv.write(table, tmp_path / name, delimiter=mark, unprotected=True)
    assert told == [None, None, "~", "\t", None]


def test_what_does_not_come_back_is_not_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from microveil.io import verifying

    table = pa.table({"a": [1, 2], "b": [3, 4]})

    def refuse(*given: Any) -> Any:
        raise BadInput("no")

    differently = "did not come back with the same columns and records; nothing was written"
    for found, message in (
        (refuse, "could not be read back after writing; nothing was written"),
        (lambda *given: SimpleNamespace(table=table.rename_columns(["a", "c"])), differently),
        (lambda *given: SimpleNamespace(table=table.slice(1)), differently),
    ):
        monkeypatch.setattr(verifying, "read_contents", found)
        with pytest.raises(FileProblem, match=message):
            mv.write(table, tmp_path / "out.csv", unprotected=True)
    assert not list(tmp_path.iterdir())
