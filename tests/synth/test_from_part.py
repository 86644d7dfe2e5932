"""Synthesis from a random part of the records: what is told, what is refused, and that it follows the file."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core import BadInput, NotEnoughRecords
from microveil.synth import Cart, MultipleImputation, SequentialRegression
from tests.synth.test_sequential import people_by_age

both = pytest.mark.parametrize("method", [Cart, SequentialRegression])


def part_of(release: object) -> list[str]:
    return [note for note in release.notes if "learnt from" in note or "too rare" in note]


@both
def test_relations_of_the_file_are_in_records_drawn_by_place(method):
    frame = people_by_age(4000)
    release = method(learn_from=1500, records=5000).apply(frame, seed=2)
    assert part_of(release) == ["models were learnt from a random part of 1,500 of the 4,000 records"]
    after = release.frame
    assert len(after) == 5000
    assert after.age.mean() == pytest.approx(frame.age.mean(), abs=3)
    assert (after.marital[after.age < 12] == "never").mean() > 0.7
    assert np.corrcoef(after.age, after.income)[0, 1] == pytest.approx(
        np.corrcoef(frame.age, frame.income)[0, 1], abs=0.1
    )


@both
def test_few_records_may_make_many(method):
    frame = people_by_age(300)
    release = method(learn_from=1000, records=1500).apply(frame, seed=2)
    assert part_of(release) == []
    assert len(release.frame) == 1500
    assert set(release.frame.marital) == set(frame.marital)


@both
def test_what_the_part_lacks_is_told(method):
    frame = people_by_age(900).assign(town=["once", "also once", *["often"] * 898])
    seen = method(learn_from=100).apply(frame, columns=["town", "income"], given=[], seed=1)
    assert "2 of the 3 categories of 'town' are too rare to be among these: they are drawn for no record" in seen.notes
    assert set(seen.frame.town) == {"often"}
    kept = method(learn_from=100).apply(frame, columns=["income"], given=["town", "age"], seed=1)
    assert (
        "2 of the 3 categories of 'town' are too rare to be among these: they are no help in drawing what stands beside"
        in kept.notes
    )
    assert (kept.frame.town == frame.town).all()
    assert (kept.frame.income != frame.income).mean() > 0.5


@both
def test_a_column_of_which_the_part_tells_nothing_is_refused(method):
    frame = people_by_age(900)
    frame["wage"] = np.where(np.arange(900) < 1, 5.0, np.nan)
    with pytest.raises(
        NotEnoughRecords, match=r"'wage' has no observed value to learn from among the 100 records .* raise learn_from"
    ):
        method(learn_from=100).apply(frame, columns=["wage"], given=[], missing="mask", seed=2)
    rich = frame.income.nlargest(12).min()
    chosen = method(learn_from=100, cells={"income": f"income >= {rich}"})
    with pytest.raises(NotEnoughRecords, match="among the 100 records that models are learnt from; raise learn_from"):
        chosen.apply(frame, columns=["income"], given=["age"], seed=1)


@both
def test_rules_bounds_and_chosen_cells_hold_in_every_record(method):
    frame = people_by_age(900)
    bounded = method(learn_from=200, bounds={"income": (None, 4000)}, rules=("if age < 12: marital = 'never'",))
    after = bounded.apply(frame, seed=3).frame
    assert after.income.max() <= 4000
    assert set(after.marital[after.age < 12]) == {"never"}
    chosen = method(learn_from=200, cells={"income": "income > 3000"})
    after = chosen.apply(frame, columns=["income"], given=["age", "sex"], seed=1).frame
    rich = frame.income > 3000
    assert (after.income[~rich] == frame.income[~rich]).all()
    assert (after.income[rich] != frame.income[rich]).mean() > 0.5


def test_counts_are_drawn_by_place_as_wide_as_they_are():
    draw = np.random.default_rng(5)
    frame = pd.DataFrame({"x": draw.normal(size=4000)})
    frame["visits"] = draw.poisson(np.exp(1 + 0.4 * frame.x) * draw.gamma(2.0, 0.5, size=4000)).astype(float)
    model = SequentialRegression(learn_from=3000, models={"visits": "count"})
    after = model.apply(frame, columns=["visits"], given=["x"], seed=1).frame.visits
    assert after.mean() == pytest.approx(frame.visits.mean(), rel=0.1)
    assert after.var() == pytest.approx(frame.visits.var(), rel=0.35)
    assert (after == np.rint(after)).all()


def test_all_records_are_learnt_from_where_that_is_asked_for():
    frame = people_by_age(600)
    every, default = (SequentialRegression(learn_from=one).apply(frame, seed=1).frame for one in (None, 600))
    pd.testing.assert_frame_equal(every, default)
    with pytest.raises(BadInput, match="learn_from"):
        SequentialRegression(learn_from=10)


def test_a_constant_stays_inside_stated_bounds():
    frame = people_by_age(60).assign(income=9.0)
    release = SequentialRegression(bounds={"income": (None, 4.0)}).apply(frame, seed=1)
    assert (release.frame.income == 4.0).all()
    assert "60 values of 'income' were set to its bounds: hardly a draw meets them" in release.notes


def test_imputed_records_come_from_the_part_too():
    frame = people_by_age(900)
    model = MultipleImputation(model=SequentialRegression(learn_from=200))
    release = model.apply(frame, columns=["income"], given=["age", "sex"], seed=1)
    assert part_of(release) == ["models were learnt from a random part of 200 of the 900 records"]
    assert set(release.frame.age) < set(frame.age)
    units = frame[["age", "sex"]].head(700)
    drawn = model.files(
        frame, 2, columns=["income"], given=["age", "sex"], seed=1, population=pd.concat([units, units])
    )
    assert all(len(one.frame) == 900 for one in drawn)
    assert not drawn[0].frame.age.equals(drawn[1].frame.age)
