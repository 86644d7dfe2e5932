"""What people do who read no page twice: nothing that they wrote is lost, and nothing leaves unsaid."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from microveil.app.jobs import Job, Jobs
from microveil.app.looking import ColumnFacts, MissingLook
from microveil.app.pages.release import figures_of
from microveil.package import PastRun
from microveil.plan import Project
from tests.app.client import Client, problem_of
from tests.app.conftest import DATA

pytestmark = pytest.mark.usefixtures("jobs_here")
Looked = Callable[[], Client]
DESCRIBED = {"described": "yes", "kind": "public", "formats": ["csv"], "act": "run"}


def project_of(client: Client) -> Project:
    return Project.load(client.project)


@pytest.mark.usefixtures("idle_jobs")
def test_what_is_written_is_saved_by_the_button_that_makes_the_package(client: Client):
    form = {**DESCRIBED, "title": "Incomes 2026", "as_they_are": "yes"}
    assert client.post("/release", form).status_code == 303
    assert project_of(client).release.title == "Incomes 2026"
    assert project_of(client).release.as_they_are == ("region", "sex")  # as the command reads it; nobody is asked again
    assert 'name="as_they_are"' not in client.get("/release").text


def test_columns_that_no_step_changes_leave_only_if_somebody_says_so(client: Client):
    assert "No step changes region, sex" in client.get("/methods").text
    refused = client.post("/release", {**DESCRIBED, "title": "Incomes", "need": "to know"})
    assert "no step of the plan changes region and sex" in problem_of(refused)
    assert ('value="Incomes"' in refused.text, ">to know</textarea>" in refused.text) == (True, True)
    assert client.jobs.all() == []
    assert "No scenario knows age" in client.get("/scenarios").text


def test_a_method_without_columns_changes_those_of_its_role(client: Client):
    text = client.project.read_text(encoding="utf-8").replace("    columns: [age, income, tax]\n", "")
    client.project.write_text(text, encoding="utf-8")
    assert "No step changes region, sex, age" in client.get("/methods").text


def test_a_form_that_changes_nothing_says_so(client: Client):
    answer = client.post("/rules", {"own": "income >= 0"})
    assert answer.headers["location"] == "/rules?same=yes"
    assert "Nothing was changed" in client.get("/rules?same=yes").text
    on = client.post("/rules", {"own": "tax >= 0", "then": "/scenarios"})
    assert on.headers["location"] == "/scenarios?saved=2"
    assert client.post("/rules", {"own": "tax >= 0", "then": "//evil.example"}).headers["location"] == "/rules?same=yes"


def test_what_was_sent_to_a_project_that_changed_is_shown(client: Client):
    base = client.base()
    client.post("/rules", {"own": "income >= 1"})
    late = client.post("/rules", {"own": "tax >= 7", "base": base})
    assert late.status_code == 422
    assert "<dd>tax &gt;= 7</dd>" in late.text


def test_rules_are_about_columns_that_are_there(looked: Looked):
    client = looked()
    refused = client.post("/rules", {"own": "incom >= 0"})
    assert "did you mean 'income'" in html.unescape(problem_of(refused))
    assert "of the project)" not in problem_of(client.post("/rules", {"own": "region >= 3"}))
    client.post("/rules", {"own": "tax >= 300"})
    page = client.get("/rules").text
    assert "was not looked at yet" in page
    client.post("/data", {"path": "data.csv", "back": "/rules"})
    assert client.finished().state == "done"
    page = client.get("/rules").text
    assert ("was not looked at yet" in page, "of the file break" in page) == (False, True)


def test_settings_that_name_no_column_are_refused_when_they_are_saved(looked: Looked):
    client = looked()
    form = {"local-suppression.importance": "sex, regoin", "columns": ["region", "sex"]}
    refused = client.post("/methods/step?method=local-suppression", form)
    assert "importance: there is no column 'regoin'; did you mean 'region'?" in html.unescape(problem_of(refused))
    field = re.search(r'<textarea name="local-suppression.importance"[^>]*>.*?</textarea>', refused.text)
    assert field is not None
    assert ('aria-invalid="true"' in field[0], "sex, regoin" in field[0]) == (True, True)
    text = client.project.read_text(encoding="utf-8")
    for old, new in (("keys: [region", "keys: [regoin"), ("columns: [age", "columns: [agee"), ("  tax:", "  taxes:")):
        refused = client.post("/project", {"text": text.replace(old, new)})
        assert "did you mean" in problem_of(refused)
        assert "by the last look at the file" in problem_of(refused)
    assert client.post("/project", {"text": text.replace("{k: 5}", "{k: 5, weights: {age: 2}}")}).status_code == 303
    refused = client.post("/project", {"text": text + "search: {columns: [incme]}\n"})
    assert "columns of search: there is no column 'incme'; did you mean 'income'" in html.unescape(problem_of(refused))


def test_a_rule_of_a_hierarchy_is_a_form_and_its_lines_can_be_edited(looked: Looked):
    client = looked()
    assert 'hx-post="/columns/2/hierarchy"' in client.get("/columns/2").text
    part = client.post("/columns/2/hierarchy", {"form": "intervals"}).text
    assert 'name="hierarchy.intervals.widths"' in part
    lines = client.post("/columns/0/hierarchy", {"form": "table"}).text
    assert "E;*\nN;*\nS;*\nW;*</textarea>" in lines
    refused = client.post("/columns/0", {"form": "prefixes", "hierarchy.prefixes.lengths": ""})
    assert "the rule prefixes of the hierarchy: prefixes needs lengths" in problem_of(refused)
    outside = client.post("/columns/0", {"form": "file", "file": "../outside.csv"})
    assert "not below the folder of the project" in problem_of(outside)


def test_codes_for_no_answer_are_shown_until_they_are_stated():
    found = ColumnFacts(
        "stay",
        distinct=4,
        missing=1,
        values=(1, 2, 3, -9),
        counts=(5, 4, 3, 2),
        codes=(MissingLook(("-9",), 2, "why"),),
    )
    assert [found.records_with(code) for code in (-9, 3, 7)] == [2, 3, 0]
    stated = found.without([-9])
    assert (stated.missing, stated.distinct, stated.codes) == (3, 3, ())


def test_codes_that_the_look_knew_already_are_counted_once(tmp_path):
    values = [99 if i % 10 == 0 else i for i in range(60)]
    (tmp_path / "a.csv").write_text("cost\n" + "".join(f"{value}\n" for value in values), encoding="utf-8")
    project = "version: 2\ndataset: {path: a.csv}\ncolumns:\n  cost: {role: key, kind: continuous, missing: [99]}\n"
    (tmp_path / "project.yaml").write_text(project, encoding="utf-8")
    client = Client(tmp_path / "project.yaml")
    client.post("/data", {"path": "a.csv"})
    assert client.finished().state == "done"
    page = client.get("/columns/0").text
    assert "54 different values, 6 missing" in page
    assert "Amounts from 1 to 59" in page
    assert client.post("/columns/0", {"missing": "", "form": "none"}).status_code == 303
    assert "55 different values, 0 missing" in client.get("/columns/0").text


def test_codes_of_which_a_look_cannot_tell_what_follows():
    found = ColumnFacts("income", distinct=5000, missing=1, bins=((-10, 0, 3), (0, 10, 9)), range=(-9, 2, 10))
    assert not found.without([]).unsure
    stated = found.without([-9])  # nobody counted them, and the ranges hold them
    assert (stated.unsure, stated.bins, stated.range) == (True, (), ())
    suspected = replace(found, codes=(MissingLook(("-9",), 3, "why"),)).without([-9])
    assert (suspected.unsure, suspected.missing, suspected.bins) == (False, 4, found.bins)
    looked_again = replace(found, treated=("-9",))
    assert (looked_again.without([-9]).unsure, looked_again.without([]).unsure) == (False, True)
    assert looked_again.without([-9]).bins == found.bins


def test_codes_that_were_found_are_told_on_the_roles(tmp_path):
    rows = "".join(f"{'-9' if i % 10 == 0 else i % 7},{i or ''}\n" for i in range(60))
    (tmp_path / "stays.csv").write_text(f"stay,cost\n{rows}", encoding="utf-8")
    client = Client(tmp_path / "project.yaml")
    client.post("/data", {"path": "stays.csv"})
    assert client.finished().state == "done"
    assert "look like codes for no answer" in client.get("/roles").text
    assert "<b>-9</b> in 6 records looks like one: no other value is below 0" in client.get("/columns/0").text
    assert client.post("/columns/0", {"missing": "-9", "form": "none"}).status_code == 303
    assert "look like codes for no answer" not in client.get("/roles").text
    assert "7 different values, 6 missing" in client.get("/columns/0").text
    assert "cost has no value in 1 record" in problem_of(client.post("/roles", {"role-1": "weight"}))


def test_the_other_plan_that_was_proposed_is_taken_by_a_button(tmp_path):
    client = Client(tmp_path / "project.yaml")
    (tmp_path / "data.csv").write_text(DATA, encoding="utf-8")
    client.post("/data", {"path": "data.csv"})
    assert client.finished().state == "done"
    page = client.get("/methods").text
    assert ("#|" in page, "If keys must stay true, take the other plan below" in page) == (False, True)
    before = project_of(client)
    assert client.post("/methods", {"act": "other"}).status_code == 303
    after = project_of(client)
    assert after.plan != before.plan
    assert after.scenarios != before.scenarios


def test_words_of_methods_are_set_as_code(client: Client):
    page = client.get("/methods/step?method=k-anonymise").text
    assert "`" not in page
    assert "<code>range</code>" in page


def test_the_pair_page_begins_with_two_files_and_knows_the_log_of_a_run(client: Client):
    folder = client.project.parent
    (folder / "runs" / "0001" / "package").mkdir(parents=True)
    (folder / "runs" / "0001" / "package" / "data.csv").write_text(DATA, encoding="utf-8")
    (folder / "runs" / "0001" / "internal").mkdir()
    (folder / "runs" / "0001" / "internal" / "log.json").write_text("{}", encoding="utf-8")
    page = client.get("/pair").text
    assert '<option value="data.csv" selected>' in page
    assert '<option value="runs/0001/package/data.csv" selected>' in page
    form = {"original": "data.csv", "protected": "runs/0001/package/data.csv"}
    client.post("/pair", form)
    known = client.finished()
    assert (known.state, known.settings["log"]) == ("failed", "runs/0001/internal/log.json")  # it is no log
    assert "--log" in known.command
    outside = client.post("/pair", {**form, "log": "../log.json"})
    assert "not below the folder of the project" in problem_of(outside)


@pytest.mark.parametrize(
    ("page", "form"),
    [
        ("/search", {"act": "take", "number": "x"}),
        ("/methods", {"act": "up", "number": "x"}),
        ("/scenarios", {"count": "x"}),
        ("/scenarios", {"count": "999999999"}),
        ("/figures", {"goals": "999999999"}),
        ("/history", {"version": "9" * 5000}),
        ("/compare", {"first": "a" * 5000}),
        ("/data", {"path": "a/" * 3000}),
        ("/data", {"path": "project.yaml"}),
        ("/columns/0", {"missing": "[" * 30_000}),
        ("/columns/0", {"label": "a\x1b[31mb"}),
        ("/columns/0", {"labels": "N = a\x07b"}),
        ("/methods/step?number=" + "9" * 5000, {}),
        ("/figures", {"published": "1", "statistic-0": "mean", "column-0": "income", "value-0": "1250,5"}),
        ("/search", {"act": "begin", "budget": "2 trials", "limit": "nan"}),
        ("/release", {"act": "key", "name": "a/" * 300, "passphrase": "x", "again": "x"}),
    ],
)
def test_what_no_page_sends_is_refused_and_no_fault(client: Client, page: str, form: dict[str, str]):
    before = client.project.read_bytes()
    answer = client.post(page, form)
    assert answer.status_code == 422
    assert str(client.project.parent) not in answer.text
    assert client.project.read_bytes() == before


def test_a_long_text_in_one_field_is_read_as_far_as_a_form_may_be_long(client: Client):
    text = client.project.read_text(encoding="utf-8")
    long = f"{text}# {'x' * 2_000_000}\n"
    assert client.post("/project", {"text": long}).status_code == 303
    assert client.project.read_text(encoding="utf-8") == long


def test_an_address_of_no_column_is_no_page(client: Client):
    for place in ("9" * 5000, "-1", "x"):
        assert client.get(f"/columns/{place}").status_code == 404


def test_a_project_that_is_no_text_is_told_on_every_page(client: Client):
    client.project.write_bytes("# Stra\u00dfe\n".encode("cp1252"))
    for path in ("/data", "/roles", "/project", "/columns/0/hierarchy"):
        answer = client.get(path)
        assert answer.status_code == 422
        assert "The project cannot be read" in answer.text
    client.project.write_text("version: [2\n", encoding="utf-8")
    assert client.get("/columns/0/hierarchy").headers["location"] == "/project"


def test_neither_loss_of_a_run_hides_the_other():
    run = PastRun("0001", Path(), loss=6.014, loss_of_categories=18.9, worst=12.1)
    told = "worst case 12.1 % of the records found (internal figures)."
    assert figures_of(run) == f"Loss of amounts 6.01 %, of categories 18.9 %; {told}"
    assert figures_of(replace(run, loss=None)) == f"Loss of categories 18.9 %; {told}"
    none = replace(run, loss=None, loss_of_categories=None, worst=None)
    assert figures_of(none) == "Loss not measured; worst case not measured (internal figures)."


@pytest.mark.parametrize(
    ("page", "form"),
    [
        ("/release", {**DESCRIBED, "title": "Another", "as_they_are": "yes"}),
        ("/search", {"act": "begin", "budget": "7 s"}),
    ],
)
def test_a_button_that_is_refused_saves_nothing(
    client: Client, monkeypatch: pytest.MonkeyPatch, page: str, form: dict[str, object]
):
    busy = Job("0001", client.project.parent, "risk", "running")
    monkeypatch.setattr(Jobs, "running", lambda _: busy)
    before = client.project.read_bytes()
    refused = client.post(page, form)
    assert "another job is running" in problem_of(refused)
    assert client.project.read_bytes() == before
    assert f'name="base" value="{client.base()}"' in refused.text


def test_scenarios_are_about_columns_that_are_there(client: Client):
    refused = client.post("/scenarios", {"count": "1", "name-0": "neighbour", "keys-0": ["region", "sexx"]})
    assert "there is no column 'sexx'; did you mean 'sex'" in html.unescape(problem_of(refused))


def test_a_column_whose_name_has_two_lines_can_be_chosen(client: Client):
    """Browsers send an end of a line as two signs."""
    text = client.project.read_text(encoding="utf-8").replace("  sex:", '  "what\\nsex":')
    client.project.write_text(text.replace(", sex]", ', "what\\nsex"]'), encoding="utf-8")
    answer = client.post("/scenarios", {"count": "1", "name-0": "neighbour", "keys-0": ["region", "what\r\nsex"]})
    assert answer.status_code == 303, problem_of(answer)
    assert project_of(client).scenarios[0].keys == ("region", "what\nsex")


@pytest.mark.parametrize("limit", ["-1", "101"])
def test_a_limit_that_is_no_share_of_records_is_refused(client: Client, limit: str):
    refused = client.post("/search", {"act": "begin", "budget": "1 s", "limit": limit})
    assert f"worst case is {limit}; give per cent of records from 0 to 100" in problem_of(refused)


def test_a_value_has_one_label(client: Client):
    refused = client.post("/columns/0", {"labels": "N = North\nN = New"})
    assert "'N' has two labels" in html.unescape(problem_of(refused))


def test_a_button_that_is_not_there_saves_nothing(client: Client):
    assert "button is not known" in problem_of(client.post("/methods", {"act": "burn", "number": "0"}))


def test_a_key_is_called_by_the_words_of_a_name(client: Client):
    form = {"act": "key", "name": " Dr. Eva Maß ", "passphrase": "three quiet words", "again": "three quiet words"}
    assert client.post("/release", form).status_code == 303
    assert [path.name for path in sorted((client.project.parent / "keys").iterdir())] == [
        "dr-eva-maß.key",
        "dr-eva-maß.key.pub",
    ]


def test_what_was_chosen_stands_in_a_form_that_is_refused(client: Client):
    (client.project.parent / "other.csv").write_text(DATA, encoding="utf-8")
    refused = client.post("/data", {"path": "other.csv", "begin": "yes"})
    assert "tick the box to begin anew with other.csv" in problem_of(refused)
    assert refused.text.count('<option value="other.csv" selected>') == 1
    assert "<details open><summary>Take another file" in refused.text
    # a tick that was taken off, and a field that was emptied
    refused = client.post("/pair", {"original": "data.csv", "protected": "data.csv"})
    assert 'name="with_project" value="yes">' in refused.text
    text = client.project.read_text(encoding="utf-8") + "search: {at_most: {worst-case: 40}}\n"
    client.project.write_text(text, encoding="utf-8")
    assert 'id="limit" min="0" max="100" step="any" value="40"' in client.get("/search").text
    refused = client.post("/search", {"act": "begin", "budget": "soon", "limit": ""})
    assert 'id="limit" min="0" max="100" step="any" value=""' in refused.text


def test_an_order_names_every_value_once(looked: Looked):
    client = looked()
    for levels, told in (("N\nE", "lacks 'S', 'W'"), ("N\nE\nS\nW\nN", "names 'N' twice")):
        assert told in html.unescape(problem_of(client.post("/columns/0", {"levels": levels})))
    assert client.post("/columns/0", {"levels": "N\nE\nS\nW\nX"}).status_code == 303  # one that no record has
