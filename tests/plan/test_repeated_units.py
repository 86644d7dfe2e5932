"""Groups count records: where a unit has several, limits are judged for each unit, and nothing reassures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.measure import Pair, Scenario
from microveil.partition import MDAV
from microveil.plan import inspect, verdict_of
from microveil.plan.repeated_units import find_grouped_units

LIMITS = Scenario("all amounts", (), ("sales", "revenue"), {"risk": 0.2, "share": 20.0})


def panel(each: int, spread: float) -> mv.Microdata:
    """60 records: firms with so many each, which lie far from one another or among each other."""
    draw = np.random.default_rng(5)
    firm = np.repeat(np.arange(60 // each), each)
    sales = 1000.0 * firm * spread + draw.gamma(2.0, 20.0, 60)
    frame = pd.DataFrame(
        {"firm_id": 70_000 + firm, "sales": sales.round(2), "revenue": (sales / 3 + draw.gamma(2, 9, 60)).round(2)}
    )
    return mv.Microdata(frame, roles={"firm_id": "identifier", "sales": "confidential", "revenue": "confidential"})


def released(data: mv.Microdata) -> mv.Release:
    return mv.hybrid.MicroHybrid(partition=MDAV(k=6)).apply(data, columns=["sales", "revenue"], seed=2)


def test_groups_of_one_firm_keep_no_limit_and_the_proof_reassures_nobody():
    release = released(panel(6, 1.0))
    verdict = verdict_of(release, [LIMITS])
    assert verdict.ok is False
    assert (
        "Scenario 'all amounts' is not kept for each firm_id: 100 % of the records stand in groups of which their "
        "firm_id holds more than 0.2, where at most 20 % are allowed. There are 10 units in 60 records; in 100 % of "
        "the groups all records are of one firm_id"
    ) in verdict.because[0]
    assert verdict.help[0].startswith("protect one record of each firm_id")
    assert "figures count records, and firm_id has several (10 units in 60 records): in 100 %" in verdict.line
    for reading in (
        verdict.worst.reading,
        mv.evaluate(release.original, release, measures=["distance-linkage"]).worst.reading,
    ):
        assert "The proof of 1 of 6 is about records, of which each firm_id has several" in reading
        assert "The proof allows" not in reading


def test_units_that_lie_apart_in_groups_keep_the_limit_with_a_doubt():
    data = panel(2, 0.0)
    release = released(data)
    units = find_grouped_units(Pair.of(data, release))
    firms = data.frame["firm_id"].to_numpy()
    sizes = pd.Series(firms).groupby([release.groups, firms]).transform("size")
    in_group = pd.Series(firms).groupby(release.groups).transform("size")
    assert units.at_risk(LIMITS) == pytest.approx(100 * (sizes / in_group > 0.2).mean())
    loose = Scenario("all amounts", (), ("sales", "revenue"), {"risk": 0.35, "share": 20.0})
    assert units.at_risk(loose) == 0.0
    verdict = verdict_of(release, [loose])
    assert verdict.ok
    assert (
        "The proof of 1/6 does not decide here: it is about records, of which each firm_id has several"
        in verdict.because[0]
    )
    assert any(
        "so that k records may be of fewer than k units: no group is of one firm_id alone" in doubt
        for doubt in verdict.doubts
    )


def test_classes_of_equal_keys_are_counted_by_unit():
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({"firm_id": np.repeat(np.arange(10) + 70_000, 6), "size": draw.integers(1, 9, 60)})
    frame["region"] = np.repeat(["a", "b", "c", "d", "e"], 12)
    data = mv.Microdata(frame, roles={"firm_id": "identifier", "region": "key"}, kinds={"size": "ordinal"})
    frame.loc[0, "region"] = "f"
    data = data.with_(frame)
    release = mv.mask.KAnonymise(k=5).apply(data, columns=["region"])
    units = find_grouped_units(Pair.of(data, release))
    # every region is of two firms but the class that one record of another firm joined
    assert units.at_risk(Scenario("who", ("region",), thresholds={"risk": 0.2})) == pytest.approx(100 * 59 / 60)
    assert "no group is of one firm_id alone, and the one with fewest holds 2 of them" in units.doubt


def test_a_first_look_tells_units_and_the_project_what_helps():
    data = panel(6, 1.0)
    found = inspect(data.frame)
    assert "firm_id stands in several records: 10 units in 60 records." in found.baseline
    assert "protect one record of each firm_id" in found.comments["plan"].replace("\n# ", " ")
    assert "the proof decides" not in found.comments["scenarios"].replace("\n# ", " ")
    alone = data.frame.drop_duplicates("firm_id")
    assert "several records" not in inspect(alone).baseline


def test_days_and_remarks_that_are_left_out_are_no_units():
    """Somebody leaves out the day of admission and what was written by hand: neither says whose record it is."""
    data = panel(6, 1.0)
    day = [f"{place % 9 + 1:02d}.03.2024" for place in range(60)]
    remark = ["sober; see file" if place % 2 else f"call {place % 12} at home" for place in range(60)]
    frame = data.frame.assign(firm_id=np.arange(60), admission=day, remarks=remark)
    data = mv.Microdata(
        frame,
        roles={"sales": "confidential", "revenue": "confidential"}
        | dict.fromkeys(("firm_id", "admission", "remarks"), "identifier"),
    )
    release = released(data)
    assert find_grouped_units(Pair.of(data, release)) is None
    assert not any("figures of linkage and risk count records" in note for note in release.notes)
