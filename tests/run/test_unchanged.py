"""Nothing passes through untold: cells, columns, subdomains and whole records that came back as they were."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core import BrokenPromise, NothingHidden
from microveil.data import Table
from microveil.data.table import Values
from microveil.mask import Mask
from microveil.run import Job, Outcome
from microveil.run.unchanged import (
    Unchanged,
    UnchangedShares,
    _chance_of_pair,
    chance_of_agreement,
    count_domains,
    hidden_nothing,
    is_constant,
    notes_on,
    same_cells,
)

M = mv.mask


@pytest.fixture
def draw() -> np.random.Generator:
    return np.random.default_rng(0)


def test_swapping_in_small_subdomains_is_told(draw: np.random.Generator) -> None:
    frame = pd.DataFrame({"inc": draw.lognormal(8, 1, 1000), "munic": draw.integers(0, 120, 1000), "z": range(1000)})
    release = M.RankSwap(p=10).apply(frame, columns=["inc"], by="munic")
    share = float((release.frame["inc"] == frame["inc"]).mean())
    assert share > 0.4
    assert release.unchanged["inc"] == pytest.approx(share)
    (step,) = release.unchanged.steps
    assert (step.method, step.column, step.share) == ("rank-swap", "inc", pytest.approx(share))
    by_hand = (release.frame["inc"] == frame["inc"]).groupby(frame["munic"]).mean()
    assert step.domains == {f"munic={name}": pytest.approx(value) for name, value in by_hand.items()}
    assert set(step.whole_domains) == {f"munic={name}" for name in by_hand.index[by_hand == 1]}
    assert any("of the values of 'inc' came back as they were after rank-swap" in note for note in release.notes)
    assert any("subdomains" in note and "left every value of 'inc' as it was" in note for note in release.notes)


@pytest.mark.parametrize("method", [M.UncorrelatedNoise(), M.CorrelatedNoise(), M.ExactNoise()], ids=lambda m: m.name)
def test_noise_that_rounding_takes_back_is_told(draw: np.random.Generator, method: mv.data.Method) -> None:
    frame = pd.DataFrame({"a": draw.poisson(0.8, 500), "b": draw.poisson(0.9, 500)})
    data = mv.Microdata(frame, kinds={"a": "continuous", "b": "continuous"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingHidden)
        release = method.apply(data, seed=1)
    share = float((release.frame["a"] == frame["a"]).mean())
    assert release.unchanged["a"] == pytest.approx(share)
    assert any("'a'" in note and ("came back" in note or "left every value" in note) for note in release.notes)


def test_a_column_that_comes_back_whole_warns_and_cannot_be_written(draw: np.random.Generator, tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": draw.normal(size=100), "b": draw.normal(size=100)})
    plan = mv.Plan([(M.RankSwap(p=0), ["a"]), (M.UncorrelatedNoise(), ["b"])])
    with pytest.warns(NothingHidden, match="rank-swap left every value of 'a' as it was: nothing is protected there"):
        release = plan.run(frame)
    assert release.unchanged["a"] == 1.0
    assert release.unchanged["b"] == 0.0
    with pytest.raises(BrokenPromise, match=r"rank-swap left every value of 'a' as it was.*nothing was written"):
        mv.write(release, tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "protect",
    [
        lambda frame: M.RankSwap(p=0).apply(frame, columns=["a"]),
        lambda frame: mv.Plan([(M.RankSwap(p=0), ["a"])]).run(frame),
    ],
    ids=["method", "plan"],
)
def test_the_warning_points_at_the_line_that_asked(protect: Callable[[pd.DataFrame], object]) -> None:
    with pytest.warns(NothingHidden) as caught:
        protect(pd.DataFrame({"a": np.arange(20) + 0.5, "b": np.arange(20) * 2.5}))
    assert [Path(warning.filename).name for warning in caught] == ["test_unchanged.py"]
    assert caught[0].lineno == protect.__code__.co_firstlineno


def test_a_column_with_few_observed_cells_counts_by_these(draw: np.random.Generator) -> None:
    values = draw.normal(size=200)
    values[40:] = np.nan
    frame = pd.DataFrame({"a": values, "b": draw.normal(size=200)})
    with pytest.warns(NothingHidden, match="left every value of 'a'"):
        release = M.RankSwap(p=2).apply(frame, missing="mask")
    assert release.unchanged["a"] == 1.0


@pytest.mark.parametrize("method", [M.Resample(), M.MultiplicativeNoise()], ids=lambda m: m.name)
def test_single_records_in_their_subdomain_are_told(draw: np.random.Generator, method: mv.data.Method) -> None:
    frame = pd.DataFrame({"a": draw.lognormal(size=60), "g": [*range(20), *([99] * 40)]})
    release = method.apply(frame, columns=["a"], by="g", seed=1)
    same = release.frame["a"] == frame["a"]
    assert same[:20].all()
    assert any("in 20 of 21 subdomains (20 records)" in note for note in release.notes)


def test_whole_records_that_change_places_are_the_original(draw: np.random.Generator, tmp_path: Path) -> None:
    frame = pd.DataFrame(draw.normal(size=(90, 3)), columns=list("abc"))
    with pytest.warns(NothingHidden, match="swap-in-groups released every original record as it was"):
        release = M.SwapInGroups(mechanism="records").apply(frame, columns=list("abc"))
    with pytest.raises(BrokenPromise, match="nothing was written"):
        mv.write(release, tmp_path / "out.csv")
    # beside a column that stays, rows of the others are new records
    assert M.SwapInGroups(mechanism="records").apply(frame, columns=["a", "b"]).exposed == ()


def test_what_may_rightly_stay_gets_a_note_unless_the_whole_table_is_the_original(tmp_path: Path) -> None:
    frame = pd.DataFrame({"sex": ["f", "m"] * 30, "x": np.arange(60.0)})
    plan = mv.Plan([(M.KAnonymise(k=5), ["sex"]), (M.UncorrelatedNoise(), ["x"])])
    release = plan.run(frame)
    assert "k-anonymise found nothing to change in 'sex': it is as it was" in release.notes
    mv.write(release, tmp_path / "out.csv")
    with pytest.warns(NothingHidden, match="k-anonymise released every original record as it was"):
        M.KAnonymise(k=5).apply(frame[["sex"]])


def test_pram_leaves_what_its_matrix_says_without_a_word(draw: np.random.Generator) -> None:
    frame = pd.DataFrame({"s": draw.choice(list("abcd"), 2000), "x": range(2000)})
    release = M.Pram(stay=0.8).apply(frame, columns=["s"], seed=1)
    (step,) = release.unchanged.steps
    assert step.chance == pytest.approx(0.8)
    assert release.unchanged["s"] == pytest.approx(0.8, abs=0.05)
    assert not any("came back" in note for note in release.notes)
    with pytest.warns(NothingHidden, match="pram left every value of 's' as it was"):
        M.Pram(stay=1).apply(frame, columns=["s"], seed=1)


def test_a_constant_column_hides_nothing_and_warns_of_nothing(draw: np.random.Generator) -> None:
    frame = pd.DataFrame({"a": np.full(50, 3.0), "b": draw.normal(size=50)})
    release = M.RankSwap(p=10).apply(frame.assign(c=range(50)), columns=["a", "b"])
    assert release.exposed == ()


def test_agreement_by_chance_is_the_chance_of_two_equal_draws() -> None:
    values = Values("nominal", np.array([0, 0, 0, 1, -1]), ("x", "y"))
    assert chance_of_agreement(values, None) == pytest.approx((9 + 1) / 16)
    inside = chance_of_agreement(values, np.array([0, 0, 1, 1, 1]))
    assert inside == pytest.approx((2 * 1.0 + 2 * 0.5) / 4)


def test_a_sample_alone_says_that_its_records_are_originals(draw: np.random.Generator) -> None:
    frame = pd.DataFrame({"a": draw.normal(size=80), "w": 1.0})
    data = mv.Microdata(frame, roles={"w": "weight"})
    told = "the released records are original records as they were; only the others were left out"
    assert told in M.Sample(fraction=0.5).apply(data).notes
    both = mv.Plan([M.Sample(fraction=0.5), (M.UncorrelatedNoise(), ["a"])]).run(data)
    assert told not in both.notes


def test_a_column_that_later_steps_bring_back_is_not_written(draw: np.random.Generator, tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": draw.normal(size=80).round(3), "y": draw.normal(size=80)})
    shifted = M.MatrixMask(C=((1000.0,),))
    plan = mv.Plan([(shifted, ["x"]), (M.Rescale(), ["x"]), (M.RankSwap(), ["y"])])
    with pytest.warns(NothingHidden, match="left every value of 'x' as it was"):
        release = plan.run(frame)
    assert release.unchanged["x"] == 1.0
    with pytest.raises(BrokenPromise, match="nothing was written"):
        mv.write(release, tmp_path / "out.csv")


@dataclass(frozen=True, kw_only=True)
class Forgets(Mask):
    """Was asked for several columns and returns the last alone."""

    def run(self, table: Table, job: Job) -> Outcome:
        name = table.names[-1]
        return Outcome({name: table[name].with_data(table[name].data[::-1].copy())})


def test_a_column_that_a_method_does_not_return_is_told(draw: np.random.Generator) -> None:
    frame = pd.DataFrame({"x": draw.normal(size=80), "y": draw.normal(size=80)})
    with pytest.warns(NothingHidden, match="left every value of 'x' as it was"):
        release = Forgets().apply(frame, columns=["x", "y"])
    assert release.unchanged["x"] == 1.0


def test_numbers_of_classes_are_not_taken_for_amounts() -> None:
    # the amounts are the numbers of the classes that they fall into
    frame = pd.DataFrame({"a": np.repeat([0.0, 1.0, 2.0], 20), "b": np.arange(60.0)})
    release = M.GlobalRecode(cuts={"a": [0.5, 1.5]}).apply(frame, columns=["a"])
    (step,) = release.unchanged.steps
    assert (step.same, release.unchanged["a"]) == (0, 0.0)


def test_chance_of_large_columns_is_told_from_some_of_their_cells(draw: np.random.Generator) -> None:
    codes = draw.choice(4, size=100_000, p=[0.4, 0.3, 0.2, 0.1])
    assert chance_of_agreement(Values("nominal", codes, tuple("abcd")), None) == pytest.approx(0.3, abs=0.01)
    amounts = Values("continuous", draw.normal(size=100_000))
    assert chance_of_agreement(amounts, None) == pytest.approx(1e-5)


# -- the figures themselves ------------------------------------------------------------------------


def cells(**told: object) -> Unchanged:
    return Unchanged(**{"step": 0, "method": "m", "column": "c", "cells": 100, "same": 10, **told})


@pytest.mark.parametrize(
    ("told", "beyond"),
    [
        ({"same": 0, "chance": 0.0}, False),
        ({"same": 1, "chance": 0.0}, True),  # one in a hundred is just worth a word
        ({"cells": 1000, "same": 9, "chance": 0.0}, False),
        ({"same": 35, "chance": 0.1}, True),
        ({"same": 25, "chance": 0.1}, False),  # five standard errors of 3 % above 10 %
        ({"same": 26, "chance": 0.1}, True),
        ({"cells": 0, "same": 0}, False),
    ],
)
def test_beyond_chance(told: dict[str, float], beyond: bool) -> None:
    assert cells(**told).beyond_chance is beyond


@pytest.mark.parametrize(
    ("told", "share", "whole"),
    [
        ({}, 0.1, False),
        ({"same": 100}, 1.0, True),
        ({"same": 100, "constant": True}, 1.0, False),
        ({"cells": 0, "same": 0}, 0.0, False),
        ({"cells": 1, "same": 1}, 1.0, True),
    ],
)
def test_share_and_whole(told: dict[str, int], share: float, whole: bool) -> None:
    assert cells(**told).share == share
    assert cells(**told).whole is whole


def test_what_is_said_about_cells() -> None:
    whole = cells(same=100)
    assert notes_on([whole]) == ()
    assert notes_on([cells(same=100, spares=True)]) == ("m found nothing to change in 'c': it is as it was",)
    assert notes_on([cells(same=100, constant=True), cells(spares=True), cells(chance=0.1)]) == ()
    told = "10.0 % of the values of 'c' came back as they were after m (0 % would by chance)"
    assert notes_on([cells()]) == (told,)
    for number, tail in ((6, "d5"), (7, "d5; ...")):
        domains = {f"d{j}": 2 for j in range(number)}
        (note,) = notes_on([cells(same=0, domains=dict.fromkeys([*domains, "x"], 0.5), whole_domains=domains)])
        assert note.startswith(f"in {number} of {number + 1} subdomains ({2 * number} records) m left every value")
        assert note.endswith(f"as it was: d0; d1; d2; d3; d4; {tail}")


def test_nothing_is_excused_unless_it_is_stated() -> None:
    plain = Unchanged(0, "m", "c", 100, 10)
    assert (plain.chance, plain.spares, plain.constant) == (0.0, False, False)
    assert (plain.domains, plain.whole_domains) == ({}, {})


def test_shares_are_a_mapping_with_the_steps_beside() -> None:
    shares = UnchangedShares({"a": 0.5, "b": 1.0}, (cells(),))
    assert (len(shares), dict(shares), shares.steps) == (2, {"a": 0.5, "b": 1.0}, (cells(),))


def test_what_hid_nothing() -> None:
    found = [cells(same=100), cells(same=100, column="d"), cells(same=100, step=1, method="n"), cells(same=99)]
    found += [cells(same=100, spares=True, method="o")]
    assert hidden_nothing(found) == (
        "m left every value of 'c', 'd' as it was: nothing is protected there",
        "n left every value of 'c' as it was: nothing is protected there",
    )


def test_subdomains_are_counted_by_their_observed_cells() -> None:
    same, observed = np.array([1, 0, 1, 1, 0], dtype=bool), np.array([1, 1, 1, 0, 0], dtype=bool)
    shares, whole = count_domains(same, observed, np.array([0, 0, 1, 1, 2]), ["a", "b", "c"])
    assert shares == {"a": 0.5, "b": 1.0}
    assert whole == {"b": 1}


def test_the_chance_of_many_cells_is_told_from_some() -> None:
    assert _chance_of_pair(np.repeat([1.0, 2.0], 10_000)) == 0.5
    assert _chance_of_pair(np.tile([1.0, 1.0, 2.0, 2.0], 10_000)) == pytest.approx(0.5, abs=1e-4)
    # of 40,000 distinct values every second one is looked at, and each agrees with itself alone
    assert _chance_of_pair(np.arange(40_000.0)) == pytest.approx(1 / 40_000)
    assert _chance_of_pair(np.array([5.0])) == 1.0
    # from 40,000 on, and not before, every second one is looked at: here all of these hold one value
    turns = np.tile([1.0, 2.0], 20_000)
    assert _chance_of_pair(turns) == pytest.approx(1.0, abs=1e-4)
    assert _chance_of_pair(turns[1:]) == pytest.approx(0.5, abs=1e-4)


def test_cells_agree_by_what_they_say() -> None:
    amounts, codes = Values("continuous", np.array([1.0, 2.0, np.nan])), np.array([0, 1, -1])
    assert same_cells(amounts, amounts).tolist() == [True, True, False]
    assert same_cells(amounts, Values("nominal", codes, ("1", "3"))).tolist() == [True, False, False]
    one, other = Values("nominal", codes, ("x", "y")), Values("nominal", codes, ("x", "z"))
    assert same_cells(one, other).tolist() == [True, False, False]
    assert same_cells(one, Values("nominal", np.array([1, 1, -1]), ("y", "x"))).tolist() == [True, False, False]


@pytest.mark.parametrize(("data", "constant"), [([3, 3, np.nan], True), ([3, 4], False), ([np.nan], True), ([5], True)])
def test_constant_columns(data: list[float], constant: bool) -> None:
    assert is_constant(Values("continuous", np.array(data))) is constant


def test_numbers_that_classes_made_text_of_count_as_left_as_they_were() -> None:
    frame = pd.DataFrame({"sex": [1, 2] * 10, "age": range(20)})
    data = mv.Microdata(frame, roles={"sex": "key", "age": "key"}, kinds={"sex": "nominal", "age": "ordinal"})
    release = mv.mask.KAnonymise(k=5).apply(data)
    assert set(release.frame["sex"]) == {"1", "2"}  # all keys are text beside classes of age
    assert dict(release.unchanged) == {"sex": 1.0, "age": 0.0}
