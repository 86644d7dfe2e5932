"""Linkage on generalised and suppressed columns, against attacks written out here."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

import microveil as mv
from microveil.core import Measured, NotApplicable
from microveil.kernels.linkage.cells import Cells, all_distances
from microveil.kernels.linkage.partners import nearest_cells, tied_with_partner
from microveil.risk import Scenario, ScenarioRisk


def holds(text: object, value: object, paths: dict[object, tuple[object, ...]]) -> bool:
    """Whether a released class holds an original value."""
    if text is None or text != text or text == value or str(text) == str(value) or text in paths.get(value, ()):
        return True
    text = str(text)
    if text.startswith("{"):
        return str(value) in text[1:-1].split(", ")
    if text.startswith("["):
        low, high = text[1:-1].split(", ")
        return float(low) <= float(str(value)) <= float(high)
    return False


def compatible(data: mv.Microdata, released: pd.DataFrame, keys: tuple[str, ...]) -> np.ndarray:
    """Which released records can be whose."""
    original = data.narwhal.to_pandas()
    out = np.ones((len(original), len(released)), dtype=bool)
    for key in keys:
        paths = data.schema[key].hierarchy or {}
        values, levels = original[key].unique(), released[key].unique()
        table = np.array([[holds(level, value, paths) for level in levels] for value in values])
        rows, columns = pd.Index(values).get_indexer(original[key]), pd.Index(levels).get_indexer(released[key])
        out &= table[rows][:, columns]
    return out


def standardised(frame: pd.DataFrame, columns: tuple[str, ...]) -> np.ndarray:
    X = frame[list(columns)].to_numpy(float)
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.fixture(scope="module")
def enterprises():
    return mv.Microdata(mv.datasets.make_enterprises(600, seed=4), **mv.datasets.enterprises_schema())


@pytest.fixture(scope="module")
def anonymous(enterprises):
    hybrid = {"method": mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=10)), "given": []}
    return mv.Plan([mv.mask.KAnonymise(k=5), hybrid]).run(enterprises, seed=1)


def test_keys_in_classes_and_amounts_are_linked_as_an_intruder_would(enterprises, anonymous):
    keys, amounts = enterprises.names("key"), enterprises.names("confidential")
    released = anonymous.frame.to_pandas()
    allowed = compatible(enterprises, released, keys)
    apart = cdist(standardised(enterprises.frame.to_pandas(), amounts), standardised(released, amounts))
    nearest = np.where(allowed, apart, np.inf).argmin(axis=1)
    linked = 100 * (nearest == np.arange(len(nearest))).mean()
    found = mv.risk.DistanceLinkage()(enterprises, anonymous)
    assert found.value == pytest.approx(linked, abs=0.2)
    assert found.value > 5 * mv.risk.DistanceLinkage(categories=False)(enterprises, anonymous).value
    rows, columns = linear_sum_assignment(np.where(allowed, apart, 1e3))
    one_to_one = mv.risk.GlobalLinkage()(enterprises, anonymous).value
    assert one_to_one == pytest.approx(100 * (rows == columns).mean(), abs=0.2)
    worst = mv.evaluate(enterprises, anonymous, measures=[mv.risk.DistanceLinkage(), mv.risk.GlobalLinkage()]).worst
    assert worst.value == max(found.value, one_to_one)
    assert "One-to-one record linkage" in worst.reading


def test_the_same_file_read_back_is_linked_as_often(enterprises, anonymous, tmp_path):
    mv.write(anonymous, tmp_path / "out.csv", reproducible=True)
    link = mv.plan.link_of_written(anonymous)
    back = mv.read(tmp_path / "out.csv").frame
    direct = mv.risk.DistanceLinkage()(enterprises, anonymous).value
    assert mv.risk.DistanceLinkage()(enterprises, back, linked=link).value == pytest.approx(direct, abs=0.2)


def test_few_candidates_find_nearly_the_best_assignment_of_classes(enterprises, anonymous):
    exact = mv.risk.GlobalLinkage()(enterprises, anonymous).value
    sparse = mv.risk.GlobalLinkage(exact_up_to=100)(enterprises, anonymous).value
    assert sparse == pytest.approx(exact, abs=6)
    assert sparse > mv.risk.DistanceLinkage()(enterprises, anonymous).value + 10


def test_equal_classes_are_linked_at_most_one_time_in_k(enterprises):
    release = mv.mask.KAnonymise(k=5).apply(enterprises, seed=1)
    for measure in (mv.risk.DistanceLinkage(), mv.risk.GlobalLinkage(), mv.risk.ProbabilisticLinkage()):
        found = measure(enterprises, release, columns=enterprises.names("key"))
        assert 2 < found.value <= 20 + 1e-9


def test_suppressed_cells_match_everybody_but_the_narrower_class_is_likelier():
    data = pd.DataFrame({"sex": list("ffffmmmm"), "town": list("aabbaabb")})
    hidden = data.astype(object)
    hidden.loc[[1, 4], "town"] = None
    found = mv.risk.DistanceLinkage()(data, hidden)
    # fa: one shown and one hidden woman; whoever looks for her takes the shown one, and so on
    expected = (1 + 0 + 0.5 + 0.5 + 0 + 1 + 0.5 + 0.5) / 8
    assert found.value == pytest.approx(100 * expected)
    assert len(found.notes) == 1
    assert found.notes[0].startswith(
        "2 of 8 records have gaps and are linked like all others: a gap in both files agrees"
    )


def test_true_values_are_filtered_on_and_perturbed_ones_only_compared():
    rng = np.random.default_rng(3)
    data = pd.DataFrame({"year": rng.integers(1930, 2005, 300).astype(float), "pay": rng.gamma(2.0, size=300)})
    noisy = data.assign(pay=data["pay"] + rng.normal(size=300))
    gap = abs(standardised(data, ("pay",)) - standardised(noisy, ("pay",)).T)
    nearest = np.where(data["year"].to_numpy()[:, None] == data["year"].to_numpy(), gap, np.inf).argmin(axis=1)
    expected = 100 * (nearest == np.arange(300)).mean()
    assert mv.risk.DistanceLinkage()(data, noisy).value == pytest.approx(expected)
    moved = noisy.assign(year=np.roll(noisy["year"], 1))
    assert mv.risk.DistanceLinkage()(data, moved).value < expected / 4


def test_scenarios_see_through_classes_too(enterprises, anonymous):
    keys, amounts = enterprises.names("key"), enterprises.names("confidential")
    neighbour = Scenario("competitor", keys, amounts)
    found = ScenarioRisk(scenarios=[neighbour])(enterprises, anonymous)
    linked = mv.risk.DistanceLinkage()(enterprises, anonymous).value
    assert found.parts["competitor: mean risk (%)"] >= linked
    worst = mv.evaluate(enterprises, anonymous, measures=[ScenarioRisk(scenarios=[neighbour])]).worst
    assert isinstance(worst, Measured)
    assert "scenario competitor" in worst.reading
    assert worst.value == found.parts["competitor: mean risk (%)"]


def test_the_worst_case_says_why_there_is_none(enterprises, anonymous):
    worst = mv.evaluate(enterprises, anonymous.frame, measures=[mv.risk.DistanceLinkage()], linked=False).worst
    assert isinstance(worst, NotApplicable)
    assert worst.reason == "nobody knows which rows of the two files belong together"


@pytest.mark.parametrize("width", [0, 1])
def test_searching_ranges_and_sets_finds_what_comparing_all_of_them_does(width):
    rng = np.random.default_rng(8)

    def cells(n: int) -> Cells:
        low = np.floor(rng.random((n, 3)) * 20)
        high = low + np.floor(rng.random((n, 3)) * 3)
        sets = rng.integers(1, 16, size=(n, 1)).astype(np.uint64)
        gaps = rng.integers(0, 4, size=(n, width)).astype(np.uint64)
        return Cells(low, high, sets, np.array([0, 0, 0, 1]), rng.random(n), gaps)

    queries, points = cells(200), cells(500)
    steps = np.array([[0.0, 0.0], [0.0, 5.0], [0.0, 3.0]])
    every = all_distances(queries, points, steps, False)
    a, b = queries, points
    apart = np.maximum(0, np.maximum(b.low[None] - a.high[:, None], a.low[:, None] - b.high[None]))
    disjoint = (a.sets[:, None, 0] & b.sets[None, :, 0]) == 0
    own = apart[..., 0] ** 2 + 5.0 * (apart[..., 1] >= 1) + 3.0 * disjoint + b.handicap
    assert every == pytest.approx(own)
    near, cost = nearest_cells(queries, points, 7, steps, False)
    assert cost == pytest.approx(np.sort(own, axis=1)[:, :7])
    assert own[np.arange(200)[:, None], near] == pytest.approx(cost)
    if width:  # partners are found by what both have, scaled up to all
        lacking = a.gaps[:, None, 0] | b.gaps[None, :, 0]
        own = own * 3 / (3 - (lacking & 1) - (lacking >> 1)).astype(float)
    partner = rng.integers(0, 500, size=200)
    mine = own[np.arange(200), partner][:, None]
    expected = np.where((own < mine * (1 - 1e-9)).any(axis=1), 0, (own <= mine * (1 + 1e-9)).sum(axis=1))
    ones = np.ones(500, dtype=np.int64)
    assert (tied_with_partner(queries, points, partner, ones, steps) == expected).all()
