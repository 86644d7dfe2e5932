"""The commands of the documentation as a reader gives them: how they end, the figures they print, the files they write.

Words may change and figures may not: of what is printed only the numbers are recorded, sorted; of projects what they
state; of data a hash. Keys that a run would draw are the same each time. Left out are `app` (it serves), `search`,
`advise` and `benchmark` (they take minutes or files that are not here), `demo` and `doctor` (it looks at the machine).
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import secrets
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from pyarrow import csv, parquet

import microveil as mv
from microveil.cli import main
from tests.pages import Reader, blocks_of, read_page

LIBRARIES = ("numpy", "scipy", "numba", "scikit-learn", "pyarrow", "pyreadstat", "openpyxl")
QUICK = 0
NEEDS = ("cryptography",)
ROOT = Path(__file__).resolve().parents[2]
SKIPPED = ("advise", "benchmark")
FIGURES = ("before.json", "figures.json")  # files of JSON with figures that a release has
_VARYING = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?)?"  # days and times
    r"|\d[\d.,]*\s*(?:s|seconds?|ms|min|bytes|[kKMG]B)\b"  # how long and how large
    r"|\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f:-]{8,}\b"  # hashes and keys
)
_FIGURE = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?")


def entries() -> Iterator[tuple[str, Any]]:
    """Yield what every command of every page gives, in the order of the page."""
    for name, follow in PAGES.items():
        with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            for variable in ("COLUMNS", "LINES", "FORCE_COLOR", "MICROVEIL_DATA"):
                patch.delenv(variable, raising=False)
            patch.setenv("MICROVEIL_PASSPHRASE", "three quiet words")
            recorder = Recorder(patch, SimpleNamespace(readouterr=lambda: SimpleNamespace(out="", err="")), page=name)
            try:
                with redirect_stdout(io.StringIO()):
                    follow(recorder)
            except Exception as problem:  # noqa: BLE001 - a page that cannot be followed is a difference, not the end
                recorder.found.append((f"{name} stops", type(problem).__name__))
            yield from recorder.found


@dataclass
class Recorder(Reader):
    """A reader who notes what the commands of a page do, in place of comparing what they say with the page."""

    page: str = ""
    found: list[tuple[str, Any]] = field(default_factory=list)

    def _compare(self, shown: str, rough: float = 0.0) -> None:
        pass

    def _run(self, command: str, words: list[str]) -> None:
        if words[1] in SKIPPED:
            return
        before = _files()
        self.monkeypatch.setattr(sys, "argv", words)
        drawn = iter(range(10**6))
        self.monkeypatch.setattr(secrets, "token_bytes", lambda size=32: _token(size, drawn))
        said, status = io.StringIO(), 0
        with redirect_stdout(said), redirect_stderr(said):
            try:
                main()
            except SystemExit as end:
                status = int(end.code or 0)
        self.note(words, status, said.getvalue(), before)

    def note(self, words: list[str], status: int, said: str, before: dict[Path, str]) -> None:
        """Record a command that was carried out."""
        self.ran.append(words[1])
        key = f"{self.page} {len(self.ran):02} {shlex.join(words)}"
        self.found += [(f"{key}: status", status), (f"{key}: figures", _figures(said))]
        after = _files()
        for path in sorted({*before, *after}):
            if before.get(path) != after.get(path):
                value = _content(path) if path in after else "gone"
                if path in after and (same := next((one for one in before if before[one] == after[path]), None)):
                    value = f"as {same.as_posix()}"
                parts = value.items() if isinstance(value, dict) else [("", value)]
                self.found += [(f"{key}: {path.as_posix()}{f' {name}' if name else ''}", one) for name, one in parts]

    def blocks(self, page: str, *kinds: str) -> None:
        """Follow the blocks of some kinds alone."""
        for kind, title, text in blocks_of(page):
            if kind in kinds:
                self.follow(f"```{kind}{f' title={title}' if title else ''}\n{text}```\n")

    def commands(self, lines: list[str]) -> None:
        """Carry out commands that no prompt precedes."""
        self.follow("```console\n" + "".join(f"$ {line}\n" for line in lines) + "```\n")


def _token(size: int | None, drawn: Iterator[int]) -> bytes:
    """Return a key that is the same each time, or true entropy for what is no key."""
    return hashlib.sha256(f"key {next(drawn)}".encode()).digest() if size == 32 else os.urandom(size or 32)


def _figures(said: str) -> list[str]:
    """Return the numbers of a text, sorted, without those that say how long something took."""
    kept, timed = list[str](), False
    for line in said.splitlines():
        kept.append(re.sub(r"\s[\d.]+\s*$", "", line) if timed else line)
        timed = bool(line.strip()) and (timed or line.rstrip().endswith(" seconds"))  # the last column of a table
    return sorted(_FIGURE.findall(_VARYING.sub(" ", "\n".join(kept))), key=_order)


def _order(figure: str) -> tuple[float, str]:
    return float(figure.replace(",", "")), figure


def _files() -> dict[Path, str]:
    found = (path for path in Path().rglob("*") if path.is_file())
    return {path: _hash(path.read_bytes()) for path in found}


def _content(path: Path) -> Any:
    """Return what is recorded of a file: what a project states, a hash of data, only that it is there for others."""
    if path.suffix == ".yaml":
        stated = json.loads(json.dumps(yaml.safe_load(path.read_text(encoding="utf-8")), default=str))
        columns = stated.pop("columns", {})
        return {**stated, **{f"columns/{name}": one for name, one in columns.items()}}
    if path.suffix == ".parquet":
        text = io.BytesIO()
        csv.write_csv(parquet.read_table(path), text)
        return _hash(text.getvalue())
    if path.suffix == ".json":
        stated = list(_leaves(json.loads(path.read_text(encoding="utf-8"))))
        entries = [one for one in stated if "/versions/" not in one[0]]  # of what happens to be loaded
        found = {"entries": _hash(repr(sorted({place for place, _ in entries})).encode())}
        figures = [f"{place} {one:.6g}" for place, one in entries if isinstance(one, float) and "seconds" not in place]
        return {**found, "figures": _hash(repr(figures).encode())} if path.name in FIGURES else found
    return _hash(path.read_bytes()) if path.suffix == ".csv" else "written"


def _leaves(stated: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield what a JSON file states, each with its place."""
    if isinstance(stated, dict):
        for name, inside in stated.items():
            yield from _leaves(inside, f"{place}/{name}")
    elif isinstance(stated, list):
        for inside in stated:
            yield from _leaves(inside, f"{place}/[]")
    else:
        yield place, stated


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _readme(recorder: Recorder) -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    (made,) = [text for kind, _, text in blocks_of(page) if kind == "python" and "make_survey" in text]
    exec(compile(made.replace("1000", "300"), "README", "exec"), {})
    recorder.commands(re.findall(r"^\$ (microveil .*)$", page, re.MULTILINE))


def _whole(name: str) -> Callable[[Recorder], None]:
    return lambda recorder: str(recorder.follow(read_page(name))) and None


def _user_guide(recorder: Recorder) -> None:
    """Follow the commands on a survey with the files that the page takes for granted."""
    people = mv.datasets.make_survey(300, seed=1).drop_columns(["person_id", "name", "household_id"])
    zips = [f"{10 + number % 7}{number % 3}0" for number in range(len(people))]
    csv.write_csv(people.append_column("zip", [zips]), "survey.csv")
    hierarchy = mv.datasets.survey_schema()["hierarchies"]["occupation"]
    Path("occupation.csv").write_text("".join(";".join((one, *up)) + "\n" for one, up in hierarchy.items()))
    page = read_page("user_guide.md")
    (gentle,) = [text for kind, _, text in blocks_of(page) if kind == "yaml" and "rank-swap: {p: 2}" in text]
    Path("gentle.yaml").write_text(gentle)
    Path("careful.yaml").write_text(gentle.replace("p: 2", "p: 15"))
    recorder.blocks(page, "console")


def _release(recorder: Recorder) -> None:
    csv.write_csv(mv.datasets.make_survey(300, seed=1), "survey.csv")
    page = read_page("release.md")
    recorder.commands(_first_commands(page))
    recorder.blocks(page, "console")
    shutil.copytree("runs/0001/package", "package")
    shutil.copy("runs/0001/internal/log.json", "log.json")
    shutil.copy("runs/0001/package/data.csv", "protected.csv")
    Path("keys").mkdir()
    shutil.copy("jane.key.pub", "keys")
    recorder.commands(_first_commands(read_page("auditing.md")))


def _first_commands(page: str) -> list[str]:
    return [line.partition("  #")[0] for line in page.split("```")[1].strip().splitlines()]


def _until_files(name: str, file: str) -> Callable[[Recorder], None]:
    """Follow the Python of a page until a file is there, then its commands."""

    def follow(recorder: Recorder) -> None:
        page = read_page(name)
        for kind, title, text in blocks_of(page):
            if kind == "python" and not title and not Path(file).exists():
                recorder.follow(f"```python\n{text}```\n")
        recorder.blocks(page, "console")

    return follow


PAGES: dict[str, Callable[[Recorder], None]] = {
    "README": _readme,
    "tutorial": _whole("tutorial.md"),
    "errors": _whole("errors.md"),
    "user_guide": _user_guide,
    "reading_the_report": _whole("reading_the_report.md"),
    "legal": _whole("legal.md"),
    "maps": _whole("maps.md"),
    "release": _release,
    "large_files": _until_files("large_files.md", "survey-2.parquet"),
    "coming_from_arx": _until_files("coming_from_arx.md", "people.csv"),
}
