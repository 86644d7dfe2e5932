"""Which format a file has: endings, first bytes, names that are shortened in errors."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
import typer

import microveil as mv
from microveil.cli.app import app
from microveil.core.errors import BadInput, FileProblem
from microveil.io.csv_delimiter import is_tab_separated
from microveil.io.first_bytes import _check_start, check_readable
from microveil.io.formats import FORMATS, reading_options, writing_options
from microveil.io.formats.format import Format, check_not_empty, is_gzip
from microveil.io.paths import _shortened, check_path

ROOT = Path(__file__).resolve().parents[2]
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
    _check_start(Path("in"), FORMATS[name], start, packed=False)
    kind = FORMATS[name]
    with pytest.raises(
        BadInput, match=f"is not CSV but {kind.title} by its content; give it the ending {kind.endings[0]}"
    ):
        _check_start(Path("in"), FORMATS["csv"], start, packed=False)
    with pytest.raises(BadInput, match=f"does not begin as a {kind.title} file does"):
        _check_start(Path("in"), kind, b"x,y\n", packed=False)


@pytest.mark.parametrize(("byte", "known"), [(0x67, False), (0x68, True), (0x73, True), (0x74, False)])
def test_older_stata_files_begin_with_their_version(byte: int, known: bool) -> None:
    start = bytes([byte, 1, 1, 0])
    _check_start(Path("in"), FORMATS["csv"], start, packed=False)  # a letter says too little to be no text
    if known:
        _check_start(Path("in"), FORMATS["stata"], start, packed=False)
    else:
        with pytest.raises(BadInput, match="does not begin as a Stata file does"):
            _check_start(Path("in"), FORMATS["stata"], start, packed=False)


def test_which_formats_are_written() -> None:
    assert {kind.name for kind in FORMATS.values() if not kind.writable} == {"sas", "xport"}


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
        check_readable(tmp_path / "survei2.csv", FORMATS["csv"], packed=False)
    with pytest.raises(FileProblem, match=r"there is no file '.*/quite_else.parquet'$"):
        check_readable(tmp_path / "quite_else.parquet", FORMATS["parquet"], packed=False)


def test_a_folder_that_cannot_be_listed_offers_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(FileProblem, match=r"there is no file '.*/in.csv'$"):
        check_readable(tmp_path / "in.csv", FORMATS["csv"], packed=False)


@pytest.mark.parametrize(("length", "shown"), [(60, repr("x" * 60)), (61, repr("x" * 60 + "..."))])
def test_long_names_are_shortened(length: int, shown: str) -> None:
    assert _shortened(Path("x" * length)) == shown


def test_ordinary_paths_are_fine(tmp_path: Path) -> None:
    (tmp_path / "there.csv").touch()
    for path in (tmp_path, tmp_path / "there.csv", tmp_path / "not_there.csv"):
        check_path(path)


def names_formats(text: str, kinds: list[Format]) -> bool:
    """Whether a text names these formats with all their endings."""
    plain = text.replace("`", "")
    found = set(re.findall(r"(?<=[ (])\.[a-z0-9]+", plain)) | ({".gz"} if "also .gz" in plain else set())
    wanted = {part for kind in kinds for ending in kind.endings for part in re.findall(r"\.\w+", ending)}
    return wanted <= found and all(kind.title.split()[0] in plain for kind in kinds)


def test_texts_name_every_format() -> None:
    every = list(FORMATS.values())
    written = [kind for kind in every if kind.writable]
    assert names_formats(mv.read.__doc__ or "", every)
    assert names_formats(mv.write.__doc__ or "", written)
    guide = (ROOT / "docs" / "user_guide.md").read_text(encoding="utf-8")
    paragraph = next(part for part in guide.split("\n\n") if "`mv.read` and `mv.write` know" in part)
    assert names_formats(paragraph, every)
    row = next(line for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines() if "| around it" in line)
    assert all(kind.title.split()[0] in row for kind in every)


def test_a_text_that_lacks_a_format_is_noticed() -> None:
    assert names_formats("Stata (.dta)", [FORMATS["stata"]])
    assert not names_formats("Stata (.sav)", [FORMATS["stata"]])
    assert not names_formats("SPSS (.dta)", [FORMATS["stata"]])
    assert not names_formats("CSV (.csv .tsv .txt)", [FORMATS["csv"]])


def test_options_of_formats_are_arguments_and_options_of_commands() -> None:
    """Those of the formats that come with the package are named, so that a type checker and a shell know them."""
    reading, writing = inspect.signature(mv.read).parameters, inspect.signature(mv.write).parameters
    assert set(reading_options()) <= set(reading)
    assert set(writing_options()) <= set(writing)
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for name in ("inspect", "risk", "protect", "evaluate", "replay"):
        assert set(reading_options()) <= {parameter.name for parameter in commands[name].params}
