"""No attack finds more than one of k records where that is proven: many small files, counted together."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.attack import BlockIntersection, MahalanobisLinkage
from microveil.hybrid import MicroHybrid
from microveil.mask import Microaggregation
from microveil.partition import MDAV
from microveil.plan.worst_case import worst_case
from microveil.risk import DistanceLinkage, GlobalLinkage
from microveil.synth import Ipso

ROWS, SEEDS, K = 60, range(12), 6
COLUMNS = ["a", "b", "c"]
ATTACKS = {
    "distance": DistanceLinkage(),
    "one-to-one": GlobalLinkage(),
    "learnt": MahalanobisLinkage(weights="learnt"),
    "averages": BlockIntersection(blocks=[COLUMNS]),
}


def small_file(seed: int) -> pa.Table:
    draw = np.random.default_rng(seed)
    X = np.exp(draw.normal(size=(ROWS, 3)) @ np.array([[1.0, 0.6, 0.2], [0, 0.8, 0.3], [0, 0, 0.5]]))
    return pa.table({name: X[:, j] for j, name in enumerate(COLUMNS)})


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
@pytest.mark.parametrize(
    "mask",
    [Microaggregation(partition=MDAV(k=K)), MicroHybrid(partition=MDAV(k=K), synthesiser=Ipso())],
    ids=["microaggregation", "micro-hybrid"],
)
def test_one_of_k_at_most(mask, attack):
    hits = 0.0
    for seed in SEEDS:
        data = small_file(seed)
        release = mask.apply(data, columns=COLUMNS, seed=seed)
        assert release.guarantee.k == K
        # as a plain file: attacks on other methods are tried too
        hits += attack(data, release.frame).value / 100 * ROWS
    allowed = ROWS * len(SEEDS) / K
    assert hits <= allowed + 4 * sqrt(allowed)


def test_noise_without_a_proof_is_found_more_often():
    """The same attacks find more where nothing is proven, so that the test above could fail."""
    hits = 0.0
    for seed in SEEDS:
        data = small_file(seed)
        release = mv.mask.CorrelatedNoise(p=0.3).apply(data, columns=COLUMNS, seed=seed)
        hits += ATTACKS["learnt"](data, release.frame).value / 100 * ROWS
    allowed = ROWS * len(SEEDS) / K
    assert hits > allowed + 4 * sqrt(allowed)


def test_an_evaluation_compares_with_the_proof():
    data = small_file(1)
    release = Microaggregation(partition=MDAV(k=K)).apply(data, columns=COLUMNS, seed=1)
    found = mv.evaluate(data, release, measures=["distance-linkage"])
    assert found.proven_k == K
    assert "The proof allows 1 of 6 records, 16.7 %" in found.worst.reading
    assert not any("proof" in sentence for sentence in mv.plan.verdict_of(release).because)


def test_a_breach_is_told():
    frame = small_file(1)
    said = [(DistanceLinkage(), DistanceLinkage()(frame, frame))]
    worst = worst_case(said, ROWS, proven_k=K)
    assert "This is more than the proof allows (1 of 6 records" in worst.reading
    assert "report it" in worst.reading
    assert "proof" not in worst_case(said, ROWS).reading
