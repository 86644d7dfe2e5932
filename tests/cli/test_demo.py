"""The demo, attacked as an intruder would who holds the original file."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

import microveil as mv
from microveil.plan import link_of_written, replay

RECORDS = 400


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
    ring = re.search(r'mv-outline"[^>]*/><circle[^>]*><title>microhybrid k=10: loss ([\d.]+)', page)
    assert loss is not None
    assert ring is not None
    assert abs(float(loss[1]) - float(ring[1])) < 0.06

    released = pd.read_csv("out/protected.csv", dtype={"sector": str})
    table = mv.datasets.make_enterprises(RECORDS, seed="demo")
    data = mv.Microdata(table, **mv.datasets.enterprises_schema())
    original = table.to_pandas()
    amounts = ["employees", *data.names("confidential")]
    assert (released[amounts] >= 0).all(axis=None)
    parts = [f"{sector}_sales" for sector in ("residential", "commercial", "industrial", "other")]
    assert (released[parts].sum(axis=1) - released["total_sales"]).abs().max() <= 4

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

    found = re.search(r"In the worst case an intruder finds about ([\d.]+) % of the records", said)
    assert found is not None
    worst = float(found[1])
    error = 300 * np.sqrt(0.1 * 0.9 / RECORDS)
    assert abs(max(nearest, one_to_one) - worst) < error
    assert worst < 10 + error
    assert "links a record to its original with probability 1/10 at most" in said
