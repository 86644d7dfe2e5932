"""`microveil benchmark`: a league on the terminal, a page with maps, and going on where it stopped."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from microveil.benchmark import running
from microveil.cli import stopping
from microveil.cli.app import app
from microveil.core.errors import BadInput, UnknownName
from microveil.study.workers import Here

runner = CliRunner()


@pytest.mark.long
def test_a_league_and_a_page_and_nothing_is_run_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("microveil.benchmark.data._ENTERPRISES", 120)
    monkeypatch.setattr(running, "Workers", lambda begin, *_: Here(begin()))
    asked = ["benchmark", "generated", "--most", "2", "--docs", "docs"]
    result = runner.invoke(app, asked)
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0] == "generated: 2 plans, 2 of them in the league."
    assert lines[1].split()[:2] == ["place", "plan"]
    assert any("  uncorrelated-noise (p: 0.04) " in line for line in lines[2:4])
    assert "All results are in benchmark/; the same command goes on from there." in lines
    page = Path("docs/benchmark.md").read_text()
    assert "`uncorrelated-noise (p: 0.02)`" in page
    assert Path("docs/benchmark_generated.svg").read_text().startswith("<svg")
    monkeypatch.setattr(running, "_measure", None)
    again = runner.invoke(app, asked)
    assert again.exit_code == 0, again.output
    assert Path("docs/benchmark.md").read_text() == page


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        (["cencus"], UnknownName, "did you mean 'census'"),
        (["generated", "--most", "0"], BadInput, "0 was given"),
        (["generated", "--most-seconds", "0"], BadInput, "0 was given"),
        (["generated", "--docs", __file__], BadInput, "is a file; name a folder"),
    ],
)
def test_what_cannot_be_run_is_told_before_anything_runs(tmp_path: Path, monkeypatch, asked, error, message):
    monkeypatch.chdir(tmp_path)
    result = runner.invoke(app, ["benchmark", *asked])
    assert isinstance(result.exception, error)
    assert message in str(result.exception)
    assert not list(tmp_path.iterdir())


def test_who_stops_it_is_told_of_the_journal(tmp_path: Path):
    told: list[tuple[str, int, int]] = []
    stopping._written.clear()
    show = stopping.note_begun(
        tmp_path / "a.jsonl", "the same command goes on from there", lambda *one: told.append(one)
    )
    show("first", 1, 2)
    assert stopping._written == []
    (tmp_path / "a.jsonl").write_text("")
    show("second", 2, 2)
    show("third", 2, 2)
    assert stopping._written == [f"{tmp_path / 'a.jsonl'} (the same command goes on from there)"]
    assert len(told) == 3
