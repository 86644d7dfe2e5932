"""The list of formats: what each says about itself, and the texts that name them."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
import typer

import microveil as mv
from microveil.cli.app import app
from microveil.core.errors import BadInput
from microveil.io.csv_delimiter import is_tab_separated
from microveil.io.formats import FORMATS, reading_options, writing_options
from microveil.io.formats.format import Format, check_not_empty, is_gzip

ROOT = Path(__file__).resolve().parents[2]


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
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    row = next(line for line in readme.splitlines() if line.startswith("Files:"))
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
