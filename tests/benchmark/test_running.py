"""Running the benchmark: the same figures after a stop, what takes too long, a journal about something else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import microveil as mv
from microveil.benchmark import running
from microveil.benchmark.data import data_called
from microveil.benchmark.entries import Entry
from microveil.benchmark.figures import taken
from microveil.benchmark.journal import VERSION, Journal, Result
from microveil.core.errors import BadInput
from microveil.core.streams import Key
from microveil.data import Microdata
from microveil.plan import Plan
from microveil.study.lines import mark_of_key
from tests.study.toys import Slow

DATA = Microdata.of(data_called("generated").frame.slice(0, 60).select(["residential_revenue", "total_sales"]))
ENTRIES = [
    Entry("swap", "mask", Plan([mv.mask.RankSwap(p=5)])),
    Entry("ipso", "synth", Plan([mv.synth.Ipso()])),
    Entry("large", "mask", Plan([mv.mask.Microaggregation(partition=mv.partition.MDAV(k=500))])),
]
KEY = Key.of("any")


def without_seconds(results: dict[str, Result]) -> list[dict]:
    return [{**vars(one), "seconds": 0} for one in results.values()]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Journal:
    journal = Journal(tmp_path_factory.mktemp("whole") / "a.jsonl", {"data": "x"})
    running.run_entries(DATA, ENTRIES, journal, KEY)
    return journal


def test_figures_are_those_of_the_measures(whole: Journal):
    swap, ipso, large = whole.results.values()
    assert set(swap.figures) == set(taken())
    assert swap.parts["worst"][swap.worst_by] == swap.figures["worst"]
    key = running._key_for(ENTRIES[0], KEY)
    assert swap.figures["PIL"] == mv.loss.PIL()(DATA, ENTRIES[0].plan.run(DATA, seed=key)).value
    # synthetic records came from no one
    assert {"IL", "score", "SSE"} <= set(ipso.silent)
    assert "PIL" in ipso.figures
    assert large.problem.startswith("microaggregation needs at least k=500 records")
    assert large.figures == {}


def test_a_run_that_was_stopped_goes_on_and_finds_the_same(whole: Journal, tmp_path: Path, monkeypatch):
    text = whole.path.read_text()
    lines = text.splitlines(keepends=True)
    path = tmp_path / "b.jsonl"
    path.write_text("".join(lines[:2]) + lines[2][: len(lines[2]) // 2])  # killed while writing
    journal = Journal(path, {"data": "x"})
    assert list(journal.results) == [ENTRIES[0].text]
    asked = []
    measure = running._measure
    monkeypatch.setattr(running, "_measure", lambda entry, *rest: asked.append(entry.label) or measure(entry, *rest))
    running.run_entries(DATA, ENTRIES, journal, KEY)
    assert asked == ["ipso", "large"]
    assert without_seconds(journal.results) == without_seconds(whole.results)
    assert without_seconds(Journal(path, {"data": "x"}).results) == without_seconds(whole.results)
    assert len(path.read_text().splitlines()) == 4


def test_a_journal_that_was_killed_before_its_first_line_begins_anew(tmp_path: Path):
    path = tmp_path / "b.jsonl"
    path.write_text('{"version"')
    assert Journal(path, {"data": "x"}).results == {}
    assert json.loads(path.read_text()) == {"version": VERSION, "data": "x"}


def test_a_journal_about_something_else_is_refused(whole: Journal, tmp_path: Path):
    with pytest.raises(BadInput, match="is about another file; give another folder"):
        Journal(whole.path, {"data": "y"})
    with pytest.raises(BadInput, match="has another seed; give another folder"):
        Journal(whole.path, {"data": "x", "key": mark_of_key("another")})
    other = tmp_path / "other.jsonl"
    other.write_text(whole.path.read_text().replace(f'"version": {VERSION}', f'"version": {VERSION + 1}', 1))
    with pytest.raises(BadInput, match="is of another version of benchmarks; give another folder"):
        Journal(other, {"data": "x"})
    strange = tmp_path / "strange.jsonl"
    strange.write_text("a,b\n1,2\n")
    with pytest.raises(BadInput, match=r"line 1 of .* is no line of a journal"):
        Journal(strange, {"data": "x"})


DAMAGED = {
    "figure that is a text": {"figures": {"PIL": "7"}},
    "figure that is nan": {"figures": {"PIL": float("nan")}},
    "figure below its bounds": {"figures": {"worst": -1.0}},
    "figure of another name": {"figures": {"trust": 1.0}},
    "parts that are none": {"parts": {"PIL": None}},
    "seconds that are nan": {"seconds": float("nan")},
    "label that is a number": {"label": 7},
    "plan that is none": {"text": "7"},
    "another field": {"more": 1},
}


@pytest.mark.parametrize("change", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_line_is_told_with_its_number(change, whole: Journal, tmp_path: Path):
    head, first, *others = whole.path.read_text().splitlines()
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join([head, json.dumps({**json.loads(first), **change}), *others, ""]))
    before = path.read_bytes()
    with pytest.raises(BadInput, match=r"line 2 of .* is no line of a journal, or it was damaged"):
        Journal(path, {"data": "x"})
    assert path.read_bytes() == before


def test_a_plan_that_stands_there_twice_is_told(whole: Journal, tmp_path: Path):
    lines = whole.path.read_text().splitlines(keepends=True)
    path = tmp_path / "a.jsonl"
    path.write_text("".join([*lines, lines[1]]))
    with pytest.raises(BadInput, match=r"lines 2 and 5 of .* are about the same plan"):
        Journal(path, {"data": "x"})
    path.write_bytes(b"".join([lines[0].encode(), b"[" * 100_000, b"\n"]))
    with pytest.raises(BadInput, match=r"line 2 of .* is no line of a journal"):
        Journal(path, {"data": "x"})


@pytest.mark.long
def test_what_takes_too_long_is_noted_and_not_tried_again(tmp_path: Path):
    slow = Entry("slow", "toys", Plan([Slow()]))
    journal = Journal(tmp_path / "a.jsonl", {})
    running.run_entries(DATA, [slow], journal, KEY, 1)
    (found,) = journal.results.values()
    assert found.problem == "it took more than a second and was given up"
    running.run_entries(DATA, [slow], Journal(tmp_path / "a.jsonl", {}), KEY)  # here it would take half a minute


@pytest.mark.full
def test_a_process_of_its_own_finds_the_same(whole: Journal, tmp_path: Path):
    journal = Journal(tmp_path / "a.jsonl", {})
    running.run_entries(DATA, ENTRIES[:1], journal, KEY, 120)
    assert without_seconds(journal.results) == without_seconds(whole.results)[:1]


@pytest.mark.parametrize(
    ("numbers", "message"), [((0, None), "most must be 1"), ((None, 0), "most_seconds must be above")]
)
def test_numbers_with_which_nothing_runs_are_refused(numbers, message, tmp_path: Path):
    with pytest.raises(BadInput, match=message):
        running.run("generated", tmp_path, most=numbers[0], most_seconds=numbers[1])
    assert not list(tmp_path.iterdir())
