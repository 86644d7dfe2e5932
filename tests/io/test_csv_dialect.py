"""CSV files as other offices write them: encodings, delimiters, decimal commas, found or told."""

from __future__ import annotations

from pathlib import Path

import pytest

import microveil as mv
from microveil.core.errors import BadInput

WINDOWS = "Stra\xdfe;Alter;Eink\xfcnfte\nM\xfcllerweg;31;1000,50\nAm Stadion;44;999,00\n"


def file(folder: Path, content: str | bytes, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def said(data: mv.Microdata) -> str:
    assert data.codebook is not None
    return str(data.codebook.read_as or "")


def test_a_file_of_windows_is_read_and_said(tmp_path: Path) -> None:
    data = mv.read(file(tmp_path, WINDOWS.encode("cp1252")))
    assert data.frame.to_pydict() == {
        "Straße": ["Müllerweg", "Am Stadion"],
        "Alter": [31, 44],
        "Einkünfte": [1000.5, 999.0],
    }
    assert said(data) == "read as cp1252, with semicolons and decimal commas"
    assert "read as cp1252, with semicolons and decimal commas" in repr(data)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a,b\n1,2.5\n", ""),
        (b"\xef\xbb\xbfa,b\n1,2.5\n", "read as UTF-8 with BOM"),
        (b"a;b\n1;2.5\n", "read with semicolons"),
        (b"a\tb\n1\t2,5\n", "read with tabs and decimal commas"),
        ("a\tb\nö\t2\n".encode("utf-16"), "read as UTF-16, with tabs"),
        (b"sep=;\r\na;b\r\n1;2,5\r\n", "read with semicolons and decimal commas"),
        (b'a,b\nx,"2,5"\ny,"3,75"\n', "read with decimal commas"),
    ],
)
def test_what_is_unusual_is_said(tmp_path: Path, content: bytes, words: str) -> None:
    data = mv.read(file(tmp_path, content))
    assert len(data.columns) == 2
    assert said(data) == words


def test_a_comma_in_a_name_does_not_make_commas_the_delimiter(tmp_path: Path) -> None:
    data = mv.read(file(tmp_path, "income, net;age\n1000,50;31\n"))
    assert data.frame.to_pydict() == {"income, net": [1000.5], "age": [31]}


@pytest.mark.parametrize(
    ("fields", "numbers"),
    [
        (["1000,50", "1"], [1000.5, 1.0]),
        (["1.000,00", "999,50", "1.234.567,25"], [1000.0, 999.5, 1234567.25]),
        (["1.000.000", "2.500"], [1e6, 2500]),
        (["1 000,50", "12 000", "3"], [1000.5, 12000.0, 3.0]),
        (["1\u202f000,50", "2"], [1000.5, 2.0]),
        (["-1.000,5", "+2,5"], [-1000.5, 2.5]),
        (["0.125", "1.000"], [0.125, 1.0]),
        (["1,234.50", "999.00"], [1234.5, 999.0]),
        (["1'234.50", "999.00"], [1234.5, 999.0]),
        (["NA", "1,5"], [None, 1.5]),
    ],
)
def test_thousands_and_decimals(tmp_path: Path, fields: list[str], numbers: list[float]) -> None:
    text = "x;y\n" + "".join(f"{field};z\n" for field in fields)
    found = mv.read(file(tmp_path, text), missing=["NA"]).frame["x"].to_pylist()
    assert found == numbers


def test_grouped_numbers_of_phones_and_codes_stay_text(tmp_path: Path) -> None:
    found = mv.read(file(tmp_path, "phone;nace;x\n123 456 789;01.11;2,5\n987 654 321;10.20;3,5\n")).frame
    assert found["phone"].to_pylist() == ["123 456 789", "987 654 321"]
    assert found["nace"].to_pylist() == ["01.11", "10.20"]


MIXED = {
    "in one column": (
        "x;y\n1,5;a\n2,5;a\n7.5;a\n",
        {},
        r"column 'x' has a decimal comma in line 2 and a decimal point in line 4",
    ),
    "in two columns": (
        "x;y\n1,5;2\n1;7.5\n",
        {},
        r"'x' has a decimal comma in line 2 and column 'y' a decimal point in line 3",
    ),
    "against what was told": (
        "x;y\n1,5;2\n1;7.5\n",
        {"decimal": ","},
        r"column 'y' has a decimal point in line 3, against decimal=','",
    ),
    "nobody can tell": ("x;y\n7.500;a\n2.500;b\n", {}, r"column 'x', line 2: .* like 1\.000 may be a thousand"),
    "nobody can tell commas": ("x;y\n1;a\n7,500;b\n", {}, r"column 'x', line 3: .* like 1,000 may be a thousand"),
    "after a line break in quotes": ('x;y\n1;"a\nb"\n1,5;c\n7.5;d\n', {}, r"in line 4 and .* in line 5"),
}


@pytest.mark.parametrize("case", MIXED)
def test_what_can_be_read_in_two_ways_is_an_error_with_its_line(tmp_path: Path, case: str) -> None:
    content, options, message = MIXED[case]
    with pytest.raises(BadInput, match=message) as caught:
        mv.read(file(tmp_path, content), **options)
    assert "7.5" not in str(caught.value)  # no value of a cell is told


def test_words_of_the_user_settle_it(tmp_path: Path) -> None:
    path = file(tmp_path, "x;y\n1.000;a\n2.500;b\n")
    assert mv.read(path, decimal=",").frame["x"].to_pylist() == [1000, 2500]
    assert mv.read(path, decimal=".").frame["x"].to_pylist() == [1.0, 2.5]
    codes = mv.read(file(tmp_path, "x;y\n1,5;2\n1;2.5\n"), kinds={"y": "nominal"}).frame
    assert codes.to_pydict() == {"x": [1.5, 1.0], "y": ["2", "2.5"]}


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("a\nГорода\n", "cp1251"),
        ("a\nWładysław\n", "cp1250"),
        ("a\nschön\n", "cp850"),
        ("a\nzurück\n", "mac-roman"),
    ],
)
def test_an_encoding_that_is_not_western_is_asked_for(tmp_path: Path, text: str, encoding: str) -> None:
    path = file(tmp_path, text.encode(encoding))
    with pytest.raises(BadInput, match=r"is not UTF-8: byte \d+ \(line 2\) does not fit.*encoding="):
        mv.read(path)
    assert mv.read(path, encoding=encoding).frame["a"].to_pylist() == [text.split()[1]]


@pytest.mark.parametrize("text", ["¿Qué?", "l’été – «très» bien", "40 m²", "Þórður", "col·legi", "œuvre", "€ 5"])
def test_western_text_is_read(tmp_path: Path, text: str) -> None:
    data = mv.read(file(tmp_path, f"a\n{text}\n".encode("cp1252")))
    assert data.frame["a"].to_pylist() == [text]


def test_what_is_written_is_never_guessed_at_when_it_is_read_back(tmp_path: Path) -> None:
    import pyarrow as pa

    table = pa.table({"a": ["1,5", "2,5"], "b": ["x", "y"]})
    mv.write(table, tmp_path / "out.csv", delimiter=";", shuffle=False, unprotected=True)
    mv.write(pa.table({"a": [1.5, 2.5], "b": ["1,234", "5"]}), tmp_path / "out2.csv", shuffle=False, unprotected=True)
