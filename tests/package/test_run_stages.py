"""What a run keeps of itself, what it takes from the project, and what ends it before anything is written."""

from __future__ import annotations

import json
import re
from functools import partial
from html import unescape

import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput, BrokenPromise, OverLimit
from microveil.core.numbers import format_number
from microveil.measure import Scenario
from microveil.package import run_project
from microveil.package.stages import STAGES
from microveil.plan import Plan, Project
from microveil.plan.release_plan import Published, ReleasePlan
from microveil.run.contract import Step
from tests.package.releases import KEY, released
from tests.package.test_running import MICRO, left_in, project_in

RELEASE = """
release:
  title: Incomes 2026
  kind: scientific
  formats: [csv, parquet]
  review: 2099-02-28
  signers: [Jane Doe]
"""
UTILITY = """
utility:
- {name: mean income, statistic: mean, of: income, by: [sex], tolerance: 0.3}
- {name: sexes, table: [sex], tolerance: 0}
"""


def with_sections(folder, *sections: str, plan: Plan | None = None):
    """A project with further sections at its end."""
    project = project_in(folder, plan)
    project.write_text(project.read_text() + "".join(sections))
    return project


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    return run_project(with_sections(folder, RELEASE, UTILITY), measures=["pil"], seed=KEY, date="2026-11-16")


def kept(made, name: str):
    return json.loads((made.package.internal / name).read_text())


def test_the_release_section_says_what_is_made(made):
    assert set(made.package.data) == {"data.csv", "data.parquet"}
    said = json.loads((made.package.public / "certificate.json").read_text())["predicate"]
    assert (said["title"], said["review"]) == ("Incomes 2026", "2099-02-28")


def test_options_count_more_than_the_section(tmp_path):
    project = with_sections(tmp_path, RELEASE)
    other = run_project(project, measures=["pil"], title="Other", formats=["feather"], review="2099-01-01")
    said = json.loads((other.package.public / "certificate.json").read_text())["predicate"]
    assert (said["title"], said["review"], other.package.data) == ("Other", "2099-01-01", ("data.feather",))


def test_the_manifest_tells_what_came_in(made):
    source = made.package.folder.parents[1] / "secret-survey.csv"
    said = kept(made, "manifest.json")
    assert said["sha256"] == mv.io.sha256_of(source)
    assert (said["file"], said["bytes"], said["records"]) == ("secret-survey.csv", source.stat().st_size, 120)
    columns = {one["name"]: one for one in said["columns"]}
    assert list(columns) == ["name", "home", "sex", "region", "income", "weight"]
    assert (columns["region"]["missing"], columns["income"]["type"], columns["sex"]["role"]) == (4, "Float64", "key")


def test_figures_before_have_intervals(made):
    said = kept(made, "before.json")
    assert said["risk"]["original"]["records"] == 120
    values = said["utility"][0]["values"]
    assert [one["of"] for one in values] == ["1", "2"]
    assert all(one["low"] < one["value"] < one["high"] for one in values)


def test_every_stage_is_logged_with_its_time(made):
    lines = [json.loads(line) for line in (made.package.internal / "stages.jsonl").read_text().splitlines()]
    assert [line["stage"] for line in lines] == list(STAGES)
    assert all(line["seconds"] >= 0 for line in lines)
    assert [line["began"] for line in lines] == sorted(line["began"] for line in lines)


def test_figures_that_survive_are_told(made):
    assert [one.kept for one in made.reached] == [True, True]
    assert kept(made, "run.json")["utility"][1]["found"] == 0
    page = (made.package.internal / "sign_off.html").read_text(encoding="utf-8")
    found, limits = page.split("Known limits")
    assert "Figures that must survive" in found
    assert all(unescape(one.told) in unescape(found) for one in made.reached)
    assert not any(one.told in unescape(limits) for one in made.reached)


def test_figures_stand_in_both_reports(made):
    inside, outside = (
        re.sub(r"<style>.*?</style>|<[^>]+>|\s+", " ", (folder / "report.html").read_text(encoding="utf-8"))
        for folder in (made.package.internal, made.package.public)
    )
    mean = made.reached[0]
    assert "Figures that must survive" in inside
    assert mean.told in unescape(inside)
    assert all(format_number(number) in inside for _, *both in mean.values for number in both)
    assert "mean of income by sex: each is at most 30 % off the original" in outside
    assert "table of sex: at most 0 % of the records would have to stand in another cell" in outside
    changed = [format_number(before) for _, before, after in mean.values if before != after]
    assert changed
    assert not any(number in outside for number in (*changed, format_number(100 * mean.found)))


def test_all_that_is_kept_is_in_the_internal_certificate(made):
    subjects = {one["name"] for one in kept(made, "certificate.json")["subject"]}
    assert {"manifest.json", "before.json", "stages.jsonl", "run.json"} <= subjects
    public = {path.name for path in made.package.public.iterdir()}
    assert public == {"data.csv", "data.parquet", "codebook.xml", "codebook.txt", "report.html", "certificate.json"}


def test_the_same_key_and_day_give_the_same_bytes(made, tmp_path):
    again = run_project(with_sections(tmp_path, RELEASE, UTILITY), measures=["pil"], seed=KEY, date="2026-11-16")
    for path in made.package.public.iterdir():
        assert (again.package.public / path.name).read_bytes() == path.read_bytes(), path.name


def test_a_figure_that_is_lost_ends_the_run_and_a_change_is_named(tmp_path):
    goal = "\nutility:\n- {name: spread, statistic: variance, of: income, tolerance: 0.0001}\n"
    with pytest.raises(OverLimit, match=r"a figure that must survive does not survive\. Nothing was written") as end:
        run_project(with_sections(tmp_path, goal), measures=["pil"])
    assert end.value.lines[0].startswith("- spread (weighted variance of income) is NOT kept: ")
    assert end.value.lines[1:] == (
        "The change that was tried does not keep every limit, rule and figure on these 120 records. What was tried:",
        "- k=2 instead of 5",
    )
    assert left_in(tmp_path) == set()


def test_only_changes_that_keep_everything_are_named(tmp_path):
    goal = "\nutility:\n- {name: spread, statistic: variance, of: income, tolerance: 0.2}\n"
    coarse = Plan([(mv.mask.Microaggregation(partition=mv.partition.MDAV(k=30)), ["income"])])
    with pytest.raises(OverLimit) as end:
        run_project(with_sections(tmp_path, goal, plan=coarse), measures=["pil"])
    head, change = end.value.lines[1:]
    assert head == "What would help: every limit, rule and figure was kept on these 120 records by"
    assert change.startswith("- k=15 instead of 30: loss of amounts (PIL) ")


def test_identifiers_are_not_released_and_no_figure_of_theirs_survives(tmp_path):
    goal = "\nutility:\n- {name: names, table: [name], tolerance: 0}\n"
    with pytest.raises(OverLimit, match=r"names .* is NOT kept: the release has no column name"):
        run_project(with_sections(tmp_path, goal), measures=["pil"], advice=False)


def test_a_rule_that_breaks_ends_the_run(tmp_path):
    noise = Plan([(mv.mask.UncorrelatedNoise(p=3), ["income"])])
    with pytest.raises(BrokenPromise, match=r"rules of the data do not hold: \d+ records break 'income >= 0'"):
        run_project(with_sections(tmp_path, plan=noise), measures=["pil"])
    assert left_in(tmp_path) == set()


def test_limits_that_are_not_kept_come_with_measured_advice(tmp_path):
    friend = Scenario("friend", ("sex", "region"), thresholds={"risk": 0.05})
    with pytest.raises(OverLimit, match=r"'friend' is not kept.*Nothing was written") as end:
        run_project(project_in(tmp_path, scenarios=(friend,)), measures=["pil"])
    told = end.value.lines[-2:]
    assert told[0] == "What would help: every limit, rule and figure was kept on these 120 records by"
    assert told[1].startswith("- local-suppression (k: 20) on sex and region, at the end: loss of amounts")
    assert left_in(tmp_path) == set()


@pytest.mark.long
def test_a_project_without_a_plan_is_searched(tmp_path, monkeypatch):
    some = partial(mv.study.search, trials=2, workers=1, seed=1)  # so that no clock decides
    monkeypatch.setattr(mv.study, "search", some)
    project = project_in(tmp_path)
    text = project.read_text()
    head, _ = text.split("\nplan:\n")
    search = "\nsearch: {methods: [micro-hybrid]}\n"
    project.write_text(head + search)
    made = run_project(project, measures=["pil"])
    inside = Project.load(made.package.internal / "project.yaml")
    assert inside.plan is not None
    assert "chosen by a search among" in made.told[0]
    assert "# chosen by a search among" in inside.written
    assert [record.step for record in made.release.steps] == list(inside.plan.steps)
    assert project.read_text() == head + search  # the project itself stays as it was


def test_the_command_shows_attacks_figures_and_what_comes_next(tmp_path, run):
    project = with_sections(tmp_path, UTILITY)
    out = run("run", project, "--measures", "pil")
    assert "What each attack found" in out
    assert "mean income (weighted mean of income by sex) is kept" in out
    package = tmp_path / "runs" / "0001" / "package"
    assert f"microveil sign {package} --key FILE" in out.replace("  ", " ")


@pytest.mark.parametrize(
    ("fraction", "told"), [(0.9, "12 of 120 records are left out"), (0.992, "1 of 120 records is left out")]
)
def test_the_command_tells_records_that_were_left_out(tmp_path, run, fraction, told):
    step = Step(mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)), ["income"])
    plan = Plan([mv.mask.Sample(fraction=fraction), step])
    out = run("run", project_in(tmp_path, plan), "--measures", "pil", match=f"note: {told}")
    assert len(re.findall(rf"\b{told.split()[0]} (?:records )?of 120", out)) == 1


def test_the_reason_why_records_are_left_out_is_told_with_their_number_once(tmp_path, run):
    project = project_in(tmp_path, Plan([Step(MICRO[0], MICRO[1], missing="drop")]), ())
    source = tmp_path / "secret-survey.csv"
    before, frame = mv.io.sha256_of(source), pd.read_csv(source)
    frame.loc[:3, "income"] = None
    frame.to_csv(source, index=False)
    stated = project.read_text().replace(before, mv.io.sha256_of(source))
    project.write_text(f"{stated}\nrelease: {{as_they_are: [sex]}}\n")
    out = run("run", project, "--measures", "pil")
    assert "note: 4 of 120 records with missing values in 'income' (4) were left out" in " ".join(out.split())
    assert len(re.findall(r"4 (?:records )?of 120", out)) == 1


def test_the_command_ends_with_1_where_a_figure_is_lost(tmp_path, run):
    goal = "\nutility:\n- {name: spread, statistic: variance, of: income, tolerance: 0}\n"
    out = run("run", with_sections(tmp_path, goal), "--measures", "pil", status=1)
    assert "spread (weighted variance of income) is NOT kept" in " ".join(out.split())
    assert left_in(tmp_path) == set()


@pytest.mark.parametrize(
    ("figure", "why"),
    [
        ("{statistic: sum, of: name, value: 9}", "has no column 'name'"),
        ("{statistic: sum, of: region, value: 180}", "'region' holds no numbers"),
        ("{statistic: count, where: {region: west}, value: 9}", "no record of the file is among these"),
    ],
)
def test_a_published_figure_that_cannot_be_compared_ends_the_run(tmp_path, figure, why):
    project = with_sections(tmp_path, f"\nrelease: {{published: [{figure}]}}\n")
    with pytest.raises(BadInput, match=r"or take it out of `published`\. Nothing was written") as end:
        run_project(project, measures=["pil"])
    assert why in str(end.value)
    assert left_in(tmp_path) == set()


def test_a_package_is_not_written_beside_a_figure_that_cannot_be_compared(tmp_path):
    stated = ReleasePlan(published=(Published("sum", 9.0, "name"),))
    with pytest.raises(BrokenPromise, match="cannot be compared: the file has no column 'name'"):
        mv.package.write_package(released(), tmp_path / "x", stated=stated)
    assert left_in(tmp_path) == set()
