"""Runs: from a project to a package, and to nothing wherever something fails."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from types import SimpleNamespace

import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput, BrokenPromise, FileProblem, OverLimit
from microveil.measure import Scenario
from microveil.package import audit, run_project, running
from microveil.package.contents import public_predicate
from microveil.package.stages import STAGES
from microveil.plan import Plan, Project
from microveil.plan.release_plan import ReleasePlan
from tests.package.releases import FACTS, KEY, people
from tools.faults import wait_for_watcher

MICRO = (mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)), ["income"])
KEPT = Scenario("neighbour", ("sex",), thresholds={"risk": 0.2})
OVER = Scenario("friend", ("sex", "region", "home"), thresholds={"risk": 0.2})


def project_in(folder, plan: Plan | None = None, scenarios: tuple[Scenario, ...] = (KEPT,), search=None):
    """A folder with data and a project about them."""
    source = folder / "secret-survey.csv"
    people().frame.to_pandas().to_csv(source, index=False)
    columns = {name: {"role": role} for name, role in FACTS["roles"].items()}
    columns["sex"]["kind"] = "nominal"
    columns["region"]["role"] = "other"  # a key would have to be in a step or a scenario
    Project(
        source.name,
        mv.io.sha256_of(source),
        columns,
        plan=plan or Plan([MICRO]),
        scenarios=scenarios,
        constraints=tuple(FACTS["edits"]),
        search=search or {},
    ).save(folder / "project.yaml")
    return folder / "project.yaml"


def left_in(folder) -> set[str]:
    """Everything but the inputs."""
    return {path.name for path in folder.rglob("*")} - {"secret-survey.csv", "project.yaml", "runs"}


@pytest.mark.long
def test_runs_are_numbered_and_pass_their_audit(tmp_path):
    project = project_in(tmp_path)
    first = run_project(project, measures=["pil"], formats=["csv", "parquet"], seed=KEY)
    second = run_project(project, measures=["pil"])
    assert [made.package.folder.name for made in (first, second)] == ["0001", "0002"]
    assert first.verdict.ok
    inside = first.package.internal
    assert (inside / "project.yaml").read_text() == project.read_text()
    found = audit(first.package.public, log=inside / "log.json", original=tmp_path / "secret-survey.csv")
    assert found.ok, str(found)
    assert audit(first.package.public, project=inside / "project.yaml").ok  # by the log beside it
    alone = shutil.copytree(first.package.public, tmp_path / "elsewhere")
    assert audit(alone, project=inside / "project.yaml").undecided  # nobody sees log or original there
    for path in first.package.public.iterdir():
        assert b"secret-survey" not in path.read_bytes()


def test_a_key_that_no_step_changes_and_no_scenario_knows_leaves_by_word_only(tmp_path):
    project = project_in(tmp_path)
    text = project.read_text().replace("region: {role: other", "region: {role: key")
    project.write_text(text)
    told = (
        r"region is a key that leaves as in the file, and no scenario knows it.*as_they_are: \[region\]\)\. Nothing was"
    )
    with pytest.raises(BrokenPromise, match=told):
        run_project(project, measures=["pil"])
    assert left_in(tmp_path) == set()
    project.write_text(f"{text}\nrelease:\n  as_they_are: [region]\n")  # a scenario knows sex
    made = run_project(project, measures=["pil"])
    assert "The project states that region may leave as in the file." in made.told
    assert "states that region may leave as in the file" in (made.package.internal / "sign_off.html").read_text()


def test_keys_in_which_a_step_keeps_its_k_are_judged_though_nothing_had_to_change(tmp_path):
    project = project_in(tmp_path, Plan([(mv.mask.KAnonymise(k=2), ["sex"]), MICRO]), scenarios=())
    made = run_project(project, measures=["pil"])
    assert "sex" in made.release.as_they_are.columns


@pytest.mark.parametrize("odd", [".", "nowhere"])
def test_an_earlier_run_that_is_none_is_told_with_its_line_before_anything_is_done(tmp_path, odd):
    project = project_in(tmp_path)
    (tmp_path / "0007" / "internal").mkdir(parents=True)
    text = project.read_text() + f"\nrelease:\n  earlier:\n  - 0007\n  - {odd}\n".replace("0007", "'0007'")
    project.write_text(text)
    line = len(text.splitlines())
    shown = []
    with pytest.raises(FileProblem, match=rf"of an earlier run.*; name .* \(line {line} of the project\)"):
        run_project(project, measures=["pil"], progress=lambda *stage: shown.append(stage))
    assert not shown


def test_stages_are_shown(tmp_path):
    shown = []
    run_project(project_in(tmp_path), measures=["pil"], progress=lambda *stage: shown.append(stage))
    assert [stage for stage, _, _ in shown] == list(STAGES)
    assert [(number, total) for _, number, total in shown] == [(place, 10) for place in range(1, 11)]


def test_a_limit_that_is_not_kept_leaves_nothing(tmp_path):
    with pytest.raises(OverLimit, match="'friend' is not kept"):
        run_project(project_in(tmp_path, scenarios=(OVER,)), measures=["pil"])
    assert left_in(tmp_path) == set()


@pytest.mark.parametrize(
    ("search", "message"),
    [
        ({"at_most": {"worst-case": 0.5}}, "worst-case may be 0.5 at most, and "),
        ({"at_most": {"pil": 0}, "objectives": ["pil", "distance-linkage"]}, "pil may be 0 at most, and "),
        ({"at_most": {"neighbour": 0}}, "neighbour may be 0 at most, and "),
        ({"require": ["CovariancesKept"]}, "it does not promise that "),
    ],
)
def test_a_limit_of_the_search_that_a_plan_does_not_keep_leaves_nothing(tmp_path, search, message):
    project = project_in(tmp_path, search=search)
    with pytest.raises(OverLimit, match=rf"search section of the project .*: {message}.*Nothing was written"):
        run_project(project, measures=["pil"], seed=KEY)
    assert left_in(tmp_path) == set()


def test_limits_of_the_search_that_are_kept_are_told(tmp_path):
    project = project_in(tmp_path, search={"at_most": {"worst-case": 100, "pil": 100}, "require": ["MeansKept"]})
    made = run_project(project, measures=["pil"], seed=KEY)
    kept = json.loads((made.package.internal / "run.json").read_text())["limits_of_search"]
    assert [one.split(" may be ")[0] for one in kept[:2]] == ["worst-case", "pil"]
    assert len(kept) == 3
    assert (
        "A limit of the search is kept: pil may be 100 at most" in (made.package.internal / "sign_off.html").read_text()
    )


def test_a_limit_of_the_search_that_no_attack_judges_is_told_and_not_called_kept(tmp_path):
    source, names = tmp_path / "firms.csv", ["total_revenue", "total_sales"]
    mv.datasets.make_enterprises(60, seed=1).select(names).to_pandas().to_csv(source, index=False)
    project = tmp_path / "project.yaml"
    Project(
        source.name,
        mv.io.sha256_of(source),
        {name: {"role": "confidential"} for name in names},
        plan=Plan([mv.synth.Ipso()]),
        scenarios=(Scenario("rival", known=("total_sales",)),),
        search={"at_most": {"rival": 100, "worst-case": 100}},
    ).save(project)
    made = run_project(project, measures=["pil"], seed=KEY)
    told = json.loads((made.package.internal / "run.json").read_text())
    assert [one.split(" may be ")[0] for one in told["limits_of_search"]] == ["worst-case"]
    (unjudged,) = told["limits_of_search_not_judged"]
    assert unjudged.startswith("no attack of scenario 'rival' applies to these records, which are synthetic")
    sentence = f"A limit of the search was not judged: {unjudged}."
    assert sentence in made.told
    assert sentence in (made.package.internal / "sign_off.html").read_text().replace("&#39;", "'")


def test_a_limit_of_the_search_that_cannot_be_is_told_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "_protect", None)
    with pytest.raises(BadInput, match="more of k-anonymity is better"):
        run_project(project_in(tmp_path, search={"at_most": {"k-anonymity": 3}}))


def test_promises_that_were_given_up_are_accepted_by_word_only(tmp_path):
    exact, more = (mv.mask.ExactNoise(p=0.1), ["income"]), (mv.mask.UncorrelatedNoise(p=0.1), ["income"])
    project = project_in(tmp_path, Plan([exact, more]))
    with pytest.raises(BrokenPromise, match="promises were given up"):
        run_project(project, measures=["pil"])
    assert left_in(tmp_path) == set()


def test_other_data_are_refused(tmp_path):
    project = project_in(tmp_path)
    with (tmp_path / "secret-survey.csv").open("a") as file:
        file.write("canary-9999,1,1,north,5.5,6.0\n")
    with pytest.raises(BadInput, match="its hash differs"):
        run_project(project)
    (tmp_path / "secret-survey.csv").unlink()
    with pytest.raises(FileProblem, match="no file"):
        run_project(project)
    assert left_in(tmp_path) == set()


def test_data_that_change_during_the_run_are_refused(tmp_path, monkeypatch):
    project = project_in(tmp_path)
    measured = running.evaluate

    def change(*given: object, **more: object) -> object:
        pd.DataFrame({"x": [1]}).to_csv(tmp_path / "secret-survey.csv")
        return measured(*given, **more)

    monkeypatch.setattr(running, "evaluate", change)
    with pytest.raises(FileProblem, match="was changed or moved away during the run"):
        run_project(project, measures=["pil"])
    assert left_in(tmp_path) == set()


def test_a_project_without_a_plan_is_told(tmp_path):
    Project("x.csv").save(tmp_path / "project.yaml")
    with pytest.raises(BadInput, match="has no plan"):
        run_project(tmp_path / "project.yaml")


KILLED = """
import os, signal, sys
from microveil.package import run_project, writing
done = getattr(writing, sys.argv[2])
def kill(*given):
    if sys.argv[2] != "_move":
        done(*given)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(writing, sys.argv[2], kill)
run_project(sys.argv[1], measures=["pil"])
"""


@pytest.mark.full  # tests/faults kills runs too
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes are not killed so here")
@pytest.mark.parametrize("step", ["_write_data", "_move"])
def test_a_killed_run_leaves_no_package_and_the_next_one_sweeps(tmp_path, step):
    project = project_in(tmp_path)
    ended = subprocess.run([sys.executable, "-c", KILLED, str(project), step], check=False, capture_output=True)
    assert ended.returncode == -signal.SIGKILL
    runs = tmp_path / "runs"
    wait_for_watcher(tmp_path)
    assert [path.name for path in runs.iterdir()] == [".microveil-run-0001"]  # the empty file of its number
    made = run_project(project, measures=["pil"])
    assert [path.name for path in runs.iterdir()] == ["0001"]
    assert not audit(made.package.public).broken


def test_the_command_says_what_it_wrote(tmp_path, run):
    project = project_in(tmp_path)
    source = tmp_path / "secret-survey.csv"
    table = pd.read_csv(source, dtype=str)
    table.loc[7:8, "region"] = "-9"  # which nobody stated as a code
    table.to_csv(source, index=False)
    text = re.sub("sha256: [0-9a-f]+", f"sha256: {mv.io.sha256_of(source)}", project.read_text())
    project.write_text(f"{text}release: {{register: registr.jsonl}}\n")
    out = run("run", project, "--measures", "pil", "--format", "csv", "--review", "2099-01-31")
    missed = "The project names registr.jsonl as its register, which is not there"
    assert missed in out
    code = "region: -9 in 2 records; no other value is a number: that looks like a code for a missing value"
    assert code in " ".join(out.split())
    to_sign = (tmp_path / "runs" / "0001" / "internal" / "sign_off.html").read_text(encoding="utf-8")
    assert missed in to_sign
    assert code in to_sign
    assert "The limits stated are kept" in out
    assert "The audit finds no fault" in out
    assert f"Wrote {tmp_path / 'runs' / '0001' / 'package'}" in out
    assert (tmp_path / "runs" / "0001" / "package" / "data.csv").exists()


def test_the_command_ends_as_the_contract_says(tmp_path, run):
    project = project_in(tmp_path, scenarios=(OVER,))
    run("run", project, "--review", "soon", status=2)
    run("run", project, "--measures", "pil", status=1, match="'friend' is not kept")
    assert left_in(tmp_path) == set()


@pytest.mark.parametrize(
    ("name", "text"), [("register.jsonl.head", "0" * 64 + "\n"), ("register.jsonl", "no register\n")]
)
def test_a_register_that_is_not_sound_ends_a_run(tmp_path, name, text):
    project = project_in(tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(BrokenPromise, match=r"register\.jsonl is not sound"):
        run_project(project, seed=KEY, reproducible=True, measures="quick")
    assert left_in(tmp_path) == {name}


def test_a_doubtful_verdict_is_told_as_one():
    release = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)).apply(people(), columns=["income"])
    about = {"stated": ReleasePlan(), "date": "2026-01-01", "tell_settings": False}
    told = [
        public_predicate(release, ["income"], SimpleNamespace(state=state), **about)["limits"]
        for state in ("kept", "doubtful", "not stated")
    ]
    assert told == ["kept", "kept, with doubts", "not stated"]
