"""Which format a file has: endings, first bytes, names that are shortened in errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from microveil.core.errors import BadInput, FileProblem
from microveil.io.formats import FORMATS, _check_start, check_not_empty, check_readable, is_gzip, is_tab_separated
from microveil.io.paths import _shortened, check_path

KINDS = {kind.name: kind for kind in FORMATS}
SAS = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011")


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("parquet", b"PAR1"),
        ("feather", b"ARROW1"),
        ("feather", b"FEA1"),
        ("feather", b"\xff\xff\xff\xff"),
        ("spss", b"$FL2"),
        ("spss", b"$FL3"),
        ("stata", b"<stata_dta>"),
        ("sas", SAS),
        ("xport", b"HEADER RECORD*******"),
        ("xlsx", b"PK\x03\x04"),
    ],
)
def test_the_first_bytes_tell_the_format(name: str, start: bytes) -> None:
    _check_start(Path("in"), KINDS[name], start, packed=False)
    kind = KINDS[name]
    with pytest.raises(
        BadInput, match=f"is not CSV but {kind.title} by its content; give it the ending {kind.endings[0]}"
    ):
        _check_start(Path("in"), KINDS["csv"], start, packed=False)
    with pytest.raises(BadInput, match=f"does not begin as a {kind.title} file does"):
        _check_start(Path("in"), kind, b"x,y\n", packed=False)


@pytest.mark.parametrize(("byte", "known"), [(0x67, False), (0x68, True), (0x73, True), (0x74, False)])
def test_older_stata_files_begin_with_their_version(byte: int, known: bool) -> None:
    start = bytes([byte, 1, 1, 0])
    _check_start(Path("in"), KINDS["csv"], start, packed=False)  # a letter says too little to be no text
    if known:
        _check_start(Path("in"), KINDS["stata"], start, packed=False)
    else:
        with pytest.raises(BadInput, match="does not begin as a Stata file does"):
            _check_start(Path("in"), KINDS["stata"], start, packed=False)


def test_which_formats_are_written() -> None:
    assert {kind.name for kind in FORMATS if not kind.writable} == {"sas", "xport"}


def test_endings_in_capitals() -> None:
    assert is_gzip(Path("A.CSV.GZ"))
    assert not is_gzip(Path("a.gz.csv"))
    assert is_tab_separated(Path("A.TSV"))
    assert not is_tab_separated(Path("tsv.csv"))


@pytest.mark.parametrize(("columns", "records", "lacking"), [(0, 0, "columns"), (0, 2, "columns"), (1, 0, "records")])
def test_files_need_columns_and_records(columns: int, records: int, lacking: str) -> None:
    check_not_empty(Path("in"), 1, 1)
    with pytest.raises(BadInput, match=f"'in' has no {lacking}; name a file of records"):
        check_not_empty(Path("in"), columns, records)


def test_the_nearest_name_of_a_file_is_offered(tmp_path: Path) -> None:
    (tmp_path / "survey.csv").touch()
    (tmp_path / "surveys.csv").touch()
    (tmp_path / "survei.csv").mkdir()
    with pytest.raises(FileProblem, match=r"survei2.csv'; did you mean 'survey.csv'\?|did you mean 'surveys.csv'\?"):
        check_readable(tmp_path / "survei2.csv", KINDS["csv"], packed=False)
    with pytest.raises(FileProblem, match=r"there is no file '.*/quite_else.parquet'$"):
        check_readable(tmp_path / "quite_else.parquet", KINDS["parquet"], packed=False)


def test_a_folder_that_cannot_be_listed_offers_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(FileProblem, match=r"there is no file '.*/in.csv'$"):
        check_readable(tmp_path / "in.csv", KINDS["csv"], packed=False)


@pytest.mark.parametrize(("length", "shown"), [(60, repr("x" * 60)), (61, repr("x" * 60 + "..."))])
def test_long_names_are_shortened(length: int, shown: str) -> None:
    assert _shortened(Path("x" * length)) == shown


def test_ordinary_paths_are_fine(tmp_path: Path) -> None:
    (tmp_path / "there.csv").touch()
    for path in (tmp_path, tmp_path / "there.csv", tmp_path / "not_there.csv"):
        check_path(path)
