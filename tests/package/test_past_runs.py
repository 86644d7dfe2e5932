"""The history of a project: what each run was, and what changed from one to another."""

from __future__ import annotations

import json
import shutil
from datetime import date

import pytest

import microveil as mv
from microveil.certify import Statement, new_key, read_certificate, read_private_key, sign_folder, write_certificate
from microveil.core.errors import BadInput, FileProblem
from microveil.package import compare_runs, history, run_project
from microveil.package.past_runs import find_run
from microveil.package.register_entries import hash_of
from microveil.plan import Plan, Project
from tests.package.test_running import project_in, run  # noqa: F401 - `run` is a fixture


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("history")
    project = project_in(place)
    run_project(project, measures=["pil"], title="First", review="2020-01-31", date="2019-01-31")
    coarser = Plan([(mv.mask.Microaggregation(partition=mv.partition.MDAV(k=12)), ["income"])])
    goal = "\nutility:\n- {name: mean income, statistic: mean, of: income, tolerance: 0.1}\n"
    stated = Project.load(project)
    project.write_text(stated.to_text().replace("k: 5", "k: 12") + goal)
    assert Project.load(project).plan == coarser
    run_project(project, measures=["pil"], title="Second")
    broken = place / "runs" / "0003" / "package"
    broken.mkdir(parents=True)
    (place / "runs" / "notes").mkdir()
    return place


def test_every_run_is_told(folder):
    first, second, third = history(folder)
    assert [one.number for one in (first, second, third)] == ["0001", "0002", "0003"]
    assert (first.title, first.date, first.review, first.verdict) == ("First", "2019-01-31", "2020-01-31", "doubtful")
    assert first.plan == ("microaggregation (partition: mdav (k: 5)) on income",)
    assert first.loss is not None
    assert second.loss is not None
    assert 0 < first.loss < second.loss
    assert first.worst is not None
    assert (first.signatures, first.problem) == (0, "")
    assert "certificate.json" in third.problem
    assert history(folder / "runs") == (first, second, third)


def test_days_of_review_become_due(folder):
    first, second, _ = history(folder)
    assert first.is_due(date(2020, 1, 31))
    assert not first.is_due(date(2020, 1, 30))
    assert not second.is_due(date(2099, 1, 1))


def test_what_changed_is_said(folder):
    first, second, third = history(folder)
    told = compare_runs(first, second)
    assert told[0] == "Data: the same file."
    assert told[1] == "Title: First -> Second."
    assert "  no longer: microaggregation (partition: mdav (k: 5)) on income" in told
    assert "  now: microaggregation (partition: mdav (k: 12)) on income" in told
    assert any(line.startswith("Loss of amounts (PIL): ") and " -> " in line for line in told)
    assert any(line.startswith("Figure 'mean income': not asked for -> ") for line in told)
    assert "Review: 2020-01-31 -> none." in told
    assert "Plan: the same." in compare_runs(first, first)
    assert "Limits: kept, with doubts, as before." in compare_runs(first, first)
    with pytest.raises(BadInput, match="run 0003 cannot be compared"):
        compare_runs(first, third)


def test_runs_are_found_by_number_and_folder(folder):
    assert find_run(folder, "2").number == "0002"
    assert find_run(folder, str(folder / "runs" / "0001")).title == "First"
    with pytest.raises(BadInput, match=r"no run '9'"):
        find_run(folder, "9")
    with pytest.raises(FileProblem, match="is no folder"):
        history(folder / "project.yaml")


def test_runs_of_earlier_versions_are_told_without_figures(folder, tmp_path):
    shutil.copytree(folder / "runs" / "0001", tmp_path / "0001")
    (tmp_path / "0001" / "internal" / "run.json").unlink()
    (old,) = history(tmp_path)
    assert (old.title, old.loss, old.plan) == ("First", None, history(folder)[0].plan)
    (tmp_path / "0001" / "internal" / "run.json").write_text("{")
    assert history(tmp_path)[0].problem


def certify_anew(place, **said):
    """Write the internal certificate of a run for its files as they are now."""
    kept = read_certificate(place).statement
    fresh = Statement.of_files(place, list(kept.subjects), {**kept.predicate, **said}, kept.predicate_type)
    write_certificate(place, fresh)


def test_figures_that_the_run_did_not_note_are_not_told(folder, tmp_path):
    shutil.copytree(folder / "runs" / "0001", tmp_path / "0001")
    noted = tmp_path / "0001" / "internal" / "run.json"
    fields = json.loads(noted.read_text())
    fields["verdict"]["loss"] = 0.0
    noted.write_text(json.dumps(fields))
    assert history(tmp_path)[0].problem == "run.json was changed since the run"
    certify_anew(noted.parent)
    assert history(tmp_path)[0].loss == 0


def test_a_statement_that_the_run_did_not_write_is_not_told(folder, tmp_path):
    shutil.copytree(folder / "runs" / "0001", tmp_path / "0001")
    place = tmp_path / "0001" / "package"
    said = read_certificate(place).statement
    write_certificate(place, Statement(said.subjects, {**said.predicate, "review": "2099-01-01"}))
    assert history(tmp_path)[0].problem == "certificate.json does not say what the run wrote into it"


@pytest.mark.parametrize(
    "damage",
    [
        {"verdict": {"loss": "much"}},
        {"verdict": {"loss": 10**400}},
        {"verdict": {"loss": [1]}},
        {"verdict": {"worst": 5}},
        {"verdict": None},
        {"plan": [1, 2]},
        {"utility": [1]},
        {"utility": [{"name": ["x"], "found": 1}]},
        {"utility": [{"name": "x", "found": "y"}]},
        None,
    ],
    ids=str,
)
def test_papers_that_are_damaged_are_told_in_a_line(folder, tmp_path, damage, run):  # noqa: F811
    for name in ("0001", "0002"):
        shutil.copytree(folder / "runs" / name, tmp_path / name)
    noted = tmp_path / "0001" / "internal" / "run.json"
    fields = json.loads(noted.read_text())
    noted.write_text("[" * 100_000 if damage is None else json.dumps({**fields, **damage}))
    certify_anew(noted.parent)
    told = "the papers of the run are damaged: certificate.json or run.json hold something that no run writes"
    assert history(tmp_path)[0].problem == told
    assert run("history", tmp_path)[0] == 0
    status, out, err = run("history", "compare", "0001", "0002", "--folder", tmp_path)
    assert (status, out) == (2, "")
    assert told in err


def test_texts_of_a_certificate_are_told_in_one_line(folder, tmp_path, run):  # noqa: F811
    shutil.copytree(folder / "runs" / "0001", tmp_path / "0001")
    place = tmp_path / "0001" / "package"
    said = read_certificate(place).statement
    forged = Statement(said.subjects, {**said.predicate, "date": "2026\nRun 0009", "review": "2020\nRun 0009"})
    write_certificate(place, forged)
    certify_anew(tmp_path / "0001" / "internal", statement=hash_of(forged.to_bytes().decode()))
    _, out, _ = run("history", tmp_path)
    assert not [line for line in out.splitlines() if line.startswith("Run 0009")]


def test_signatures_are_counted(folder, tmp_path):
    pytest.importorskip("cryptography", reason="signatures need the extra sign")
    shutil.copytree(folder / "runs" / "0001", tmp_path / "0001")
    new_key(tmp_path / "jane.key", "a long passphrase", "Jane")
    sign_folder(tmp_path / "0001" / "package", read_private_key(tmp_path / "jane.key", "a long passphrase"))
    assert history(tmp_path)[0].signatures == 1


def test_the_command(folder, run):  # noqa: F811
    status, out, _ = run("history", folder)
    assert status == 0
    assert "First" in out
    assert "Run 0001 had to be looked at again by 2020-01-31." in out
    assert "Run 0003 cannot be told of" in out
    status, out, _ = run("history", "compare", "0001", "0002", "--folder", folder)
    assert status == 0
    assert "Title: First -> Second." in out
    assert run("history", "compare", "0001", "--folder", folder)[0] == 2
    assert run("history", "a", "b")[0] == 2


def test_a_folder_without_runs(tmp_path, run):  # noqa: F811
    status, out, _ = run("history", tmp_path)
    assert status == 0
    assert "There are no runs" in out


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        (["rank-swap (p: 7)"], "rank-swap (p: 7)"),
        (["micro-hybrid (blocks: 4 names, partition: mdav (k: 20))"], "micro-hybrid"),
        (["rank-swap (p: 7)", "k-anonymise (k: 5, by: a, b, c, d)"], "rank-swap; k-anonymise"),
        (["microaggregation (k: 5)", "invariant-pram", "local-suppression"], "microaggregation and 2 more steps"),
    ],
)
def test_wide_plans_have_short_names_in_the_list(steps, told):
    from microveil.cli.history import _short

    assert _short(steps) == told
