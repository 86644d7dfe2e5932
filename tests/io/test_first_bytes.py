"""Whether a file is what its ending says, and which file was meant when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from microveil.core.errors import BadInput, FileProblem
from microveil.io.first_bytes import _check_start, check_readable
from microveil.io.formats import FORMATS

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
    with pytest.raises(BadInput, match=f"does not begin as an? {kind.title} file does"):
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
