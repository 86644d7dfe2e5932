"""Odds of changed categories: closed forms, a weak matrix, a matrix that tells nothing, gaps and subdomains."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.attack import PramPosterior
from microveil.attack.masked import Masked
from microveil.attack.transitions import changed_columns
from microveil.attack.view import look
from microveil.core.measured import NotApplicable
from microveil.mask import InvariantPram, Pram, RankSwap

LETTERS = list("abcde")
SHARES = [0.5, 0.3, 0.12, 0.0617, 0.0183]


def keys(rows: int, columns: int, seed: int = 1) -> pa.Table:
    draw = np.random.default_rng(seed)
    return pa.table({f"k{j}": draw.choice(LETTERS, rows, p=SHARES) for j in range(columns)})


def test_the_rarest_of_five_categories():
    """With 0.8 on the diagonal a category of 1.83 per cent of the records is true where it is seen with 0.23."""
    exact = 0.8 * 0.0183 / (0.8 * 0.0183 + 0.05 * (1 - 0.0183))
    assert exact == pytest.approx(0.23, abs=0.001)
    cells = np.repeat(LETTERS, np.rint(30_000 * np.array(SHARES)).astype(int))
    data = pa.table({"k": cells})
    release = Pram(stay=0.8).apply(data, columns=["k"], seed=1)
    parts = PramPosterior()(data, release).parts
    assert parts["rarest true[k]"] == pytest.approx(exact, abs=0.03)  # of 1,900 records seen: standard error 0.01
    assert parts["rarest believed[k]"] == pytest.approx(exact, abs=0.04)
    assert parts["true as released[k]"] == pytest.approx(0.8, abs=0.01)


def test_odds_by_hand():
    """Two categories, eight and two of ten: the likeliest record of somebody is any that shows their category."""
    data = pa.table({"k": ["a"] * 8 + ["b"] * 2})
    after = pa.table({"k": ["a"] * 7 + ["b"] * 3})  # one of the eight changed
    found = PramPosterior(stay=0.8)(data, after)
    # the seven that stayed are found among seven, the two among three, the one that changed never
    assert found.value == pytest.approx(100 * (7 / 7 + 2 / 3) / 10)


def test_the_matrix_and_the_frequencies_are_found_again():
    data = keys(20_000, 1)
    true = np.array([np.mean(np.array(data["k0"].to_pylist()) == letter) for letter in LETTERS])
    for method in (Pram(stay=0.7), Pram(stay=0.7, pattern="frequency"), InvariantPram(stay=0.6, alpha=1.0)):
        view, _ = look(mv.measure.Pair.of(data, method.apply(data, columns=["k0"], seed=2)), ("k0",), True)
        one = changed_columns(view, [Masked(method, ("k0",))])[0]
        stated = method.transitions(data, ["k0"])["k0"][1]
        assert one.prior[0] == pytest.approx(true, abs=0.02)
        assert one.matrix[0] == pytest.approx(stated, abs=0.05)
        assert one.posterior[0].sum(axis=0) == pytest.approx(1.0)


@pytest.mark.parametrize("method", [Pram(stay=0.97), InvariantPram(stay=0.97), Pram(stay=0.97, joint=True)])
def test_a_weak_matrix_hides_few(method):
    data = keys(400, 12)
    found = PramPosterior()(data, method.apply(data, columns=data.column_names, seed=1))
    assert found.value > 70
    assert found.parts["baseline"] == 0.25
    if not method.joint:  # what is sure of crossed columns needs combinations that were not changed
        assert found.parts["certain"] > 30
        assert found.parts["precision"] > 0.9


def test_a_matrix_that_tells_nothing_is_found_by_chance():
    data = keys(400, 6)
    found = PramPosterior()(data, Pram(stay=0.2).apply(data, columns=data.column_names, seed=1))
    assert found.parts["likeliest"] < 1.5
    assert found.value < 1.5
    assert found.parts["certain"] == 0
    others = PramPosterior(stay=0.8)(data, keys(400, 6, seed=5))
    assert others.value < 1.5


def test_subdomains_gaps_and_columns_that_nobody_changed():
    data = keys(600, 4).append_column("place", pa.array(["x", "y"] * 300))
    plain = PramPosterior()(data, Pram().apply(data, columns=["k0", "k1", "k2", "k3"], seed=1))
    by_place = InvariantPram().apply(data, columns=["k0", "k1", "k2", "k3"], by="place", seed=1)
    assert PramPosterior()(data, by_place).value > 3
    unseen = PramPosterior(known=["k0", "k1", "k2", "k3"])
    assert unseen(data, Pram().apply(data, columns=["k0", "k1", "k2", "k3"], seed=1)).value < plain.value
    assert "subdomains of place" in unseen(data, by_place).reason
    cells = [None if i % 3 == 0 else value for i, value in enumerate(data["k0"].to_pylist())]
    place = [None if i % 5 == 0 else value for i, value in enumerate(data["place"].to_pylist())]
    gaps = pa.table({**{name: data[name] for name in ("k1", "k2", "k3")}, "k0": cells, "place": place})
    release = Pram().apply(gaps, columns=["k0", "k1", "k2", "k3"], seed=1, missing="mask")
    found = PramPosterior()(gaps, release)
    assert 1 < found.value < plain.value + 3


def test_what_does_not_follow():
    data = keys(60, 2)
    twice = mv.Plan([(Pram(), ["k0"]), (RankSwap(p=20), ["k0"])]).run(data, seed=1)
    assert "another step changed the columns of pram" in PramPosterior()(data, twice).reason
    plain = PramPosterior()(data, data)
    assert isinstance(plain, NotApplicable)
    assert "PramPosterior(stay=0.8)" in plain.reason
    amounts = pa.table({"x": np.arange(20.0)})
    assert "amounts where categories" in PramPosterior(stay=0.8)(amounts, amounts).reason
