"""The history of a project: what each run was, and what changed from one to another."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from datetime import date

import pytest
from typer.testing import CliRunner

import microveil as mv
from microveil.certify import Statement, new_key, read_certificate, read_private_key, sign_folder, write_certificate
from microveil.cli.app import app
from microveil.core.errors import BadInput, FileProblem
from microveil.core.numbers import format_number
from microveil.package import add_release, compare_runs, history, revoke_release, run_project
from microveil.package.past_runs import find_run
from microveil.package.register_entries import hash_of
from microveil.plan import Plan, Project
from tests.package.test_running import project_in


@pytest.fixture(scope="module")
def project_of_three(tmp_path_factory):
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


def test_every_run_is_told(project_of_three):
    first, second, third = history(project_of_three)
    assert [one.number for one in (first, second, third)] == ["0001", "0002", "0003"]
    assert (first.title, first.date, first.review, first.verdict) == ("First", "2019-01-31", "2020-01-31", "doubtful")
    assert first.plan == ("microaggregation (partition: mdav (k: 5)) on income",)
    assert first.loss is not None
    assert second.loss is not None
    assert 0 < first.loss < second.loss
    assert first.worst is not None
    assert (first.signatures, first.problem) == (0, "")
    assert "certificate.json" in third.problem
    assert history(project_of_three / "runs") == (first, second, third)


def test_days_of_review_become_due(project_of_three):
    first, second, _ = history(project_of_three)
    assert first.is_due(date(2020, 1, 31))
    assert not first.is_due(date(2020, 1, 30))
    assert not second.is_due(date(2099, 1, 1))


def test_what_changed_is_said(project_of_three):
    first, second, third = history(project_of_three)
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


def test_runs_are_found_by_number_and_folder(project_of_three):
    assert find_run(project_of_three, "2").number == "0002"
    assert find_run(project_of_three, str(project_of_three / "runs" / "0001")).title == "First"
    with pytest.raises(BadInput, match=r"no run '9'"):
        find_run(project_of_three, "9")
    with pytest.raises(FileProblem, match="is no folder"):
        history(project_of_three / "project.yaml")


def test_a_run_without_its_notes_has_a_problem(project_of_three, tmp_path):
    shutil.copytree(project_of_three / "runs" / "0001", tmp_path / "0001")
    inside = tmp_path / "0001" / "internal"
    (inside / "run.json").unlink()
    assert history(tmp_path)[0].problem == "internal/run.json is missing"
    certify_anew(inside)
    assert history(tmp_path)[0].problem.startswith("the papers of the run are damaged: certificate.json or run.json")


def certify_anew(place, **said):
    """Write the internal certificate of a run for its files as they are now."""
    kept = read_certificate(place).statement
    names = [name for name in kept.subjects if (place / name).is_file()]
    fresh = Statement.of_files(place, names, {**kept.predicate, **said}, kept.predicate_type)
    write_certificate(place, fresh)


def test_figures_that_the_run_did_not_note_are_not_told(project_of_three, tmp_path):
    shutil.copytree(project_of_three / "runs" / "0001", tmp_path / "0001")
    noted = tmp_path / "0001" / "internal" / "run.json"
    fields = json.loads(noted.read_text())
    fields["verdict"]["loss"] = 0.0
    noted.write_text(json.dumps(fields))
    assert history(tmp_path)[0].problem == "internal/run.json was changed since the run"
    certify_anew(noted.parent)
    assert history(tmp_path)[0].loss == 0


def test_a_statement_that_the_run_did_not_write_is_not_told(project_of_three, tmp_path):
    shutil.copytree(project_of_three / "runs" / "0001", tmp_path / "0001")
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
def test_papers_that_are_damaged_are_told_in_a_line(project_of_three, tmp_path, damage, run):
    for name in ("0001", "0002"):
        shutil.copytree(project_of_three / "runs" / name, tmp_path / name)
    noted = tmp_path / "0001" / "internal" / "run.json"
    fields = json.loads(noted.read_text())
    noted.write_text("[" * 100_000 if damage is None else json.dumps({**fields, **damage}))
    certify_anew(noted.parent)
    told = "the papers of the run are damaged: certificate.json or run.json hold something that no run writes"
    assert history(tmp_path)[0].problem == told
    run("history", tmp_path)
    run("history", "compare", "0001", "0002", "--folder", tmp_path, status=2, match=told)


def test_texts_of_a_certificate_are_told_in_one_line(project_of_three, tmp_path, run):
    shutil.copytree(project_of_three / "runs" / "0001", tmp_path / "0001")
    place = tmp_path / "0001" / "package"
    said = read_certificate(place).statement
    forged = Statement(said.subjects, {**said.predicate, "date": "2026\nRun 0009", "review": "2020\nRun 0009"})
    write_certificate(place, forged)
    certify_anew(tmp_path / "0001" / "internal", statement=hash_of(forged.to_bytes().decode()))
    lines = CliRunner().invoke(app, ["history", str(tmp_path)]).output.splitlines()
    assert any(line.startswith("Run 0001") for line in lines)
    assert not any(line.startswith("Run 0009") for line in lines)


def test_signatures_are_counted(project_of_three, tmp_path):
    pytest.importorskip("cryptography", reason="signatures need the extra sign")
    shutil.copytree(project_of_three / "runs" / "0001", tmp_path / "0001")
    new_key(tmp_path / "jane.key", "a long passphrase", "Jane")
    sign_folder(tmp_path / "0001" / "package", read_private_key(tmp_path / "jane.key", "a long passphrase"))
    assert history(tmp_path)[0].signatures == 1


@pytest.mark.parametrize("name", ["package/data.csv", "internal/report.html"])
def test_what_a_certificate_names_and_is_not_as_it_was_is_a_problem(project_of_three, tmp_path, name):
    shutil.copytree(project_of_three / "runs" / "0001", tmp_path / "0001")
    path = tmp_path / "0001" / name
    path.write_bytes(path.read_bytes() + b" ")
    assert history(tmp_path)[0].problem == f"{name} was changed since the run"
    path.unlink()
    assert history(tmp_path)[0].problem == f"{name} is missing"


def test_a_run_that_was_revoked_is_shown_so(project_of_three, tmp_path, run):
    shutil.copytree(project_of_three / "runs" / "0001", tmp_path / "runs" / "0001")
    register = tmp_path / "register.jsonl"
    add_release(register, tmp_path / "runs" / "0001", day=date(2019, 2, 1))
    assert history(tmp_path)[0].revoked == ""
    revoke_release(register, 1, "A reader found a neighbour.", day=date(2019, 3, 1))
    (one,) = history(tmp_path)
    assert (one.revoked, one.limits) == ("2019-03-01: A reader found a neighbour.", "revoked")
    assert "Run 0001 was revoked 2019-03-01: A reader found a neighbour." in run("history", tmp_path)


@pytest.mark.parametrize(
    ("lost", "told"),
    [
        ("last line", "The register register.jsonl is broken: it does not end as register.jsonl.head says"),
        ("register", "is broken: register.jsonl.head is there, and the register is not"),
        ("both", "The register register.jsonl is not there, and .register.jsonl.lock, which was made to write it, is"),
        ("text", "The register register.jsonl cannot be read"),
    ],
)
def test_a_register_that_is_broken_or_gone_does_not_clear_a_run(project_of_three, tmp_path, run, lost, told):
    shutil.copytree(project_of_three / "runs" / "0001", tmp_path / "runs" / "0001")
    register = tmp_path / "register.jsonl"
    add_release(register, tmp_path / "runs" / "0001", day=date(2019, 2, 1))
    revoke_release(register, 1, "A reader found a neighbour.", day=date(2019, 3, 1))
    if lost == "last line":
        register.write_text(register.read_text().splitlines(keepends=True)[0])
    elif lost == "text":
        register.write_bytes(b"\xff\n")
    else:
        register.unlink()
    if lost == "both":
        (tmp_path / "register.jsonl.head").unlink()
    (one,) = history(tmp_path)
    assert one.limits.endswith("; whether revoked is not known")
    shown = run("history", tmp_path)
    assert told in shown
    assert "; so nobody can say which runs were revoked." in shown


@pytest.mark.parametrize("name", ["ours.jsonl", "register.jsonl"])
def test_a_register_that_the_project_names_and_nobody_wrote_is_missed(project_of_three, tmp_path, name):
    place = tmp_path / "runs" / "0001"
    shutil.copytree(project_of_three / "runs" / "0001", place)
    assert history(tmp_path)[0].register_problem == ""
    stated = place / "internal" / "project.yaml"
    stated.write_text(stated.read_text() + f"\nrelease: {{register: {name}}}\n")
    certify_anew(stated.parent)
    told = f"the register {name}, which the project of the run names, is not there"
    assert history(tmp_path)[0].register_problem == told


def test_who_is_still_to_sign_is_said(project_of_three, tmp_path, run, monkeypatch):
    pytest.importorskip("cryptography", reason="signatures need the extra sign")
    place = tmp_path / "runs" / "0001"
    shutil.copytree(project_of_three / "runs" / "0001", place)
    noted = place / "internal" / "run.json"
    noted.write_text(json.dumps({**json.loads(noted.read_text()), "signers": ["Jane Doe (board)", "John Roe"]}))
    certify_anew(noted.parent)
    assert "Run 0001 is not signed yet by Jane Doe (board) and John Roe." in run("history", tmp_path)
    monkeypatch.setenv("MICROVEIL_PASSPHRASE", "a long passphrase")
    new_key(tmp_path / "elsewhere.key", "a long passphrase", "Jane Doe")
    said = "has a signature that names Jane Doe, and none yet of John Roe."
    run("sign", place / "package", "--key", tmp_path / "elsewhere.key", match=f"It {said}")
    run("history", tmp_path, match=f"Run 0001 {said}")
    add_release(tmp_path / "register.jsonl", place)
    assert "Jane Doe (key " in run("register", "list", "--register", tmp_path / "register.jsonl")
    (tmp_path / "elsewhere.key.pub").unlink()
    assert "cannot be told without names" in run("history", tmp_path)


def test_figures_are_compared_in_the_words_of_their_runs(project_of_three):
    first, second = history(project_of_three)[:2]
    found = second.utility[0]["found"]
    assert f"Figure 'mean income': not asked for -> {format_number(100 * found)} % off." in compare_runs(first, second)
    overlap = {"name": "e", "regression": "y ~ x", "found": 0.5, "said": ""}
    table = {"name": "t", "table": ["x"], "found": 0.02, "said": ""}
    zero = {"name": "z", "statistic": "sum", "found": 3.0, "said": "3 off, where it was 0"}
    told = compare_runs(replace(first, utility=(overlap, table, zero)), replace(first, utility=(overlap, table, zero)))
    assert "Figure 'e': intervals overlap by 0.5 -> intervals overlap by 0.5." in told
    assert any(line.endswith("-> 2 % of the records in another cell.") for line in told)
    assert "Figure 'z': 3 off -> 3 off." in told


def test_the_command(project_of_three, run):
    out = run("history", project_of_three, match="First")
    assert "Run 0001 had to be looked at again by 2020-01-31." in out
    assert "Run 0003 cannot be told of" in out
    run("history", "compare", "0001", "0002", "--folder", project_of_three, match="Title: First -> Second.")
    run("history", "compare", "0001", "--folder", project_of_three, status=2)
    run("history", "a", "b", status=2)


def test_a_folder_without_runs(tmp_path, run):
    run("history", tmp_path, match="There are no runs")


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
