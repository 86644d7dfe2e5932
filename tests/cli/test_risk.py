"""`microveil risk`: what it prints, what it writes, how it ends."""

from __future__ import annotations

import json
import stat

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from tests.reference import shared_file

N = 90


@pytest.fixture(autouse=True)
def _weighted_people(folder):
    """People with numbers and weights in survey.csv."""
    rng = np.random.default_rng(3)
    pd.DataFrame(
        {
            "person_id": [f"p{i}" for i in range(N)],
            "region": rng.choice(["north", "south", "west"], N),
            "gender": rng.choice(["f", "m"], N),
            "age": rng.integers(18, 80, N),
            "income": np.round(rng.gamma(2.0, 900.0, N), 2),
            "weight": rng.integers(5, 9, N) + 0.5,
        }
    ).to_csv(folder / "survey.csv", index=False)


ROLES = ("--role", "region=key", "--role", "age=key", "--role", "weight=weight")
SAFE = ("-o", "safe.csv", "--log", "private/log.json")


def project(folder, limits=""):
    (folder / "project.yaml").write_text(
        "version: 1\ndataset: {path: survey.csv}\ncolumns:\n  region: {role: key}\n  gender: {role: key}\n"
        "  person_id: {role: identifier}\n" + limits
    )
    return folder / "project.yaml"


def test_one_file_with_its_outputs(folder, run):
    said = run(
        "risk", "survey.csv", *ROLES, "--records", "out/risks.csv", "--report", "risk.html", "--json", "risk.json"
    )
    data = mv.read("survey.csv", roles={"region": "key", "age": "key", "weight": "weight"})
    found = mv.assess(data)
    assert "Risk by 2 keys: region, age" in said
    assert f"row {found.original.riskiest[0].row} " in said
    assert "Nobody stated" not in said
    assert "for the protector's eyes only" in said
    table = pd.read_csv("out/risks.csv")
    assert list(table.columns) == ["row", "fk", "fk_wildcard", "Fk", "risk", "dis"]
    assert table["risk"].to_numpy() == pytest.approx(found.original.each.risk)
    assert stat.S_IMODE((folder / "out/risks.csv").stat().st_mode) == 0o600
    assert json.loads((folder / "risk.json").read_text())["original"]["keys"] == ["region", "age"]
    page = (folder / "risk.html").read_text(encoding="utf-8")
    assert "Risk of survey.csv as it is" in page
    for text in (page, (folder / "out/risks.csv").read_text(), said):
        assert "p17" not in text


def test_roles_nobody_stated_are_proposed_in_one_line(folder, run):
    said = run("risk", "survey.csv", match="decide with --keys, --role or --project")
    assert "(key: region, gender, age; weight: weight)" in said
    said = run("risk", "survey.csv", "--keys", "region, gender", match="Risk by 2 keys: region, gender")
    assert "(weight: weight)" in said


def test_figures_of_the_household_survey(folder, run):
    file = shared_file("data", "testdata.csv")
    said = run(
        *("risk", file, "--keys", "urbrur,roof,walls,water,electcon,relat,sex"),
        *("--role", "sampling_weight=weight", "--role", "ori_hid=household"),
    )
    for figure in ("anonymity) 157 ", "3-anonymity 281 ", "re-identifications 10.8 ", "households 51.8 "):
        assert figure in " ".join(said.split())


def test_a_release_beside_its_original(folder, run):
    suppress = ("-m", "local-suppression", "-s", "k=16", "--columns", "region,gender")
    run("protect", "survey.csv", *suppress, *SAFE, "--project", project(folder))
    words = ("risk", "survey.csv", "--project", "project.yaml", "--protected", "safe.csv")
    said = run(*words, "--log", "private/log.json", "--report", "both.html")
    assert "original protected" in " ".join(said.split())
    assert "Which rows belong together, and what the columns are, is known from the private log." in said
    assert "protected" in (folder / "both.html").read_text(encoding="utf-8")


def test_perturbed_keys_are_not_counted(folder, run):
    run("protect", "survey.csv", "-m", "pram", "--columns", "region", *SAFE, "--project", project(folder))
    said = run(
        *("risk", "survey.csv", "--project", "project.yaml", "--protected", "safe.csv", "--log", "private/log.json")
    )
    assert "The key region was perturbed (pram)" in said
    assert said.startswith("survey.csv and safe.csv: the keys of the protected file cannot be counted")
    assert "records of the protected" not in said


def test_limits_of_the_project_decide_how_it_ends(folder, run):
    limits = "scenarios:\n- {name: neighbour, keys: [region, gender], thresholds: {risk: 0.0001}}\n"
    words = ("risk", "survey.csv", "--project", project(folder, limits))
    run(*words, match="Scenario neighbour: 100 % of the records have a risk above 0.01 % (0 % may), over its limits.")
    pd.read_csv("survey.csv").to_csv("safe.csv", index=False)
    run(*words, "--protected", "safe.csv", "--rows", "aligned", status=1, match="Over the limit in: neighbour.")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--keys", "regio"), "there is no column 'regio'"),
        (("--keys", ","), "names no column"),
        (("--log", "log.json"), "name it with --protected"),
        (("--rows", "sorted"), "--rows 'sorted' is not one of"),
        (("--records", "risks.parquet"), "give it a name that ends in .csv"),
        (("--report", "survey.csv"), "are the same file"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(folder, run, words, said):
    run("risk", "survey.csv", *words, status=2, match=said)
    assert [path.name for path in folder.iterdir()] == ["survey.csv"]


def test_existing_files_are_replaced_with_force_only(folder, run):
    (folder / "risk.json").write_text("mine")
    run("risk", "survey.csv", *ROLES, "--json", "risk.json", status=2, match="risk.json is there already")
    assert (folder / "risk.json").read_text() == "mine"
    run("risk", "survey.csv", *ROLES, "--json", "risk.json", "--force")
    assert (folder / "risk.json").read_text() != "mine"
