"""Pages without a browser: each is shown whole by itself, and its form changes the project as a hand would."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable

import pytest
import yaml

import microveil as mv
from microveil.app.calls.inspecting import LOOK
from microveil.app.versions import changes
from microveil.app.visit import OTHERS, STEPS
from microveil.plan import Project
from tests.app.client import Client, problem_of

PAGES = [address for address, _ in (*STEPS, *OTHERS)]
Looked = Callable[[], Client]


def project_of(client: Client) -> Project:
    return Project.load(client.project)


@pytest.mark.parametrize("path", [*PAGES, "/columns/0", "/columns/3", "/methods/step?number=0"])
def test_every_page_is_shown_whole(looked: Looked, path: str):
    answer = looked().get(path)
    assert answer.status_code == 200
    assert answer.text.count("<h1>") == 1
    assert '<html lang="en">' in answer.text
    assert 'href="#content"' in answer.text
    assert not re.search(r"\son\w+=|<script>|javascript:", answer.text)  # no script in the page


@pytest.mark.parametrize("path", ["/columns/17", "/columns/x", "/jobs/0042", "/nothing", "/runs/0001/report"])
def test_a_page_that_is_not_there_says_so(client: Client, path: str):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "There is no such page here." in answer.text


@pytest.mark.usefixtures("jobs_here")
def test_without_a_project_the_file_comes_first(tmp_path):
    client = Client(tmp_path / "project.yaml")
    assert client.get("/").headers["location"] == "/data"
    assert client.get("/methods").headers["location"] == "/data?first=%2Fmethods"
    assert "There is no data file" in client.get("/data").text
    for address, _ in OTHERS:
        assert client.get(address).status_code == 200
    (tmp_path / "data.csv").write_text("a,b\n" + "1,x\n2,y\n" * 9, encoding="utf-8")
    assert '<option value="data.csv">data.csv</option>' in client.get("/data").text
    assert client.post("/data", {"path": "data.csv"}).status_code == 303
    assert client.finished().state == "done"
    assert project_of(client).path == "data.csv"
    assert "began with data.csv" in client.get("/history").text
    again = client.post("/data", {"path": "data.csv", "begin": "yes"})
    assert "tick the box" in problem_of(again)


def test_roles_show_reasons_and_keep_all_else(looked: Looked):
    client = looked()
    page = client.get("/roles").text
    assert "its name says something others may know" in page
    before = client.project.read_text(encoding="utf-8")
    form = {"role-0": "key", "kind-0": "nominal", "label-3": "Income in euros"}
    assert client.post("/roles", form).status_code == 303
    assert changes(before, client.project.read_text(encoding="utf-8")) == [
        ("-", "  income: {role: confidential, kind: continuous}"),
        ("+", "  income: {role: confidential, kind: continuous, label: Income in euros}"),
    ]
    refused = client.post("/roles", {"role-0": "nobody"})
    assert refused.status_code == 422
    assert "not one of" in problem_of(refused)


def test_a_hierarchy_is_seen_checked_and_edited(looked: Looked):
    client = looked()
    table = "N;north;*\nE;south;*\nS;south;*"
    refused = client.post("/columns/0", {"form": "table", "table": table})
    assert refused.status_code == 422
    assert "W" in problem_of(refused)
    assert "N;north;*" in refused.text  # what was written stays in the form
    assert client.post("/columns/0", {"form": "table", "table": f"{table}\nW;south;*"}).status_code == 303
    assert project_of(client).columns["region"]["hierarchy"]["W"] == ["south", "*"]
    page = client.get("/columns/0").text
    assert "Complete: each of the 4 values has a path" in page
    assert "south <small>(3 values)</small>" in page
    rule = {"form": "intervals", "hierarchy.intervals.widths": "[5, 10]"}
    assert client.post("/columns/2", rule).status_code == 303
    assert project_of(client).columns["age"]["hierarchy"] == {"intervals": {"widths": [5, 10]}}
    assert "Complete" in client.get("/columns/2").text
    assert client.post("/columns/0", {"form": "none"}).status_code == 303
    assert "hierarchy" not in project_of(client).columns["region"]
    # signs and blanks of a text are taken as they are typed: these mean something in a project file
    redact = {"form": "redact", "hierarchy.redact.mark": "*", "hierarchy.redact.kept": " -"}
    assert client.post("/columns/0", redact).status_code == 303
    assert project_of(client).columns["region"]["hierarchy"] == "redact"
    dates = {"form": "dates", "hierarchy.dates.pattern": "%d.%m.%Y"}
    assert "dates takes days, written as 2024-03-05 or as its pattern says" in problem_of(
        client.post("/columns/0", dates)
    )
    unread = client.post("/columns/2", {**rule, "hierarchy.intervals.widths": "[5, 10"})
    assert "widths is '[5, 10', which cannot be read" in html.unescape(problem_of(unread))
    assert "[5, 10</textarea>" in unread.text  # what was written stays in the form


def test_labels_missing_codes_and_levels_are_kept(looked: Looked):
    client = looked()
    form = {"label": "Sex", "labels": "f = female\nm = male", "missing": "f", "levels": "m", "form": "none"}
    assert client.post("/columns/1", form).status_code == 303
    facts = project_of(client).columns["sex"]
    assert facts["label"] == "Sex"
    assert facts["labels"] == {"f": "female", "m": "male"}
    assert (facts["missing"], facts["levels"]) == (["f"], ["m"])
    assert ">m = male</text>" in re.sub(r"<title>.*?</title>", "", client.get("/columns/1").text)  # in the chart
    assert "1 different value, 30 missing" in client.get("/columns/1").text
    slip = client.post("/columns/1", {"missing": "f; m", "form": "none"})
    assert "no record has the value 'f; m'" in html.unescape(problem_of(slip))
    assert "written as 1 = employed" in problem_of(client.post("/columns/1", {"labels": "f", "form": "none"}))


def test_labels_that_are_edited_stand_in_the_file_that_is_written(looked: Looked, tmp_path):
    client = looked()
    client.post("/columns/1", {"label": "Sex of the person", "labels": "f = woman\nm = man", "form": "none"})
    data = project_of(client).read(client.project.parent)
    release = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)).apply(data, columns=["income", "tax"])
    mv.write(release, tmp_path / "out.sav", titles=True)
    book = mv.read(tmp_path / "out.sav").codebook
    assert book is not None
    assert book.titles["sex"] == "Sex of the person"
    assert book.labels["sex"] == {"f": "woman", "m": "man"}


def test_gaps_in_weights_are_refused_at_once(looked: Looked):
    client = looked()
    (told,) = client.project.parent.rglob(f"jobs/*/{LOOK}")
    said = json.loads(told.read_text(encoding="utf-8"))
    said["columns"][4]["missing"] = 3
    told.write_text(json.dumps(said), encoding="utf-8")
    refused = client.post("/roles", {"role-4": "weight"})
    assert "tax has no value in 3 records, and a weight says of every record how many it stands for" in problem_of(
        refused
    )
    assert client.post("/roles", {"role-3": "weight"}).status_code == 303


def test_codes_that_are_stated_do_not_break_the_plan(looked: Looked):
    client = looked()
    before = project_of(client)
    (step,) = [one for one in before.plan.steps if "income" in one.columns]
    assert step.missing == "error"
    place = list(before.columns).index("income")
    saved = client.post(f"/columns/{place}", {"missing": "1000", "form": "none"})
    assert saved.status_code == 303
    assert "gaps=left" in saved.headers["location"]
    (step,) = [one for one in project_of(client).plan.steps if "income" in one.columns]
    assert step.missing == "mask"
    assert "leave the gaps, which the page Methods shows" in client.get(saved.headers["location"]).text


def test_rules_are_found_stated_and_refused(looked: Looked):
    client = looked()
    page = client.get("/rules").text
    assert "tax &gt;= 0" in page
    assert client.post("/rules", {"rule": ["tax >= 0"], "own": "tax <= income\n"}).status_code == 303
    assert project_of(client).constraints == ("tax >= 0", "tax <= income")
    refused = client.post("/rules", {"own": "tax < = income"})
    assert refused.status_code == 422
    assert "tax &lt; = income</textarea>" in refused.text


def test_scenarios_are_added_changed_and_removed(client: Client):
    form = {
        "count": "1",
        "name-0": "neighbour",
        "keys-0": ["region"],
        "risk-0": "0.1",
        "share-0": "5",
        "name-1": "employer",
        "known-1": ["income"],
        "risk-1": "",
    }
    assert client.post("/scenarios", form).status_code == 303
    first, second = project_of(client).scenarios
    assert (first.keys, dict(first.thresholds)) == (("region",), {"risk": 0.1, "share": 5})
    assert (second.known, dict(second.thresholds)) == (("income",), {})
    refused = client.post("/scenarios", {**form, "risk-0": "7"})
    assert "between 0 and 1" in problem_of(refused)
    assert 'value="7"' in refused.text
    assert client.post("/scenarios", {**form, "remove-0": "yes"}).status_code == 303
    assert [one.name for one in project_of(client).scenarios] == ["employer"]


def test_steps_are_added_moved_and_removed(client: Client):
    page = client.get("/methods").text
    assert "/methods/step?method=rank-swap" in page
    assert "<li>partition: mdav (k: 5" in page  # in the words of reports, with what is so by default
    slip = client.post("/methods/step?method=rank-swap", {"columns": ["incom"]})
    assert "there is no column 'incom'" in html.unescape(problem_of(slip))
    lists = client.post("/methods/step?method=micro-hybrid", {"micro-hybrid.blocks": "[[income, tax]"})
    assert "blocks is '[[income, tax]', which cannot be read" in html.unescape(problem_of(lists))
    assert "[[income, tax]</textarea>" in lists.text  # what was written stays in the form
    form = {"rank-swap.p": "7", "columns": ["income"], "missing": "mask"}
    assert client.post("/methods/step?method=rank-swap", form).headers["location"] == "/methods?saved=2"
    assert [step.method.name for step in project_of(client).plan.steps] == ["microaggregation", "rank-swap"]
    assert client.post("/methods", {"act": "up", "number": "1"}).status_code == 303
    first = project_of(client).plan.steps[0]
    assert (first.method.p, first.columns, first.missing) == (7, ("income",), "mask")
    form = {"microaggregation.partition": "vmdav", "microaggregation.partition.vmdav.k": "4", "columns": ["tax"]}
    assert client.post("/methods/step?number=1", form).status_code == 303
    assert project_of(client).plan.steps[1].to_mapping()["method"] == {
        "microaggregation": {"partition": {"vmdav": {"k": 4}}}
    }
    for _ in range(2):
        assert client.post("/methods", {"act": "remove", "number": "0"}).status_code == 303
    assert project_of(client).plan is None
    assert "The plan has no step yet" in client.get("/methods").text
    assert "has no step yet" in problem_of(client.post("/methods", {"act": "try"}))
    assert client.post("/methods", {"act": "remove", "number": "0"}).status_code == 422


ODD = """\
version: 2
dataset: {path: data.csv}
columns:
  region: {hierarchy: {N: [north], E: [south], S: [south], W: [south]}, label: Where}
  sex: {kind: nominal, labels: {f: female}, missing: ['x', 9]}
  age: {role: key, hierarchy: {intervals: {widths: [5, 10]}}, labels: {1: one}, levels: [1, 2]}
  income: {role: identifier}
  tax: {role: household}
scenarios:
- name: one
  keys: [tax, income]
  thresholds: {share: 5}
- {name: two, known: [sex]}
utility:
- {name: mean, statistic: mean, of: income, by: [sex], where: {region: N, sex: f}, tolerance: 0.025}
- {name: cells, table: [sex], tolerance: 0.05}
- {name: slopes, regression: income ~ age, overlap: 0.8}
- {name: spread, indicator: "quantile(income, 0.9) / median(income)", tolerance: 0.1}
release:
  register: other.jsonl
  earlier: [../2024/runs/0003]
  published:
  - {statistic: sum, of: income, where: {region: N}, value: 12345.5, tolerance: 0.01}
  - {statistic: count, value: 60}
plan:
  steps:
  - method: {micro-hybrid: {partition: {mdav: {k: 5}}}}
    columns: [income, age]
    given: []
    by: [income]
    missing: drop
"""


def as_shown(page: str) -> dict[str, list[str]]:
    """What a browser sends of a form as it was shown."""
    form: dict[str, list[str]] = {}
    text = page[page.index('<form method="post"') :]
    for tag in re.findall(r"<input[^>]*>", text):
        known = dict(re.findall(r'([\w-]+)="([^"]*)"', tag))
        ticked = known.get("type") != "checkbox" or " checked" in tag
        if "name" in known and ticked:
            form.setdefault(html.unescape(known["name"]), []).append(html.unescape(known.get("value", "")))
    for name, inside in re.findall(r'<textarea name="([^"]*)"[^>]*>(.*?)</textarea>', text, re.DOTALL):
        form[html.unescape(name)] = [html.unescape(inside)]
    for name, inside in re.findall(r'<select name="([^"]*)".*?>(.*?)</select>', text, re.DOTALL):
        chosen = re.search(r'<option(?: value="([^"]*)")? selected>([^<]*)', inside)
        first = re.search(r'<option(?: value="([^"]*)")?[^>]*>([^<]*)', inside)
        found = chosen or first
        assert found is not None
        form[html.unescape(name)] = [html.unescape(found[1] if found[1] is not None else found[2])]
    return form


@pytest.mark.parametrize("look", [True, False])
def test_a_form_that_is_sent_as_it_was_shown_changes_nothing(looked: Looked, client: Client, look: bool):
    client = looked() if look else client
    client.project.write_text(ODD, encoding="utf-8")
    before = project_of(client)
    columns = [f"/columns/{place}" for place in range(5)]
    for path in ("/roles", *columns, "/scenarios", "/figures", "/methods/step?number=0"):
        answer = client.post(path, as_shown(client.get(path).text))
        assert answer.status_code == 303, (path, problem_of(answer))
        assert project_of(client) == before, path


def test_the_release_is_described_in_the_project(client: Client):
    form = {"act": "describe", "title": "Survey", "kind": "scientific", "formats": ["csv", "spss"], "signers": "A\nB"}
    assert client.post("/release", {**form, "review": "2028-01-31", "need": "Research"}).status_code == 303
    said = yaml.safe_load(client.project.read_text(encoding="utf-8"))["release"]
    assert said == {
        "title": "Survey",
        "kind": "scientific",
        "need": "Research",
        "formats": ["csv", "spss"],
        "review": "2028-01-31",
        "signers": ["A", "B"],
    }
    refused = client.post("/release", {**form, "review": "31.1.2028"})
    assert "2028-06-30" in problem_of(refused)


def test_no_cell_of_the_data_is_in_an_address(looked: Looked):
    client = looked()
    cells = {"1000", "3919"}  # of the column income
    for path in PAGES:
        for address in re.findall(r'(?:href|action|hx-get|hx-post)="([^"]*)"', client.get(path).text):
            assert not cells & set(re.split(r"\W", address)), address


def test_a_large_file_is_never_opened_by_a_page(looked: Looked, monkeypatch: pytest.MonkeyPatch):
    client = looked()

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a page opened the data")

    monkeypatch.setattr("microveil.io.reading.read_contents", refuse)
    for path in [*PAGES, "/columns/0"]:
        assert client.get(path).status_code == 200


def test_looks_of_other_files_are_not_shown(looked: Looked):
    client = looked()
    other = client.project.read_text(encoding="utf-8").replace("path: data.csv", "path: other.csv")
    client.project.write_text(other, encoding="utf-8")
    page = client.get("/data").text
    assert "The file is not there." in page
    assert "Nobody has looked at the file" in page
    assert json.loads((client.jobs.all()[0].folder / "done.json").read_text())["result"]["path"] == "data.csv"
