"""League, correlations and page: by hand, with Table 2 against the published figures where the data are there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import microveil as mv
from microveil.benchmark import agreements, best_of_each_method, league, map_svg, render_markdown, table_two
from microveil.benchmark.entries import PUBLISHED
from microveil.benchmark.journal import Result
from microveil.benchmark.league import map_of
from microveil.plan import Plan
from microveil.plan.space import canonical_text
from microveil.reproduce.pil_tables import PARTS


def result(method: object, label: str, **figures: float) -> Result:
    worst = {"linkage": figures.get("worst", 0.0)}
    return Result(canonical_text(Plan([method])), label, "mask", figures, {"worst": worst}, worst_by="linkage")


SWAP = [result(mv.mask.RankSwap(p=p), f"swap {p}", PIL=float(p), worst=100.0 - p) for p in (2, 6)]
NOISE = result(mv.mask.UncorrelatedNoise(p=0.1), "noise", PIL=20.0, worst=10.0)
SAFE = result(mv.synth.Ipso(), "ipso", PIL=30.0, worst=0.0)
LONG = replace(result(mv.mask.DataShuffle(), "shuffle"), problem="it took more than 7 seconds")
ALL = [*SWAP, NOISE, SAFE, LONG]


def test_the_league_is_by_half_loss_and_half_risk_and_equals_share_a_place():
    found = league(ALL)
    assert [(one.place, one.result.label, one.bounded) for one in found] == [
        (1, "ipso", 15.0),
        (1, "noise", 15.0),
        (3, "swap 2", 50.0),
        (3, "swap 6", 50.0),
    ]
    assert [one.result.label for one in best_of_each_method(found)] == ["ipso", "noise", "swap 2"]


def test_the_frontier_of_the_map():
    assert [point.label for point in map_of(ALL).frontier] == ["swap 2", "swap 6", "noise", "ipso"]
    assert "<svg" in map_svg(ALL)


def test_rank_correlations_are_of_plans_that_have_both_and_turned_to_more_is_worse():
    rows = [
        result(mv.mask.RankSwap(p=1), f"{i}", **{"PIL": x, "IL": y, "interval overlap": z})
        for i, (x, y, z) in enumerate([(1.0, 2.0, 0.9), (2.0, 1.0, 0.5), (3.0, 9.0, 0.1)])
    ]
    more = result(mv.mask.RankSwap(p=1), "x", PIL=0.0)
    il, overlap, both = agreements([*rows, more], ["PIL", "IL", "interval overlap"])
    assert (il.first, il.second, il.plans) == ("PIL", "IL", 3)
    assert il.spearman == pytest.approx(0.5)  # ranks 1 2 3 and 2 1 3
    assert overlap.spearman == pytest.approx(1.0)
    assert both.spearman == pytest.approx(0.5)
    assert agreements([more], ["PIL", "IL"])[0].spearman is None


def test_table_two_is_over_published_maskings_with_both_measures():
    rng = np.random.default_rng(1)
    rows = []
    for i in range(8):
        new, old = (
            dict(zip(PARTS.values(), rng.random(5), strict=True)),
            {f"IL{j}": float(rng.random()) for j in range(1, 6)},
        )
        old["IL2"] = new["mean"] ** 3
        figures = {"PIL as published": float(i), "IL": 2.0 * i}
        rows.append(Result(str(i), "a", PUBLISHED, figures, {"PIL as published": new, "IL": old}))
    others = [replace(rows[0], group="mask"), replace(rows[0], figures={"IL": 1.0})]
    pairs, plans = table_two([*rows, *others])
    assert plans == 8
    by_name = {one.pair: one for one in pairs}
    assert by_name["PIL, IL"].ours == pytest.approx((1.0, 1.0))
    assert by_name["PIL, IL"].published == (0.824, 0.955)
    assert by_name["PIL(m1), IL2"].ours[1] == pytest.approx(1.0)
    assert by_name["PIL(m1), IL2"].ours[0] < 1.0
    assert table_two(others) == ((), 0)


def test_the_page_tells_league_correlations_and_what_is_missing():
    page = render_markdown({"generated": ALL})
    for words in (
        "# Benchmark of the field",
        "## What can be compared",
        "5 plans, 4 of them with both figures of the league.",
        "| 1 | `ipso` | 15 | 30 | – | – | 0 | linkage | 0 |",
        "`swap 2`, `swap 6`, `noise`, `ipso`",
        "- `shuffle`: it took more than 7 seconds",
        "(benchmark_generated.svg)",
    ):
        assert words in page
    assert "Table 2 of the probabilistic measures, over" not in page
    assert "`--seed 'other'`" in render_markdown({"generated": ALL}, "other")
