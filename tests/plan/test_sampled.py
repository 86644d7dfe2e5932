"""Slow measures of large files from samples: unbiased, with intervals, said in words; and which measures are taken."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core import Measured
from microveil.measure import Pair
from microveil.measure.sampling import Sample, draw_pair
from microveil.plan import evaluation
from microveil.plan.evaluation import QUICK, choose_measures, default_measures
from microveil.plan.sampled import on_sample

RNG = np.random.default_rng(8)
ROWS = 4000
FRAME = pd.DataFrame(
    {
        "a": RNG.normal(size=ROWS),
        "b": RNG.gamma(2.0, size=ROWS),
        "region": RNG.integers(0, 300, ROWS).astype(str),
        "sex": RNG.choice(["f", "m"], ROWS),
        "ill": RNG.choice(["no", "yes"], ROWS, p=[0.9, 0.1]),
    }
)
ROLES = {"region": "key", "sex": "key", "ill": "confidential", "a": "confidential", "b": "confidential"}
DATA = mv.Microdata(FRAME, roles=ROLES)
RELEASE = mv.mask.UncorrelatedNoise(p=0.3).apply(DATA, columns=["a", "b"], seed=1)
PAIR = Pair.of(DATA, RELEASE)


@pytest.mark.parametrize(
    ("measure", "of", "said"),
    [
        (mv.risk.DistanceLinkage(), "searched", "800 of 4,000 originals were searched for in the whole file"),
        (mv.risk.RankInterval(), "records", "measured on a random sample of 800 of 4,000 records"),
        (mv.risk.AttributeDisclosure(targets=("ill",)), "keys", "with one in 5 of the combinations of keys"),
    ],
    ids=["searched", "records", "keys"],
)
def test_the_interval_of_a_sample_holds_the_figure_for_the_file(measure, of, said):
    whole = measure.on(PAIR)
    found = on_sample(measure, PAIR, Sample(of, 800))
    assert isinstance(found, Measured)
    assert said in found.notes[0]
    low, high = found.interval
    assert low < whole.value < high
    assert high - low < 30


def test_records_keep_everyone_who_shares_their_keys():
    keys = ("region", "sex")
    drawn = draw_pair(PAIR, Sample("keys", 800), keys)
    classes = FRAME.groupby(list(keys)).size()
    seen = FRAME.iloc[drawn.pair.rows_before].groupby(list(keys)).size()
    assert (seen == classes[seen.index]).all()
    assert 0.1 * ROWS < len(drawn.pair.rows_before) < 0.3 * ROWS
    assert (drawn.pair.rows_before == drawn.pair.rows_after).all()  # the keys are as they were
    parts = np.concatenate([part.rows_before for part in drawn.parts])
    assert sorted(parts) == sorted(drawn.pair.rows_before)


def test_gaps_and_both_zeros_are_one_combination_each():
    frame = pd.DataFrame({"x": [0.0, -0.0, np.nan, np.nan] * 50, "y": 1.0})
    pair = Pair.of(mv.Microdata(frame, roles={"x": "key"}, kinds={"x": "continuous"}))
    drawn = draw_pair(pair, Sample("keys", 100), ("x",))
    assert len(drawn.pair.rows_before) in (0, 100, 200)


def test_a_sample_of_records_holds_the_same_people_where_that_is_known():
    drawn = draw_pair(PAIR, Sample("records", 800))
    assert (RELEASE.origin[drawn.pair.rows_after] == drawn.pair.rows_before).all()
    unlinked = Pair.of(DATA, RELEASE.frame, linked=False)
    apart = draw_pair(unlinked, Sample("records", 800))
    assert len(apart.pair.rows_before) == len(apart.pair.rows_after) == 800
    assert not Sample("searched", 800).applies(unlinked)


def test_small_files_are_measured_whole():
    assert not Sample("records", 2000).applies(PAIR)
    assert Sample("records", 1999).applies(PAIR)


@pytest.mark.long
def test_an_overview_of_a_large_file_samples_and_a_named_measure_does_not():
    rows = 11_000
    frame = pd.DataFrame({"a": RNG.normal(size=rows), "b": RNG.normal(size=rows)})
    masked = frame + RNG.normal(size=frame.shape)
    quick = mv.evaluate(frame, masked, measures=["probabilistic-linkage"])
    assert not any("searched for" in note for note in quick["probabilistic-linkage"].notes)
    lines = mv.evaluate(frame, masked).lines
    sampled = {
        line.measure.name for line in lines if any("of 11,000" in note for note in getattr(line.result, "notes", ()))
    }
    assert sampled == {
        "propensity",
        "probabilistic-linkage",
        "distance-linkage",
        "mahalanobis-linkage",
        "reverse-mapping",
    }


def test_all_measures_use_every_record_up_to_a_stated_size(monkeypatch):
    rows = 11_000
    frame = pd.DataFrame({"a": RNG.normal(size=rows), "b": RNG.normal(size=rows)})
    masked = frame + RNG.normal(size=frame.shape)
    only = (mv.risk.ProbabilisticLinkage(),)
    monkeypatch.setattr(evaluation, "default_measures", lambda *_: only)
    said = "5,000 of 11,000 originals were searched for in the whole file"
    assert said not in mv.evaluate(frame, masked, measures="all")["probabilistic-linkage"].notes
    monkeypatch.setattr(evaluation, "ALL_RECORDS_UP_TO", rows - 1)
    assert said in mv.evaluate(frame, masked, measures="all")["probabilistic-linkage"].notes
    assert said not in mv.evaluate(frame, masked, measures=["probabilistic-linkage"])["probabilistic-linkage"].notes


def test_measures_are_chosen_by_word_name_or_themselves():
    assert choose_measures(None) == choose_measures("all") == default_measures()
    few = choose_measures(QUICK)
    assert 0 < len(few) < len(default_measures()) / 2
    assert choose_measures(["pil", mv.risk.KAnonymity(), "KAnonymity"]) == (
        mv.loss.PIL(),
        mv.risk.KAnonymity(),
        mv.risk.KAnonymity(),
    )
    with pytest.raises(KeyError, match="did you mean 'pil'"):
        choose_measures(["pill"])
    with pytest.raises(ValueError, match="measures='pil' is not 'quick', 'all' or a list of measures"):
        choose_measures("pil")
