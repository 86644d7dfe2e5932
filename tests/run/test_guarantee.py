"""What a release guarantees, and against whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BrokenPromise, NothingHidden
from microveil.core.guarantee import Anonymity, Guarantee
from microveil.data import Table, Values
from microveil.mask import Mask
from microveil.run import Job, Outcome
from microveil.synth import FullSynthesiser


@pytest.fixture
def file() -> pd.DataFrame:
    r = np.random.default_rng(3)
    return pd.DataFrame({"a": r.normal(size=60), "b": r.normal(size=60), "sex": np.tile(["f", "m"], 30)})


def told(guarantee: Guarantee, knows: str) -> list[str]:
    return [str(statement) for statement in guarantee.statements if knows in statement.intruder]


def test_equal_records_on_all_columns_bound_every_intruder(file: pd.DataFrame) -> None:
    guarantee = mv.mask.Microaggregation().apply(file[["a", "b"]]).guarantee
    assert guarantee.k == 3
    assert guarantee.linkage == pytest.approx(1 / 3)
    assert "1/3" in guarantee.summary


def test_other_columns_take_the_bound_away(file: pd.DataFrame) -> None:
    release = mv.mask.Microaggregation().apply(file, columns=["a", "b"])
    guarantee = release.guarantee
    classes = release.frame.groupby(["a", "b", "sex"]).size()
    exposed = int(classes[classes < 3].sum())
    assert guarantee.k is None
    assert guarantee.linkage == 1.0
    assert any(f"{exposed} of 60 records are told apart" in text for text in told(guarantee, "every original value"))
    assert any("1/3" in text for text in told(guarantee, "values of a, b,"))


def test_subdomains_do_not_tell_members_of_a_group_apart(file: pd.DataFrame) -> None:
    assert mv.mask.Microaggregation().apply(file, columns=["a", "b"], by="sex").guarantee.k == 3
    hybrid = mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=5))
    assert hybrid.apply(file, columns=["a", "b"], by="sex", given=[]).guarantee.k == 5


def test_swapping_inside_groups_makes_records_exchangeable(file: pd.DataFrame) -> None:
    grouped = mv.mask.SwapInGroups(partition=mv.partition.MDAV(k=5))
    with pytest.warns(NothingHidden, match="swap-in-groups released every original record as it was"):
        guarantee = grouped.apply(file[["a", "b"]]).guarantee
    assert guarantee.k == 5
    assert "exchangeable" in str(guarantee)


def test_columns_swapped_apart_have_no_common_group(file: pd.DataFrame) -> None:
    assert mv.mask.SwapInGroups(mechanism="columns").apply(file[["a", "b"]]).guarantee.k is None


def test_exact_means_of_groups_give_away_the_last_member(file: pd.DataFrame) -> None:
    release = mv.mask.Microaggregation().apply(file[["a", "b"]])
    assert any(
        "subtraction" in text and text.startswith("EXPOSED") for text in told(release.guarantee, "every other member")
    )
    # and so it is
    group = np.flatnonzero(release.groups == release.groups[0])
    known = file["a"].to_numpy()[group[1:]].sum()
    assert release.frame["a"].to_numpy()[group].sum() - known == pytest.approx(file["a"][group[0]])


def test_records_left_out_later_break_the_size_of_groups(file: pd.DataFrame) -> None:
    grouped = mv.mask.SwapInGroups()
    steps = [{"method": grouped, "columns": ["a", "b"]}, {"method": mv.mask.Sample(fraction=0.5)}]
    with pytest.raises(BrokenPromise, match=r"BROKEN: groups.*at least 3.*run swap-in-groups last"):
        mv.Plan(steps).run(file, seed=1)
    # the other way round every group has its records
    release = mv.Plan(steps[::-1]).run(file[["a", "b"]].assign(c=1.0), seed=1)
    assert int(np.bincount(release.groups).min()) >= 3


def test_a_later_step_that_restores_moments_ends_the_bound(file: pd.DataFrame) -> None:
    steps = [{"method": mv.mask.SwapInGroups()}, {"method": mv.mask.Rescale()}]
    assert mv.Plan(steps).run(file[["a", "b"]]).guarantee.k is None


def test_gaps_count_in_every_bound() -> None:
    draw = np.random.default_rng(0)
    frame = pd.DataFrame(draw.normal(size=(300, 4)), columns=list("abcd")).mask(draw.random((300, 4)) < 0.1)
    release = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)).apply(frame, missing="mask")
    assert not any(statement.protects for statement in release.guarantee.statements)
    # and so it is: one who matches the gaps, then the nearest values, links far more often than 1/5
    x, y = frame.to_numpy(), release.frame.to_numpy()
    correct = 0.0
    for i, record in enumerate(x):
        same = np.flatnonzero((np.isnan(y) == np.isnan(record)).all(axis=1))
        far = np.nansum((y[same] - record) ** 2, axis=1)
        nearest = same[far <= far.min() + 1e-12]
        correct += (i in nearest) / len(nearest)
    assert correct / len(x) > 0.25


def test_gaps_that_stay_in_place_tell_records_apart(file: pd.DataFrame) -> None:
    gaps = file[["a", "b"]].copy()
    gaps.loc[4, "a"] = np.nan
    guarantee = mv.mask.Microaggregation().apply(gaps, missing="mask").guarantee
    assert guarantee.k is None
    assert "places of missing values" in repr(guarantee)


def test_what_is_proven_comes_first(file: pd.DataFrame) -> None:
    some = mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=3)).apply(file, columns=["a"], seed=1).guarantee
    assert some.k is None
    assert [statement.protects for statement in some.statements] == sorted(
        (statement.protects for statement in some.statements), reverse=True
    )
    assert some.statements[0].protects
    assert some.summary.startswith("a bound is proven against some intruders, and none against")


def test_nothing_is_promised_for_rank_swapping(file: pd.DataFrame) -> None:
    guarantee = mv.mask.RankSwap(p=20).apply(file[["a", "b"]]).guarantee
    assert guarantee.k is None
    assert repr(guarantee).startswith("Guarantee: no bound on linkage is proven\n  EXPOSED")


def test_synthetic_records_have_no_original(file: pd.DataFrame) -> None:
    guarantee = mv.synth.CholeskySynthesis().apply(file[["a", "b"]]).guarantee
    assert guarantee.synthetic
    assert guarantee.linkage == 1.0
    assert any("subtraction" in text for text in told(guarantee, "every other record of the file"))


def test_a_notebook_shows_a_table(file: pd.DataFrame) -> None:
    shown = mv.mask.RankSwap(p=20).apply(file[["a", "b"]]).guarantee._repr_html_()
    assert "<table" in shown
    assert "<b>exposed</b>" in shown


def test_every_step_is_held_to_its_own_groups(file: pd.DataFrame) -> None:
    steps = [
        {"method": mv.mask.SwapInGroups(partition=mv.partition.MDAV(k=10)), "columns": ["a"]},
        {"method": mv.mask.SwapInGroups(partition=mv.partition.MDAV(k=4)), "columns": ["b"]},
    ]
    release = mv.Plan(steps).run(file[["a", "b"]])
    smallest = [int(np.bincount(labels).min()) for labels in release.groupings.values()]
    assert smallest[0] >= 10 > smallest[1] >= 4
    assert np.array_equal(release.groups, release.groupings[1])
    assert all(verdict.holds for verdict in release.check())
    # two groupings can be intersected: neither bounds one who knows both columns
    assert release.guarantee.k is None
    assert str(release.guarantee).count("groups can be intersected") == 1


def test_kept_columns_that_differ_inside_groups_are_named(file: pd.DataFrame) -> None:
    hybrid = mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=10))
    guarantee = hybrid.apply(file, columns=["a"], given=["b"]).guarantee
    assert guarantee.k is None
    assert "no bound is proven: new values follow b, which differ inside groups" in str(guarantee)
    # and what is exact in groups gives the last member away all the same
    assert "subtraction" in str(guarantee)


@dataclass(frozen=True, kw_only=True)
class Nudge(FullSynthesiser):
    """Moves every value by a millionth and calls that synthesis."""

    def draw(self, table: Table, records: int, job: Job) -> tuple[Mapping[str, Values], tuple[str, ...]]:
        return {name: values.with_data(values.data + 1e-6) for name, values in table.columns.items()}, ()


def test_a_plug_in_that_declares_nothing_is_given_no_proof(file: pd.DataFrame) -> None:
    amounts = file[["a", "b"]]
    hybrid = mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=10), synthesiser=Nudge())
    release = hybrid.apply(amounts, given=[])
    assert mv.risk.DistanceLinkage()(amounts, release).value == pytest.approx(100.0)
    assert release.guarantee.k is None
    assert release.guarantee.linkage == 1.0
    alone = Nudge().apply(amounts).guarantee
    assert not alone.synthetic
    assert not any(statement.protects for statement in alone.statements)
    assert "does not declare that its records depend on no single original" in repr(alone)


COARSER = [mv.mask.Round(base=1000), mv.mask.Microaggregation(partition=mv.partition.MDAV(k=200))]


@pytest.mark.parametrize("coarser", COARSER, ids=lambda method: method.name)
def test_a_kept_column_that_is_coarsened_later_still_tells(coarser: mv.data.Method) -> None:
    draw = np.random.default_rng(0)
    z = draw.normal(size=400)
    frame = pd.DataFrame({"x": 1.3 * z + 0.001 * draw.normal(size=400), "z": z})
    hybrid = {"method": mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=20)), "columns": ["x"], "given": ["z"]}
    release = mv.Plan([hybrid, (coarser, ["z"])]).run(frame)
    nearest = np.abs(release.frame["x"].to_numpy()[:, None] - frame["x"].to_numpy()).argmin(axis=1)
    assert (nearest == np.arange(400)).mean() > 0.5
    assert release.guarantee.k is None


def test_a_later_step_that_brings_other_columns_in_ends_the_bound(file: pd.DataFrame) -> None:
    hybrid = {"method": mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=10)), "columns": ["a"], "given": []}
    data = file[["a", "b"]]
    rounded = (mv.mask.Round(base=1000), ["b"])
    alone = mv.Plan([hybrid, rounded]).run(data).guarantee
    assert alone.k == 10
    processed = mv.Plan([hybrid, (mv.mask.UncorrelatedNoise(), ["a"]), rounded]).run(data).guarantee
    assert processed.k == 10  # noise by itself tells nobody apart
    shuffled = {"method": mv.mask.DataShuffle(), "columns": ["a"], "given": ["b"]}
    assert mv.Plan([hybrid, shuffled, rounded]).run(data).guarantee.k is None


@dataclass(frozen=True, kw_only=True)
class LooksBack(Mask):
    """Puts the original back without having declared that it looks at it."""

    def run(self, table: Table, job: Job) -> Outcome:
        return Outcome({name: values.with_data(values.data + 0.01) for name, values in job.original.columns.items()})


def test_a_method_that_does_not_declare_it_does_not_see_the_original(file: pd.DataFrame) -> None:
    hybrid = {"method": mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=10)), "columns": ["a", "b"], "given": []}
    release = mv.Plan([hybrid, (LooksBack(), ["a", "b"])]).run(file[["a", "b"]], seed=1)
    first = mv.Plan([hybrid]).run(file[["a", "b"]], seed=1)
    assert np.allclose(release.frame, first.frame + 0.01)


@dataclass(frozen=True, kw_only=True)
class FourTimes(Mask):
    """Releases every record four times."""

    def run(self, table: Table, job: Job) -> Outcome:
        rows = np.repeat(np.arange(table.rows), 4)
        return Outcome({name: values.take(rows) for name, values in table.columns.items()}, origin=rows)


def test_one_person_released_four_times_is_one_person(file: pd.DataFrame) -> None:
    steps = [(FourTimes(), ["a"]), (mv.mask.KAnonymise(k=3), ["a", "b"])]
    with pytest.warns(NothingHidden):
        release = mv.Plan(steps).run(file[["a", "b"]])
    classes = release.frame.groupby(["a", "b"])
    people = pd.Series(release.origin).groupby(classes.ngroup().to_numpy()).nunique()
    assert (release.guarantee.k or 1) <= people.min()


@dataclass(frozen=True, kw_only=True)
class SwapsInFives(Mask):
    """Permutes rows inside groups of five and declares so, without promising their size."""

    def anonymity(self, kinds: Mapping[str, str], telling: tuple[str, ...]) -> Anonymity | None:
        return Anonymity(5, "exchangeable records")

    def run(self, table: Table, job: Job) -> Outcome:
        labels = np.arange(table.rows) // 5
        rows = np.concatenate([np.roll(np.flatnonzero(labels == group), 1) for group in np.unique(labels)])
        return Outcome({name: values.take(rows) for name, values in table.columns.items()}, groups=labels)


def test_records_left_out_later_make_the_bound_smaller(file: pd.DataFrame) -> None:
    steps = [(SwapsInFives(), ["a", "b"]), mv.mask.Sample(fraction=0.7)]
    release = mv.Plan(steps).run(file[["a", "b"]], seed=3)
    smallest = int(np.unique(release.groups, return_counts=True)[1].min())
    assert 1 < smallest < 5
    assert release.guarantee.k == smallest


def test_repairing_new_values_keeps_a_bound_and_values_tied_to_other_columns_do_not():
    data = mv.Microdata(mv.datasets.make_enterprises(200, seed=3), **mv.datasets.enterprises_schema())
    replaced = [*data.names("key"), *data.names("confidential")]
    hybrid = {"method": mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=10)), "columns": replaced}
    sums = {"total_sales": ("residential_sales", "commercial_sales", "industrial_sales", "other_sales")}
    inside = mv.Plan([hybrid, mv.mask.Repair(sums=sums, low=0.0)]).run(data, seed=1)
    assert inside.guarantee.linkage == 0.1
    some = {**hybrid, "columns": [name for name in replaced if name != "total_sales"]}
    tied = mv.Plan([some, mv.mask.Repair(sums=sums, low=0.0, adjust="parts")]).run(data, seed=1)
    assert tied.guarantee.linkage == 1.0
    assert not any("exchangeable" in statement.text for statement in tied.guarantee.statements)


def test_exact_means_are_said_of_the_groups_that_a_later_step_left_alone() -> None:
    draw = np.random.default_rng(8)
    table = pd.DataFrame({name: draw.normal(10, 8, 60).round(2) for name in ("a", "b")})
    hybrid = mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=10))
    alone = mv.Plan([(hybrid, ["a", "b"])]).run(table, seed=1)
    assert "of every group are exact" in str(alone.guarantee)
    repaired = mv.Plan([(hybrid, ["a", "b"]), (mv.mask.Repair(low=0.0), ["a", "b"])]).run(table, seed=1)
    assert "of every group are exact" not in str(repaired.guarantee)
    assert "of every group in which repair moved nothing are exact" in str(repaired.guarantee)
