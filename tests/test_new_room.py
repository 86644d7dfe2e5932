"""A new room of measures is the room itself and one line: everything else reads what it says."""

from __future__ import annotations

import importlib
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest
from typer.testing import CliRunner

import microveil as mv
from microveil import _rooms
from microveil.cli.app import app
from microveil.cli.completion import all_names, measures_named
from microveil.core import registry
from microveil.core.errors import UnknownName
from microveil.measure import Measure, MeasureFamily, Scenario
from microveil.plan.evaluation import default_measures
from microveil.report import catalogue_text
from microveil.testing import check_class

# what the author of a room writes: it imports nothing from other rooms of measures
ROOM = '''
"""Probes."""

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from microveil.core.parameters import Example
from microveil.measure import Measure, MeasureFamily, Question, Scenario
from microveil.measure.keys import common_codes
from microveil.measure.scenarios import refuse_same_names, resolve_columns
from microveil.measure.shares import share_interval


class Probe(
    Measure,
    family=MeasureFamily(
        "probe",
        title="Probes",
        one="probe",
        order=80,
        heading="What probes find",
        asked=17,
        questions=(Question("What do probes find?", "Intruders who know more than the file."),),
    ),
):
    """Base of all probes."""


@dataclass(frozen=True, kw_only=True)
class EqualValues(Probe, name="equal-values"):
    """Per cent of records found by those who know some values exactly; ties share the link."""

    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal", "nominal")
    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    paired: ClassVar[bool] = True
    quick: ClassVar[bool] = True
    reidentifies: ClassVar[bool] = True
    verdict_limit: ClassVar[float] = 1_000
    title: ClassVar[str] = "Equal values"
    reference: ClassVar[str] = "none"

    scenarios: Annotated[
        tuple[Scenario, ...], Example([{"name": "neighbour", "keys": ["age"]}]), "the intruders considered"
    ] = ()

    def validate(self):
        refuse_same_names(self.scenarios)

    def take_scenarios(self, scenarios, missing):
        return replace(self, scenarios=tuple(scenarios))

    @property
    def stated_scenarios(self):
        return self.scenarios

    def choose(self, pair):
        return resolve_columns(self.scenarios, pair) or pair.known

    def measure(self, pair):
        known = {one.name: one.columns for one in self.scenarios} or {"": pair.columns}
        found = {name: self._found(pair, columns) for name, columns in known.items()}
        value = max(found.values())
        interval = share_interval(value, len(pair.linked_rows[1]))
        return self.measured(value, parts=found, interval=interval, reading=f"{value:.3g} % of the records are found.")

    def reidentified(self, result):
        if not self.scenarios:
            return super().reidentified(result)
        parts = [part.parts for part in result.domains.values()] or [result.parts]
        return {one.name: max(part[one.name] for part in parts) for one in self.scenarios}

    def _found(self, pair, columns):
        left, right = pair.linked_rows
        before, after = common_codes(*pair.tables(columns))
        equal = (before[left][:, None, :] == after[right][None, :, :]).all(axis=2)
        own = np.diagonal(equal)
        return 100.0 * float((own / np.maximum(equal.sum(axis=1), 1)).mean()) if len(own) else 0.0
'''


@pytest.fixture
def probe(tmp_path, monkeypatch) -> ModuleType:
    folder = tmp_path / "rooms" / "probe"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(ROOM)
    monkeypatch.setattr(mv, "__path__", [*mv.__path__, str(folder.parent)])
    monkeypatch.setattr(_rooms, "ROOMS", (*_rooms.ROOMS, "probe"))  # the one line
    registry._load_all.cache_clear()
    yield mv.probe
    for name in [name for name, cls in registry._REGISTERED.items() if cls.__module__ == "microveil.probe"]:
        del registry._REGISTERED[name]
    del sys.modules["microveil.probe"], mv.probe


@pytest.fixture
def files() -> tuple[mv.Microdata, pd.DataFrame]:
    """Of eight records, three keep their amount, and one of these shares it; the towns are as they were."""
    frame = pd.DataFrame(
        {
            "town": ["a", "a", "b", "b", "c", "c", "d", "d"],
            "income": [10.5, 20.5, 30.5, 40.5, 50.5, 60.5, 70.5, 80.5],
        }
    )
    data = mv.Microdata(frame, roles={"town": "key", "income": "confidential"})
    released = frame.assign(income=[10.5, 20.5, 31.5, 42.5, 53.5, 64.5, 75.5, 86.5])
    return data, released


def test_an_evaluation_lists_it_in_its_place(probe, files):
    found = mv.evaluate(*files)
    assert [family.name for family in found.families] == ["loss", "risk", "attack", "probe"]
    assert [line.measure.name for line in found.of("probe")] == ["equal-values"]
    assert found["equal-values"].value == 25.0
    assert list(found.to_json())[-5:] == ["loss", "risk", "attack", "probe", "score"]
    assert found.to_json()["probe"][0]["value"] == 25.0
    rows = found.to_frame()
    assert rows[rows.family == "probe"].question.tolist() == ["What do probes find?"]
    # its questions come after those about risk and before those about loss
    assert list(dict.fromkeys(rows.family)) == ["risk", "attack", "probe", "loss"]
    assert "\nprobe\n  Equal values" in repr(found)
    assert "What do probes find?" in found._repr_html_()


def test_a_family_of_which_nothing_was_asked_has_no_heading(probe, files):
    found = mv.evaluate(*files, measures=["pil"])
    assert [family.name for family in found.families] == ["loss"]
    assert "probe" not in repr(found)
    assert found.to_json()["probe"] == found.to_json()["risk"] == []


def test_quick_measures_say_so_themselves(probe):
    assert [measure.name for measure in default_measures() if measure.quick and measure.family == "probe"]
    names = {measure.name for measure in mv.plan.evaluation.choose_measures("quick")}
    assert {"equal-values", "pil", "distance-linkage", "scenario-risk"} <= names
    assert "suda" not in names


def test_the_worst_case_takes_it_in_with_its_scenarios(probe, files):
    plain = mv.evaluate(*files, measures=["equal-values"])
    assert plain.worst.value == 25.0
    assert "(Equal values)" in plain.worst.reading
    stated = mv.evaluate(*files, measures=["equal-values"], scenarios=[Scenario("neighbour", known=["town"])])
    assert stated.worst.parts == {"Equal values, scenario neighbour": 50.0}
    assert "Distance-based record linkage" in stated.worst.reading.partition("Not tried")[2]
    assert "Equal values" not in stated.worst.reading.partition("Not tried")[2]
    assert stated.lines[0].scenarios == (Scenario("neighbour", known=["town"]),)
    with pytest.raises(
        mv.core.errors.UnknownName, match="scenario 'x': there is no column 'towm'; did you mean 'town'"
    ):
        probe.EqualValues(scenarios=[Scenario("x", known=["towm"])])(*files)


def test_a_verdict_tries_it_up_to_its_limit(probe, files, monkeypatch):
    pair = mv.measure.Pair.of(*files)
    assert "Equal values" in mv.plan.verdict_of_pair(pair).worst.parts
    monkeypatch.setattr(probe.EqualValues, "verdict_limit", 7)
    worst = mv.plan.verdict_of_pair(pair).worst
    assert "Equal values" not in worst.parts
    assert "Not tried, so that more may be found: Equal values." in worst.reading


def test_the_command_line_shows_and_completes_it(probe, files, tmp_path):
    before, after, out = tmp_path / "before.csv", tmp_path / "after.csv", tmp_path / "figures.json"
    files[0].frame.to_csv(before, index=False)
    files[1].to_csv(after, index=False)
    page = tmp_path / "page.html"
    asked = [
        "--rows",
        "aligned",
        "--measures",
        "pil,uniqueness,equal-values",
        "--json",
        str(out),
        "--report",
        str(page),
    ]
    said = CliRunner().invoke(app, ["evaluate", str(before), str(after), *asked])
    assert said.exit_code == 0, said.output
    headings = [said.output.index(text) for text in ("\nWhat is lost\n", "\nWhat is at risk\n", "\nWhat probes find\n")]
    assert headings == sorted(headings)
    assert [line["title"] for line in json.loads(out.read_text())["probe"]] == ["Equal values"]
    assert "<h3>What do probes find?</h3>" in page.read_text()
    assert {"probe", "equal-values"} <= set(all_names())
    assert "pil,equal-values" in measures_named("pil,")
    listed = CliRunner().invoke(app, ["methods", "probe"])
    assert "equal-values (probe): Per cent of records found" in " ".join(listed.output.split())


def test_the_catalogue_has_it_in_its_place(probe):
    text = catalogue_text()
    places = [text.index(title) for title in ("## Measures of risk", "## Probes (`mv.probe`)\n\n### EqualValues")]
    assert places == sorted(places)
    assert "| EqualValues | yes | no | yes | yes |" in text
    with pytest.raises(UnknownName, match="equal-values is a probe, not a mask"):
        registry.find("equal-values", mv.mask.base.Mask)


def test_the_common_suite_checks_it(probe):
    check_class(probe.EqualValues)


def test_nothing_above_measures_knows_a_family_by_its_name():
    package = Path(mv.__file__).parent
    asked = re.compile(
        r"\bfamily\s*(?:==|!=|(?:not )?in)\s*[(\[{\"']|\.of\(\"(?:loss|risk)\"\)|microveil\.(?:loss|risk)\.base"
    )
    for room in ("plan", "report", "testing", "cli"):
        for path in (package / room).rglob("*.py"):
            assert not asked.search(path.read_text(encoding="utf-8")), path


def test_a_room_that_is_not_there_is_an_error(monkeypatch):
    monkeypatch.setattr(_rooms, "ROOMS", (*_rooms.ROOMS, "atack"))
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'microveil\.atack'"):
        registry._load_all.__wrapped__()


def test_type_checkers_see_every_room():
    text = importlib.resources.files(mv).joinpath("__init__.py").read_text(encoding="utf-8")
    for room in _rooms.ROOMS:
        assert f"    from microveil import {room} as {room}\n" in text
        assert room in mv.__all__
        assert getattr(mv, room).__name__ == f"microveil.{room}"


def test_a_family_with_a_name_alone_is_shown_too(files):
    class Sound(Measure, family="sound"):
        def measure(self, pair):
            return self.measured(1.0, reading="It is loud.")

    found = mv.evaluate(*files, measures=[Sound()])
    assert Sound.described == MeasureFamily("sound")
    assert [family.heading for family in found.families] == ["Measures of sound"]
    assert list(found.to_json())[-1] == "sound"
    assert found.to_frame().question.tolist() == ["Measures of sound"]


def test_a_family_of_measures_is_described_as_one():
    with pytest.raises(
        mv.core.BadInput, match="Odd describes its family by a Family; give a MeasureFamily, or the name"
    ):

        class Odd(Measure, family=registry.Family("odd")):
            pass
