"""Model-based protection and the Gaussian copula: identities and margins."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core import BadInput, NotEnoughRecords, NothingHidden
from microveil.kernels.draws.latin import spearman
from microveil.synth import GaussianCopula, ModelBased, MultipleImputation, SequentialRegression


def related(n=500):
    draw = np.random.default_rng(1)
    s = draw.normal(size=(n, 2))
    g = draw.choice(list("abc"), n)
    t = s @ [1.0, -2.0] + np.select([g == "a", g == "b"], [0.0, 3.0], 5.0) + draw.normal(size=n)
    return pd.DataFrame({"s1": s[:, 0], "s2": s[:, 1], "g": g, "t": t})


def test_fitted_values_keep_the_mean_and_the_covariances_with_what_is_kept():
    frame = related()
    after = ModelBased().apply(frame, columns=["t"], given=["s1", "s2", "g"]).frame
    assert after.t.mean() == pytest.approx(frame.t.mean(), abs=1e-12)
    for name in ("s1", "s2"):
        assert after.t.cov(frame[name]) == pytest.approx(frame.t.cov(frame[name]), abs=1e-12)
    determination = np.corrcoef(after.t, frame.t)[0, 1] ** 2
    assert after.t.var() == pytest.approx(determination * frame.t.var(), rel=1e-12)


def test_the_share_of_the_residual_and_the_interval():
    frame = related()
    fitted = ModelBased().apply(frame, columns=["t"], given=["s1", "s2", "g"]).frame.t
    half = ModelBased(residual=0.5).apply(frame, columns=["t"], given=["s1", "s2", "g"]).frame.t
    assert np.abs(half - (fitted + 0.5 * (frame.t - fitted))).max() < 1e-12
    cut = ModelBased(residual=1.0, interval=0.9).apply(frame, columns=["t"], given=["s1", "s2", "g"]).frame.t
    moved = np.abs(cut - frame.t) > 1e-9
    assert 0.05 < moved.mean() < 0.16
    assert (np.abs(cut - fitted) <= np.abs(frame.t - fitted) + 1e-9).all()
    with pytest.warns(NothingHidden):
        ModelBased(residual=1.0).apply(frame, columns=["t"], given=["s1"])


def test_trees_give_the_means_of_their_leaves():
    frame = related()
    after = ModelBased(model="tree", min_leaf=40).apply(frame, columns=["t"], given=["s1", "s2", "g"]).frame
    assert after.t.value_counts().min() >= 40
    assert after.t.mean() == pytest.approx(frame.t.mean())
    assert np.corrcoef(after.t, frame.t)[0, 1] > 0.75


def test_telling_fits_are_reported_and_small_files_refused():
    frame = related()
    frame["t"] = frame.s1 + 0.01 * frame.t
    release = ModelBased().apply(frame, columns=["t"], given=["s1", "s2"])
    assert any("explain more than 99 % of 't'" in note for note in release.notes)
    with pytest.raises(NotEnoughRecords, match="2 more than the regression has terms: 4 given"):
        ModelBased().apply(related(4)[["s1", "s2", "t"]], columns=["t"], given=["s1", "s2"])


@pytest.mark.parametrize("correlation", ["normal scores", "spearman"])
def test_the_copula_keeps_rank_correlations(correlation):
    draw = np.random.default_rng(2)
    X = np.exp(draw.multivariate_normal(np.zeros(4), 0.5 + 0.5 * np.eye(4), size=5000))
    frame = pd.DataFrame(X, columns=list("abcd"))
    after = GaussianCopula(correlation=correlation).apply(frame, seed=1).frame
    assert np.abs(spearman(after.to_numpy()) - spearman(X)).max() < 0.03
    # the logarithm of the outer quantiles of 5000 draws has a standard error of sqrt(.09 / 5000) / .1755 = .024
    for name in frame:
        drawn, own = (np.quantile(file[name], [0.1, 0.5, 0.9]) for file in (after, frame))
        assert np.abs(np.log(drawn / own)).max() < 0.1


def test_exact_margins_are_the_original_values():
    frame = related()
    release = GaussianCopula(margins="exact").apply(frame, seed=1)
    for name in frame:
        assert sorted(release.frame[name]) == sorted(frame[name])
    rare = frame.assign(g=["z", *frame.g[1:]])
    assert any("occur once: 'g'" in note for note in GaussianCopula(margins="exact").apply(rare, seed=1).notes)
    with pytest.raises(BadInput, match="margins='exact' goes without records"):
        GaussianCopula(margins="exact", records=10)


def test_the_copula_of_mixed_data_has_any_number_of_records():
    after = GaussianCopula(records=2000).apply(related(), seed=1).frame
    shares = after.g.value_counts(normalize=True) - related().g.value_counts(normalize=True)
    assert shares.abs().max() < 0.05
    assert after.s2.corr(after.t) < -0.6


@pytest.mark.parametrize(
    "method", [GaussianCopula(margins="exact"), GaussianCopula(), SequentialRegression(), MultipleImputation()]
)
def test_an_exact_extreme_of_one_record_is_told(method):
    generator = np.random.default_rng(0)
    frame = pd.DataFrame({"a": generator.lognormal(3, 1, 150).round(), "b": generator.lognormal(3, 1, 150).round(1)})
    told = 0
    for seed in range(12):
        release = method.apply(frame, seed=seed)
        held = [
            f"the {which} value of {name}"
            for name in frame
            for which, end in (("largest", frame[name].max()), ("smallest", frame[name].min()))
            if (frame[name] == end).sum() == 1 and (release.frame[name].round({"a": 0, "b": 1}[name]) == end).any()
        ]
        notes = [note for note in release.notes if note.startswith("synthetic records hold exact values")]
        assert len(notes) == bool(held)
        assert all(text in notes[0] for text in held)
        told += bool(held)
    assert told
