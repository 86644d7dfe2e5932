"""One release, one verdict: every way to evaluate it gives the same figures."""

from __future__ import annotations

import json
import math

import pandas as pd
import pytest

import microveil as mv
from microveil.core import Measured
from microveil.plan import Project, evaluate, save_log
from tests.marks import ANY_FILE

AMOUNTS = ["income", "wealth"]
STEPS = {
    "suppression": [{"method": {"local-suppression": {"k": 3}}, "columns": ["sex", "school", "place"]}],
    "k-anonymise": [{"method": {"k-anonymise": {"k": 5}}, "columns": ["sex", "age"]}],
    "microaggregation": [{"method": {"microaggregation": {"partition": {"mdav": {"k": 4}}}}, "columns": AMOUNTS}],
    "pram": [{"method": "pram", "columns": ["sex", "place"]}],
    "noise": [{"method": {"uncorrelated-noise": {"p": 0.3}}, "columns": AMOUNTS, "missing": "mask"}],
    "rank swap by region": [{"method": {"rank-swap": {"p": 10}}, "columns": AMOUNTS, "by": ["region"]}],
    "hybrid": [{"method": {"micro-hybrid": {"partition": {"mdav": {"k": 10}}}}, "columns": AMOUNTS, "given": []}],
    "trees": [{"method": "cart", "columns": ["income", "wealth", "school"], "missing": "drop"}],
    "sample and swap": [
        {"method": {"sample": {"fraction": 0.7}}},
        {"method": {"rank-swap": {"p": 10}}, "columns": ["wealth"]},
    ],
    "recoding and noise": [
        {"method": {"global-recode": {"cuts": {"age": [30, 45, 60]}}}, "columns": ["age"]},
        {"method": {"exact-noise": {"p": 0.3}}, "columns": AMOUNTS},
    ],
}


def _all_roles() -> tuple[pd.DataFrame, dict[str, dict[str, object]]]:
    """A file with all roles and kinds, codes for missing values among them."""
    from microveil.testing.samples import sample_columns

    frame = pd.DataFrame(sample_columns(100)).assign(name=[f"person {i}" for i in range(100)])
    frame.loc[::17, "hours"] = 99999
    columns: dict[str, dict[str, object]] = {
        "income": {"role": "confidential", "kind": "continuous"},
        "wealth": {"role": "confidential", "kind": "continuous"},
        "hours": {"role": "other", "kind": "continuous", "missing": [99999]},
        "school": {"role": "key", "kind": "ordinal", "levels": ["none", "primary", "secondary", "tertiary"]},
        "place": {"role": "key", "kind": "nominal"},
        "sex": {"role": "key", "kind": "nominal"},
        "age": {"role": "key", "kind": "continuous"},
        "region": {"role": "stratum", "kind": "nominal"},
        "household": {"role": "household", "kind": "nominal"},
        "weight": {"role": "weight", "kind": "continuous"},
        "name": {"role": "identifier", "kind": "nominal"},
    }
    return frame, columns


@pytest.fixture
def place(folder):
    """A folder with the file, its project, and a project that states other things."""
    frame, columns = _all_roles()
    frame.to_csv("data.csv", index=False)
    Project("data.csv", columns=columns).save("project.yaml")
    other = {**columns, "income": {"role": "key"}, "weight": {"role": "confidential"}, "hours": {"missing": [7]}}
    Project("data.csv", columns=other).save("other.yaml")
    return folder


def _figures(evaluation) -> dict[str, object]:
    written = evaluation.to_json()
    return {figure["name"]: figure for figure in (*written["loss"], *written["risk"])}


IN_SHORT = ("hybrid", "recoding and noise")


@ANY_FILE
@pytest.mark.parametrize(
    "steps",
    [
        pytest.param(steps, id=name, marks=pytest.mark.long if name in IN_SHORT else pytest.mark.full)
        for name, steps in STEPS.items()
    ],
)
def test_every_route_to_a_release_gives_the_same_figures(place, run, monkeypatch, steps):
    shown = {}

    def kept(*arguments, **named):
        shown["report"] = evaluate(*arguments, **named)
        return shown["report"]

    mv.Plan(steps).save("plan.yaml")
    monkeypatch.setattr("microveil.plan.evaluate", kept)
    protect = ("protect", "data.csv", "--project", "project.yaml", "--plan", "plan.yaml", "-o", "out.csv")
    run(*protect, "--log", "log.json", "--report", "page.html", "--accept-lost")
    monkeypatch.setattr("microveil.plan.evaluate", evaluate)
    report = _figures(shown["report"])
    assert sum("value" in figure for figure in report.values()) >= 10

    with_log = ("evaluate", "data.csv", "out.csv", "--log", "log.json", "--json", "figures.json", "--force")
    for project in ((), ("--project", "other.yaml")):
        said = run(*with_log, *project)
        written = json.loads((place / "figures.json").read_text())
        assert {figure["name"]: figure for figure in (*written["loss"], *written["risk"])} == report
    assert "other.yaml states other roles for income, weight; the log decides." in said
    assert "other.yaml states other missing codes for hours; the log decides." in said

    release = mv.plan.replay("log.json", Project.load("project.yaml").read(place))
    assert _figures(mv.evaluate(release.original.frame, release)) == report


def test_words_for_missing_values_that_a_log_cannot_keep_are_stated_again(place, run):
    frame, _ = _all_roles()
    frame.assign(income=frame["income"].astype(object).where(frame.index % 11 > 0, "?")).to_csv("gaps.csv", index=False)
    run(
        *("protect", "gaps.csv", "--na", "?", "-m", "uncorrelated-noise", "--columns", "income,wealth"),
        *("--role", "name=identifier", "--missing", "mask", "-o", "out.csv", "--log", "log.json"),
    )
    said = run("evaluate", "gaps.csv", "out.csv", "--log", "log.json", "--na", "?", "--columns", "income,wealth")
    assert "the log decides" not in said


def test_numbers_of_households_and_weights_are_never_compared_as_amounts(place, run):
    frame, _ = _all_roles()
    frame = frame.assign(person_id=range(100)).drop(columns=["name"])
    frame.to_csv("plain.csv", index=False)
    frame.assign(income=frame["income"] * 1.1).to_csv("masked.csv", index=False)
    said = run("evaluate", "plain.csv", "masked.csv", "--json", "figures.json")
    assert "Nobody stated roles; not compared for what they look like:" in said
    compared = json.loads((place / "figures.json").read_text())["columns"]
    assert not {"household", "weight", "person_id"} & set(compared)
    assert said.count("no column has the role key") == 1
    assert "no column has the role key: say --role age=key or --project FILE" in said
    assert "keys=[" not in said
    said = run("evaluate", "plain.csv", "masked.csv", "--role", "age=key", "--kind", "age=ordinal")
    assert "no column has the role key" not in said


def test_python_says_once_that_keys_are_missing():
    frame, _ = _all_roles()
    text = repr(mv.evaluate(frame[AMOUNTS], frame[AMOUNTS] * 1.1))
    assert text.count("no column has the role key") == 1
    assert "say roles={'age': 'key'}" in text


def test_a_plain_frame_beside_a_release_is_compared_as_the_release_knows_it():
    frame, columns = _all_roles()
    data = mv.Microdata(frame, roles={name: fact["role"] for name, fact in columns.items()}, missing={"hours": [99999]})
    release = mv.mask.UncorrelatedNoise(p=0.3).apply(data, columns=AMOUNTS, seed=1)
    assert mv.loss.PIL()(frame, release) == mv.loss.PIL()(data, release)
    plain = mv.mask.UncorrelatedNoise(p=0.3).apply(frame, columns=AMOUNTS, seed=1)
    found = mv.loss.PIL()(frame, plain)
    assert isinstance(found, Measured)
    alone = mv.loss.PIL()(frame[AMOUNTS], plain.frame[AMOUNTS]).value
    assert math.isclose(found.value, alone)
    assert alone > mv.loss.PIL()(frame, plain.frame).value


def test_a_negative_weight_is_no_weight_to_measure_with():
    frame = pd.DataFrame({"weight_change": [-1.0, 2.0, 3.0, -4.0] * 10, "height": [1.5, 1.6, 1.7, 1.8] * 10})
    assert mv.evaluate(frame, frame + 1.0).columns == ("weight_change", "height")


def test_a_log_is_read_before_it_is_believed(place, run):
    data = Project.load("project.yaml").read(place)
    release = mv.mask.RankSwap(p=10).apply(data, columns=AMOUNTS)
    mv.write(release, "out.csv")
    save_log(release, "log.json")
    (place / "out.csv").write_text((place / "out.csv").read_text() + "\n")
    run("evaluate", "data.csv", "out.csv", "--log", "log.json", status=2, match="byte for byte")


def test_codes_of_a_project_are_not_replaced_by_an_option(place, run):
    for words in (("evaluate", "data.csv", "data.csv"), ("protect", "data.csv", "-m", "rank-swap", "-o", "o.csv")):
        run(*words, "--project", "project.yaml", "--na", "7", status=2, match="leave --na out")
