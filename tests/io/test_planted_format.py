"""A format is one file and one line: planted from outside, everything that knows formats knows it."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import microveil as mv
from microveil.core.errors import BadInput, FileProblem, UnknownParameter
from microveil.io import formats
from microveil.io.formats.format import Format
from microveil.plan import load_log, read_logged, replay, save_log

SOURCE = '''
from __future__ import annotations

import json

from microveil.data.codebook import Codebook
from microveil.io.formats.format import Contents, Format, Option, check_not_empty, tell_damage

_INSIDE = Option("inside", lambda value: isinstance(value, str) and value.isidentifier(), "the name of a field")


class JsonLines(Format):
    """A record is a line, and its values may stand inside a field."""

    name = "json lines"
    title = "JSON lines"
    endings = (".jsonl", ".ndjson")
    magic = (b"{",)
    reading = writing = (_INSIDE,)

    def read(self, path, options):
        import pyarrow as pa

        inside = options.stated.get("inside")
        try:
            records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
            table = pa.Table.from_pylist([record[inside] for record in records] if inside else records)
        except (ValueError, KeyError):
            raise tell_damage(path, self) from None
        check_not_empty(path, table.num_columns, table.num_rows)
        return Contents(table, Codebook(source=path.resolve()))

    def write(self, clean, handle, target, stated):
        inside = stated.get("inside")
        for record in clean.table.to_pylist():
            line = json.dumps({inside: record} if inside else record)
            handle.write(line.encode() + b"\\n")


JSON_LINES = JsonLines()
'''
RECORDS = [{"age": 20 + i, "pay": 1000.5 + 10 * i, "sex": "fm"[i % 2]} for i in range(40)]
KEY = "8f3b5a1d7c09e2461b8d0f57a3c6e94d2750b1fe68a3c94d07e51f2b9a6cd483"


@pytest.fixture
def json_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Format]:
    """The planted format: a file that is imported, and one line."""
    file = tmp_path / "json_lines_format.py"
    file.write_text(SOURCE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("json_lines_format", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "json_lines_format", module)
    spec.loader.exec_module(module)
    formats.register_format(module.JSON_LINES)
    yield module.JSON_LINES
    del formats.FORMATS["json lines"]


def as_lines(path: Path, inside: str | None = None) -> Path:
    path.write_text("".join(json.dumps({inside: one} if inside else one) + "\n" for one in RECORDS), encoding="utf-8")
    return path


def swapped(data: mv.Microdata) -> mv.Release:
    return mv.mask.RankSwap(p=20).apply(data, columns=["pay"], seed=KEY)


@pytest.mark.usefixtures("json_lines")
def test_it_is_read_and_written_and_verified(tmp_path: Path) -> None:
    data = mv.read(as_lines(tmp_path / "in.JSONL"), roles={"age": "key"})
    assert pa.table(data.frame).to_pylist() == RECORDS
    release = swapped(data)
    written = mv.write(release, tmp_path / "out.jsonl")
    found = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert written.rows == len(found) == 40
    assert sorted(one["pay"] for one in found) == sorted(pa.table(release.frame)["pay"].to_pylist())
    assert release.written[-1].ending == ".jsonl"


def test_what_it_does_not_give_back_is_not_released(
    tmp_path: Path, json_lines: Format, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = json_lines.write
    monkeypatch.setattr(
        type(json_lines),
        "write",
        lambda self, clean, handle, *rest: [write(clean, handle, *rest), handle.write(b"{}\n")],
    )
    with pytest.raises(FileProblem, match="did not come back with the same columns and records; nothing was written"):
        mv.write(swapped(mv.read(as_lines(tmp_path / "in.jsonl"))), tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.usefixtures("json_lines")
def test_its_own_option(tmp_path: Path) -> None:
    source = as_lines(tmp_path / "in.jsonl", "row")
    data = mv.read(source, inside="row")
    assert data.columns == ("age", "pay", "sex")
    release = swapped(data)
    mv.write(release, tmp_path / "out.jsonl", inside="person")
    assert set(json.loads((tmp_path / "out.jsonl").read_text().partition("\n")[0])) == {"person"}
    # the log reads it, runs it and writes it so again
    save_log(release, tmp_path / "log.json")
    log = load_log(tmp_path / "log.json")
    again = replay(log, read_logged(log, source))
    second = mv.write(again, tmp_path / "again.jsonl", **again.written[-1].arguments)
    assert second.sha256 == release.written[0].sha256


@pytest.mark.usefixtures("json_lines")
def test_options_belong_to_formats(tmp_path: Path) -> None:
    lines, frame = as_lines(tmp_path / "in.jsonl"), pa.table({"x": [1]})
    (tmp_path / "in.csv").write_text("x\n1\n")
    with pytest.raises(BadInput, match="sheet='a' means nothing for JSON lines files; leave it out"):
        mv.read(lines, sheet="a")
    with pytest.raises(BadInput, match="inside='row' means nothing for CSV files; leave it out"):
        mv.read(tmp_path / "in.csv", inside="row")
    with pytest.raises(BadInput, match="inside='row' means nothing for Parquet files; leave it out"):
        mv.write(frame, tmp_path / "out.parquet", inside="row", unprotected=True)
    with pytest.raises(BadInput, match="inside='a b' is not the name of a field"):
        mv.write(frame, tmp_path / "out.jsonl", inside="a b", unprotected=True)
    with pytest.raises(UnknownParameter, match="read has no argument 'insid'; did you mean 'inside'"):
        mv.read(lines, insid="row")
    with pytest.raises(UnknownParameter, match="write has no argument 'insid'; did you mean 'inside'"):
        mv.write(frame, tmp_path / "out.jsonl", insid="row", unprotected=True)


def test_without_it_its_option_is_unknown(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="read has no argument 'inside'"):
        mv.read(tmp_path / "in.csv", inside="row")


@pytest.mark.usefixtures("json_lines")
def test_errors_know_it(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"known are \.csv, .*\.xlsx, \.jsonl, \.ndjson$"):
        mv.read(tmp_path / "in.json")
    with pytest.raises(BadInput, match=r"write one of \.csv, .*\.jsonl"):
        mv.write(pa.table({"x": [1]}), tmp_path / "out.xpt", unprotected=True)
    as_lines(tmp_path / "in.csv")
    with pytest.raises(BadInput, match=r"is not CSV but JSON lines by its content; give it the ending \.jsonl"):
        mv.read(tmp_path / "in.csv")
    (tmp_path / "in.jsonl").write_text('{"x": 1}\n{"x":')
    with pytest.raises(FileProblem, match="it cannot be read as JSON lines; get a fresh copy"):
        mv.read(tmp_path / "in.jsonl")


@pytest.mark.usefixtures("json_lines")
def test_a_project_states_its_option(tmp_path: Path) -> None:
    as_lines(tmp_path / "in.jsonl", "row")
    stated = "dataset: {path: in.jsonl, inside: %s}\ncolumns:\n  age: {role: key}\n"
    (tmp_path / "project.yaml").write_text(stated % "row")
    data = mv.plan.Project.load(tmp_path / "project.yaml").read(tmp_path)
    assert data.columns == ("age", "pay", "sex")
    with pytest.raises(BadInput, match=r"the dataset's inside is 5; write the name of a field, in quotes \(line 1 of"):
        mv.plan.Project.from_text(stated % 5)


def test_a_package_announces_its_formats(tmp_path: Path, json_lines: Format, monkeypatch: pytest.MonkeyPatch) -> None:
    del formats.FORMATS[json_lines.name]  # nobody has imported its module yet

    class Point:
        def load(self) -> None:
            formats.register_format(json_lines)

    monkeypatch.setattr(formats, "entry_points", lambda group: [Point()] if group == "microveil.formats" else [])
    formats._load_announced.cache_clear()
    try:
        assert mv.read(as_lines(tmp_path / "in.jsonl")).columns == ("age", "pay", "sex")
        assert "json lines" in formats.known_formats()
    finally:
        monkeypatch.undo()
        formats._load_announced.cache_clear()


def test_names_and_endings_are_taken_once(json_lines: Format) -> None:
    with pytest.raises(BadInput, match="there is a format called 'json lines' already"):
        formats.register_format(json_lines)

    class Other(type(json_lines)):  # type: ignore[misc]
        name = "other"

    with pytest.raises(BadInput, match=r"\.jsonl is an ending of JSON lines files already"):
        formats.register_format(Other())


@pytest.mark.usefixtures("json_lines")
def test_the_command_line_knows_it(folder: Path, run: Callable[..., str]) -> None:
    as_lines(folder / "in.jsonl", "row")
    (folder / "project.yaml").write_text("dataset: {path: in.jsonl, inside: row}\ncolumns:\n  age: {role: other}\n")
    swap = ("-m", "rank-swap", "--columns", "pay")
    run("protect", "in.jsonl", "--project", "project.yaml", *swap, "-o", "out.ndjson", "--log", "log.json")
    assert {tuple(json.loads(line)) for line in (folder / "out.ndjson").read_text().splitlines()} == {
        ("age", "pay", "sex")
    }
    run("replay", "log.json", "in.jsonl", "-o", "again.ndjson", match="the same bytes")
    project = ("--project", "project.yaml")
    run("protect", "in.jsonl", *project, *swap, "-o", "out.json", status=2, match=".xlsx, .jsonl, .ndjson")


@pytest.mark.parametrize("endings", [(), ("",), (".",), ("jsonl",), ".jsonl"])
def test_odd_endings_are_refused(endings: object) -> None:
    odd = type("Odd", (Format,), {"name": "odd", "title": "Odd", "endings": endings})()
    with pytest.raises(BadInput, match=r"give a tuple of endings with their point, such as \('.jsonl',\)"):
        formats.register_format(odd)
    assert "odd" not in formats.FORMATS


def test_a_format_without_its_methods_says_which() -> None:
    with pytest.raises(TypeError, match=r"Format must implement read\(\)"):
        Format().read(Path("x"), None)
    with pytest.raises(TypeError, match=r"Format must implement write\(\), or say writable = False"):
        Format().write(None, None, Path("x"), {})
