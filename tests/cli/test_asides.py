"""Attacks that need more than two files: the command line gives what it has, and asks in its own words for the rest."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

NOISE = ("--method", "uncorrelated-noise", "--set", "p=0.3", "--columns", "income,wealth")
PROTECT = ("protect", "data.csv", *NOISE)


@pytest.fixture
def evaluate(folder, call):
    """A noisy release of a small file with its log; run `evaluate` on both and return what it prints."""
    draw = np.random.default_rng(1)
    frame = pd.DataFrame(np.round(draw.gamma(2.0, 900.0, (80, 2)), 2), columns=["income", "wealth"])
    frame.to_csv("data.csv", index=False)
    assert call(*PROTECT, "--seed", "3", "--reproducible", "-o", "protected.csv", "--log", "log.json")[0] == 0

    def evaluated(protected: str, *words: object) -> str:
        return " ".join("".join(call("evaluate", "data.csv", protected, *words)[1:]).split())

    return evaluated


def test_the_file_as_written_is_looked_at(evaluate):
    clean = evaluate("protected.csv", "--measures", "file-leaks")
    assert "checks finds anything in the file beside the values of its cells" in clean
    pd.read_csv("protected.csv").to_csv("careless.csv", index_label="row")
    assert "The file tells more than its cells by" in evaluate("careless.csv", "--measures", "file-leaks")


def test_the_seed_is_searched_for_with_the_log(evaluate):
    known = evaluate("protected.csv", "--measures", "seed-search", "--log", "log.json")
    assert "The seed '3' gives the release once more" in known
    without = evaluate("protected.csv", "--measures", "seed-search")
    assert "give --log LOG" in without
    assert "SeedSearch()" not in without


def test_composition_says_what_it_needs(evaluate):
    assert "give --earlier LOG, or --earlier FILE" in evaluate("protected.csv", "--measures", "composition")


@pytest.mark.long
def test_an_earlier_release_is_combined_with_this_one(evaluate, call):
    call(*PROTECT, "-o", "first.csv", "--log", "first.json")
    asked = ("protected.csv", "--measures", "pil", "--log", "log.json")
    said = evaluate(*asked, "--earlier", "first.json", "--json", "figures.json")
    assert "Who combines 2 releases finds " in said
    told = json.loads(Path("figures.json").read_text())["attack"]
    found = next(one for one in told if one["name"] == "composition")
    assert found["parts"]["error combined"] < found["parts"]["error of one"]
    assert "The verdict is about this release alone; what somebody finds who has the earlier ones too" in said
    for twice in (("log.json",), ("first.json", "first.json"), ("protected.csv",)):
        named = [word for one in twice for word in ("--earlier", one)]
        assert "say each earlier release once" in evaluate(*asked, *named)
    # a written file was shuffled: nobody knows whose rows these are without its log
    assert "give the private log of that release in its place" in evaluate(*asked, "--earlier", "first.csv")
    without = evaluate("protected.csv", "--measures", "pil", "--earlier", "first.json")
    assert "which rows belong together is not known: give --log LOG" in without
    aligned = pd.read_csv("data.csv")
    (aligned * 1.1).to_csv("careless.csv", index=False)
    assert "Who combines 3 releases finds " in evaluate(*asked, "--earlier", "first.json", "--earlier", "careless.csv")
