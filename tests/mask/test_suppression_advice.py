"""Advice on recoding where suppression takes many cells: what it says comes true."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.mask import suppression_advice
from tests.marks import ANY_FILE

KEYS = ["sex", "education", "occupation"]


def advice(release: mv.Release) -> str:
    found = [note for note in release.notes if "recode" in note]
    assert len(found) <= 1
    return found[0] if found else ""


def test_the_key_with_many_values_is_named(survey: mv.Microdata) -> None:
    release = mv.mask.LocalSuppression(k=3).apply(survey, columns=KEYS, seed=1)
    said = re.fullmatch(
        r"(\d+) % of the key cells are left out; recode occupation \((\d+) values\) to \d+ groups first: about (.*) %",
        advice(release),
    )
    assert said is not None, release.notes
    gone = sum(release.data.encoded(name).codes.tolist().count(-1) for name in KEYS) / (3 * survey.n)
    before = sum(survey.encoded(name).codes.tolist().count(-1) for name in KEYS) / (3 * survey.n)
    assert int(said[1]) == round(100 * (gone - before))
    assert float(said[3]) < 0.7 * float(said[1])


def test_the_figure_comes_true_on_the_recoded_file() -> None:
    draw = np.random.default_rng(2)
    frame = pd.DataFrame({"place": draw.geometric(0.06, 400).clip(max=60), "sex": draw.integers(0, 2, 400)})
    data = mv.Microdata(frame, roles={"place": "key", "sex": "key"}, kinds={"place": "ordinal", "sex": "nominal"})
    said = advice(mv.mask.LocalSuppression(k=12).apply(data, seed=1))
    figure = float(re.search(r"about (.*) %", said)[1])  # type: ignore[index]
    counts = np.bincount(frame["place"])
    group = np.minimum((10 * (np.cumsum(counts) - counts / 2) / 400).astype(int), 9)
    recoded = data.with_(frame.assign(place=group[frame["place"]]))
    after = mv.mask.LocalSuppression(k=12).apply(recoded, seed=1)
    share = 100 * after.frame.isna().to_numpy().mean()
    assert figure == pytest.approx(share, abs=0.1)


def test_hierarchies_tell_the_groups() -> None:
    place = sorted([f"p{i:02d}" for i in range(24)] * 5)
    frame = pd.DataFrame({"place": place, "sex": ["f", "m", "m"] * 40})
    data = mv.Microdata(
        frame,
        roles={"place": "key", "sex": "key"},
        hierarchies={"place": {f"p{i:02d}": ["north" if i < 12 else "south"] for i in range(24)}},
    )
    assert "recode place (24 values) to 2 groups first" in advice(mv.mask.LocalSuppression(k=4).apply(data, seed=1))


def test_large_files_are_told_of_rare_keys(survey: mv.Microdata, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suppression_advice, "_MOST_RECORDS", 100)
    release = mv.mask.LocalSuppression(k=3).apply(survey, columns=KEYS, seed=1)
    assert re.search(r"groups first: [\d.]+ % of the records would have rare keys instead of", advice(release))


@ANY_FILE
def test_few_cells_need_no_advice() -> None:
    frame = pd.DataFrame({"place": [i % 20 for i in range(400)], "sex": ["f", "m"] * 200})
    data = mv.Microdata(frame.astype({"place": str}), roles={"place": "key", "sex": "key"})
    assert not advice(mv.mask.LocalSuppression(k=3).apply(data, seed=1))
