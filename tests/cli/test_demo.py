"""The demo, attacked as an intruder would who holds the original file."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

import microveil as mv
from microveil.cli import demo
from microveil.cli.demo_data import demo_data
from microveil.plan import link_of_written, replay

RECORDS = 400


@pytest.fixture
def short_demo(folder, monkeypatch):
    """The present folder, where the demo measures and compares next to nothing."""
    two = ("hybrid k=10", "hybrid k=10, no rules")
    monkeypatch.setattr(demo, "_candidates", lambda released: {label: demo._hybrid(5, released) for label in two})
    monkeypatch.setattr(mv.plan, "evaluate", partial(mv.plan.evaluate, measures=["PIL"]))
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.full
def test_a_second_demo_leaves_the_first_alone(short_demo, run):
    assert "Wrote into microveil-demo/:" in run("demo", "-n", 60)
    log = mv.plan.load_log(short_demo / "microveil-demo" / "private" / "log.json")
    assert [scenario.name for scenario in mv.plan.scenarios_in(log)] == ["all keys and amounts"]
    before = contents(short_demo)
    assert "Wrote into microveil-demo-2/:" in run("demo", "-n", 60)
    after = contents(short_demo)
    assert before.items() <= after.items()
    assert len(after) == 2 * len(before) == 8
    run("demo", "-n", 60, "-d", "microveil-demo", status=2, match="is there already; a log is never replaced")
    run("demo", "-n", 60, "--force", status=2, match="microveil-demo/private/log.json is there already; a log is never")
    assert contents(short_demo) == after
    (short_demo / "microveil-demo" / "private" / "log.json").rename("kept.json")
    run("demo", "-n", 60, "-d", "microveil-demo", status=2, match="give --folder another name, or say --force")
    run("demo", "-n", 60, "-d", "microveil-demo", "--force")
    assert contents(short_demo)["microveil-demo/protected.csv"] != before["microveil-demo/protected.csv"]


def test_a_demo_that_fails_leaves_nothing(short_demo, run, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr(mv.report, "write_report", fail)
    run("demo", "-n", 60, status=3, match="no space left")
    assert not list(short_demo.iterdir())


@pytest.mark.long
def test_the_demo_leaves_everything_it_names_and_says_how_safe_it_is(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    said = run("demo", "-n", RECORDS, "-d", "out")
    for name in ("report.html", "protected.csv", "plan.yaml", "private/log.json"):
        assert name in said
        assert (tmp_path / "out" / name).stat().st_size > 50
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.count("<svg") >= 5
    assert "BROKEN" not in page
    # a limit was stated, so that there is a verdict, and the ring of the map is the released file
    assert "Nobody stated limits" not in page
    assert "all keys and amounts" in page
    loss = re.search(r"Probabilistic information loss: ([\d.]+) of 100", said)
    ring = re.search(r'mv-outline"[^>]*/><circle[^>]*><title>hybrid k=10: loss ([\d.]+)', page)
    assert loss is not None
    assert ring is not None
    assert abs(float(loss[1]) - float(ring[1])) < 0.06

    # nothing is given up
    assert "given up" not in said

    released = pd.read_csv("out/protected.csv", dtype={"sector": str})
    data = demo_data(RECORDS)
    original = data.frame.to_pandas()
    amounts = ["employees", *data.names("confidential")]
    # not one impossible value, totals of columns as they were, covariances up to the digits of the file
    assert (released[amounts] >= 0).all(axis=None)
    assert (released["employees"] >= 1).all()
    parts = [f"{part}_revenue" for part in ("residential", "commercial", "industrial", "other")]
    assert (released[parts].sum(axis=1) == released["total_revenue"]).all()
    assert (released[amounts].sum() == original[amounts].sum()).all()
    sizes = np.sqrt(np.outer(original[amounts].var(), original[amounts].var()))
    assert (np.abs(released[amounts].cov() - original[amounts].cov()) / sizes).max(axis=None) < 1e-3

    # the same groups without rules are on the map, crossed out
    freely = re.search(r"but no rules, (\d+) do", said)
    assert freely is not None
    assert int(freely[1]) > 0.2 * RECORDS
    assert f"{freely[1]} records break a rule</title>" in page
    assert "0 released records break a rule;" in said

    # nearest, and one to one, on the keys and all amounts; the log only tells who was right
    def scaled(frame: pd.DataFrame) -> np.ndarray:
        X = frame[amounts].to_numpy(float)
        return (X - X.mean(axis=0)) / X.std(axis=0)

    apart = cdist(scaled(original), scaled(released), "sqeuclidean")
    for key in ("region", "sector"):
        apart += original[key].astype(str).to_numpy()[:, None] != released[key].astype(str).to_numpy()
    truth = link_of_written(replay("out/private/log.json", data))
    nearest = 100 * np.mean(truth[apart.argmin(axis=1)] == np.arange(RECORDS))
    rows, columns = linear_sum_assignment(np.sqrt(apart))
    one_to_one = 100 * np.mean(truth[columns] == rows)

    found = re.search(r"In the worst case an intruder finds at least about ([\d.]+) % of the records", said)
    assert found is not None
    worst = float(found[1])
    error = 300 * np.sqrt(0.1 * 0.9 / RECORDS)
    assert abs(max(nearest, one_to_one) - worst) < error
    assert worst < 10 + error
    assert "links a record to its original with probability 1/10 at most" in said
