"""Plans that are searched for, taken into the project, and compared with what there was."""

from __future__ import annotations

import re

import pytest

from microveil.plan import Project
from tests.app.client import Client, problem_of


@pytest.mark.usefixtures("jobs_here")
@pytest.mark.long
def test_a_searched_plan_is_taken_and_compared(client: Client):
    refused = client.post("/search", {"act": "begin", "budget": "soon"})
    assert refused.status_code == 422
    assert 'value="soon"' in refused.text
    form = {"act": "begin", "budget": "2 trials", "limit": "100"}
    assert client.post("/search", form).status_code == 303
    said = Project.load(client.project).search
    assert said == {"at_most": {"worst-case": 100}, "budget": "2 trials"}  # so that the command does the same
    job = client.finished()
    assert job.state == "done", job.message
    assert job.file("map.svg").startswith("<svg")  # what is shown while it goes on
    page = client.get("/search").text
    assert "microveil search project.yaml --folder project_work/studies/" in page
    assert "Recommended:" in page
    assert '<figure class="mv-map">' in page
    assert (client.project.parent / job.settings["folder"] / "study.html").is_file()

    # a plan is that of the search which the page showed, not of one that ended since
    assert f'name="of" value="{job.number}"' in page
    assert client.post("/search", {"act": "take", "of": "0000", "number": "0"}).status_code == 422
    before = Project.load(client.project)
    answer = client.post("/search", {"act": "take", "of": job.number, "number": "0"})
    assert answer.headers["location"].startswith("/methods?saved=")
    after = Project.load(client.project)
    assert (after.columns, after.scenarios) == (before.columns, before.scenarios)
    assert client.get("/search").text.count("the plan of the project is this one") == 1
    assert "# chosen from a search" in client.project.read_text(encoding="utf-8")
    assert client.post("/search", {"act": "take", "of": job.number, "number": "99"}).status_code == 422

    offered = re.findall(r'<option value="(project_work/versions/\d+\.yaml)"', client.get("/compare").text)
    plans = {"first": "project.yaml", "second": offered[-1]}
    assert "cannot be read" in problem_of(client.post("/compare", {**plans, "indicators": "mean(income"}))
    assert "both plans are the same" in problem_of(client.post("/compare", {**plans, "second": "project.yaml"}))
    assert "the plan as it is now" in client.get("/compare").text
    assert client.post("/compare", {**plans, "indicators": "mean(income)"}).status_code == 303
    job = client.finished()
    assert job.state == "done", job.message
    page = client.get("/compare").text
    for heading in ("side by side", "Indicators", "Distributions", "Correlations", "Which plan keeps the limits"):
        assert heading in page
    assert "The project was changed since." not in page
    assert all(f'<option value="{name}" selected>' in page for name in plans.values())  # what is shown below
    assert re.search(r"keeps? the limits stated", page)  # beside which plan is better


@pytest.mark.usefixtures("idle_jobs")
def test_methods_and_columns_of_a_search_are_ticked(client: Client):
    page = client.get("/search").text
    methods = re.findall(r'name="methods" value="([^"]+)" checked', page)
    assert {"rank-swap", "micro-hybrid"} <= set(methods)
    assert "What it may try: " in page
    form = {"act": "begin", "budget": "1 trials", "ticks": "yes"}
    assert "no method is ticked" in problem_of(client.post("/search", form))

    def stated(**sent: object) -> dict[str, object]:
        assert client.post("/search", {**form, **sent}).status_code == 303
        return {name: value for name, value in Project.load(client.project).search.items() if name != "budget"}

    most = [name for name in methods if name != "rank-swap"]
    assert stated(methods=most) == {"without": ["rank-swap"]}
    assert stated(methods=["rank-swap"], columns=["income"]) == {"methods": ["rank-swap"], "columns": ["income"]}
    page = client.get("/search").text
    assert re.findall(r'name="methods" value="([^"]+)" checked', page) == ["rank-swap"]
    assert "What it may try: 1 method, on 1 column<" in page
    assert stated(methods=methods) == {}  # all of them: nothing is said, and a method that comes later is tried too
