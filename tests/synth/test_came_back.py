"""Records that rules leave no room do not come back untold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.claims import CovariancesKept
from microveil.synth.came_back import settle_copies


def sparse(records: int = 400, columns: int = 8, zeros: float = 0.6) -> pd.DataFrame:
    draws = np.random.default_rng(1)
    X = np.ceil(np.exp(draws.normal(5, 1, (records, columns)))) * (draws.random((records, columns)) > zeros)
    return pd.DataFrame(X, columns=[f"amount{j}" for j in range(columns)])


def with_giant(records: int = 300) -> pd.DataFrame:
    draws = np.random.default_rng(2)
    X = np.exp(draws.normal(5, 1, (records, 5)))
    X[17] = 30 * X.max(axis=0)
    return pd.DataFrame(X, columns=list("abcde"))


def release(frame: pd.DataFrame, method: mv.data.Method) -> mv.data.Release:
    data = mv.Microdata(
        frame,
        edits=[f"{name} >= 0" for name in frame],
        roles=dict.fromkeys(frame, "confidential"),
        integers="keep exact",
    )
    return method.apply(data, seed=5)


def count_verbatim(released: pd.DataFrame, original: pd.DataFrame) -> int:
    known = {tuple(row) for row in original.to_numpy() if np.count_nonzero(row) > 1}
    return sum(tuple(row) in known for row in released.to_numpy())


def hybrid(came_back: str | None = None, k: int = 10) -> mv.hybrid.MicroHybrid:
    return mv.hybrid.MicroHybrid(
        partition=mv.partition.MDAV(k=k), synthesiser=mv.synth.FeasibleRotation(came_back=came_back)
    )


def test_groups_of_sparse_amounts_are_averaged_and_covariances_are_not_promised():
    frame = sparse()
    found = release(frame, hybrid())
    assert count_verbatim(found.frame, frame) == 0
    assert (found.frame >= 0).all(axis=None)
    np.testing.assert_allclose(found.frame.mean(), frame.mean(), rtol=1e-12)
    assert any("averaged, so that covariances are not exact" in note for note in found.notes)
    assert not any("covariances" in str(claim) for claim in found.claims)
    assert not any("came back as another" in str(one) for one in found.guarantee.statements)


def test_told_instead_they_are_exposed():
    frame = sparse()
    found = release(frame, hybrid("tell"))
    assert count_verbatim(found.frame, frame) > 100
    np.testing.assert_allclose(found.frame.cov(), frame.cov(), rtol=1e-9, atol=1e-9)
    assert any("came back as one of their group was" in note for note in found.notes)
    exposed = [str(one) for one in found.guarantee.statements if "came back as another of the group" in one.text]
    assert len(exposed) == 1
    assert exposed[0].startswith("EXPOSED to an intruder who knows some original values of a person")


def test_a_giant_is_told_and_averaged_on_demand():
    frame = with_giant()
    told = release(frame, hybrid())
    giant = frame.iloc[17].to_numpy()
    nearest = np.abs(told.frame.to_numpy() / giant - 1).max(axis=1).min()
    assert nearest < 0.02
    assert any(note.startswith("1 record of 300 came back as one of its group was") for note in told.notes)
    assert any("came back as another of the group" in one.text for one in told.guarantee.statements)
    averaged = release(frame, hybrid("average"))
    assert np.abs(averaged.frame.to_numpy() / giant - 1).max(axis=1).min() > 0.5
    assert not any("came back as another" in one.text for one in averaged.guarantee.statements)


def test_ordinary_amounts_do_not_come_back():
    frame = sparse(zeros=0.0)
    found = release(frame, hybrid())
    assert not any("came back as" in note and "one of" in note for note in found.notes)
    assert any("covariances" in str(claim) for claim in found.claims)


@pytest.mark.parametrize("zeros", ["keep", "move"])
def test_zeros_stay_without_groups_too(zeros):
    draws = np.random.default_rng(4)
    frame = pd.DataFrame(np.exp(draws.normal(5, 1, (300, 3))), columns=list("abc"))
    frame.loc[draws.random(300) < 0.4, "c"] = 0.0
    found = release(frame, mv.synth.FeasibleRotation(zeros=zeros))
    stayed = int((found.frame["c"] == 0).sum())
    assert stayed == (int((frame["c"] == 0).sum()) if zeros == "keep" else 0)


def test_one_giant_in_a_small_part_of_a_file_costs_no_exact_covariances():
    old = np.vstack([np.full((29, 2), 1.0) + np.arange(29)[:, None] * [0.1, 0.07], [[900.0, 900.0]]])
    new = old.copy()
    new[:29] *= [1.2, 0.8]
    source, labels = ~np.arange(30), np.zeros(30, dtype=np.int64)
    few = settle_copies(new, old, labels, source, np.zeros((0, 2)), None)
    assert few.exact
    assert "1 record of 30 came back" in few.notes[0]
    many = settle_copies(old, old, np.arange(30) % 3, source, np.zeros((0, 2)), None)
    assert not many.exact


def test_records_near_others_by_chance_are_no_copies():
    """Two free columns in a group of 250 bring some records near others, whoever draws them."""
    for seed in range(6):
        draw = np.random.default_rng(seed)
        X = draw.normal(size=(250, 2))
        frame = pd.DataFrame({"x": X[:, 0], "y": X[:, 1], "t": X.sum(axis=1)})
        data = mv.Microdata(frame, edits=["x >= -1000000", "t == x + y"], integers="keep exact")
        made = mv.synth.FeasibleRotation().apply(data, columns=["x", "y", "t"], given=[], seed=seed)
        assert len(made.frame.drop_duplicates()) == 250
        assert not [note for note in made.notes if "came back as one" in note]
        assert any(isinstance(promise.claim, CovariancesKept) for promise in made.promises)


@pytest.mark.parametrize("edits", [[], ["t == x + y"], ["t == x + y", "2*t == 2*x + 2*y"]], ids=len)
def test_a_single_free_amount_tells_nothing_but_itself(edits):
    """Beside zeros, constants and totals one amount is left, which comes near some other by chance."""
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({"x": draw.lognormal(5, 1, 200), "y": 7.0})
    frame["t"] = frame["x"] + frame["y"]
    made = release_of(frame, edits)
    assert not [note for note in made.notes if "came back as one" in note]
    assert any(isinstance(promise.claim, CovariancesKept) for promise in made.promises)


def release_of(frame, edits):
    data = mv.Microdata(frame, edits=["x >= 0", *edits], integers="keep exact")
    columns = list(frame) if edits else ["x", "y"]
    return mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=10)).apply(data, columns=columns, given=[], seed=3)
