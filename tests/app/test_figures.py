"""Figures that must survive, figures that were published, earlier releases: stated by forms."""

from __future__ import annotations

import html

from microveil.plan import Project
from tests.app.client import Client, problem_of

FORM = {"goals": "4", "kind-0": "statistic", "kind-1": "table", "kind-2": "regression", "kind-3": "indicator"}
MEAN = {"name-0": "mean income", "what-0": "mean", "of-0": "income", "by-0": ["sex"], "limit-0": "2.5"}


def project_of(client: Client) -> Project:
    return Project.load(client.project)


def test_figures_of_every_kind_are_added_and_removed(client: Client):
    form = {**FORM, **MEAN, "where-0": "region = N", "name-1": "cells", "by-1": ["sex", "region"], "limit-1": "5"}
    form |= {"name-2": "slopes", "expression-2": "income ~ age", "limit-2": "80"}
    form |= {"name-3": "spread", "expression-3": "gini(income)", "limit-3": "1"}
    answer = client.post("/figures", form)
    assert answer.status_code == 303, problem_of(answer)
    assert [goal.to_spec() for goal in project_of(client).utility] == [
        {"name": "mean income", "statistic": "mean", "of": "income", "by": ["sex"], "where": {"region": "N"}}
        | {"tolerance": 0.025},
        {"name": "cells", "table": ["sex", "region"], "tolerance": 0.05},
        {"name": "slopes", "regression": "income ~ age", "overlap": 0.8},
        {"name": "spread", "indicator": "gini(income)", "tolerance": 0.01},
    ]
    assert client.post("/figures", {**form, "drop-1": "yes"}).status_code == 303
    assert [goal.name for goal in project_of(client).utility] == ["mean income", "slopes", "spread"]


def test_published_totals_and_earlier_releases_are_stated(client: Client):
    (client.project.parent / "2024" / "runs" / "0003" / "package").mkdir(parents=True)
    form = {"published": "1", "statistic-0": "sum", "column-0": "income", "value-0": "123,456.5", "within-0": "1"}
    answer = client.post("/figures", {**form, "earlier": "2024/runs/0003"})
    assert answer.status_code == 303, problem_of(answer)
    release = project_of(client).release
    assert (release.published[0].value, release.published[0].tolerance) == (123456.5, 0.01)
    assert release.earlier == ("2024/runs/0003",)
    assert 'value="123456.5"' in client.get("/figures").text


def test_what_is_wrong_with_a_figure_is_told(client: Client):
    def told(**form: object) -> str:
        return html.unescape(problem_of(client.post("/figures", {**FORM, **form})))

    before = client.project.read_bytes()
    assert "has no name" in told(**{**MEAN, "name-0": ""})
    assert "written as region = North" in told(**{**MEAN, "where-0": "N"})
    assert "there is no column 'incom'" in told(**{"name-2": "slopes", "expression-2": "incom ~ age", "limit-2": "80"})
    assert "not below the folder of the project" in told(earlier="../2024/runs/0003")
    assert "is no folder of an earlier run" in told(earlier="2024")
    published = {"published": "1", "statistic-0": "count", "column-0": "income", "value-0": "3"}
    assert "a count is of records" in told(**published)
    assert client.project.read_bytes() == before


def test_a_form_of_figures_that_is_refused_is_shown_as_it_was_typed(client: Client):
    client.post("/figures", {**FORM, **MEAN})
    form = {"goals": "5", "kind-0": "statistic", **MEAN, "limit-0": "few", "drop-0": "yes"}
    form |= {"kind-2": "table", "by-2": ["sex"], "kind-4": "indicator", "expression-4": "gini(income"}
    form |= {"published": "1", "statistic-0": "mean", "column-0": "income", "value-0": "1,2"}
    refused = client.post("/figures", form)
    assert "has no name" in problem_of(refused)
    for kept in ('value="few"', 'name="drop-0" value="yes" checked', 'value="gini(income"', 'value="1,2"'):
        assert kept in refused.text
    alone = client.post("/figures", {"goals": "1", "kind-0": "statistic", **MEAN, "limit-0": "few"})
    assert ("tolerance" in problem_of(alone), 'value="few"' in alone.text) == (True, True)


def test_a_published_figure_without_its_value_is_not_forgotten(client: Client):
    refused = client.post("/figures", {"published": "1", "statistic-0": "mean", "column-0": "income", "value-0": ""})
    assert "a published figure has no value" in problem_of(refused)
