"""Weights, strata and sizes of households that tell hidden regions are named; harmless ones are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.package.audit_files import DataFile
from microveil.package.audit_weights import audit_weights
from microveil.package.known import Known

ROLES = {"region": "key", "sex": "key", "w": "weight", "zone": "stratum", "home": "household"}
REGIONS = np.array(["north", "south", "east", "west"])[np.arange(240) % 4]


def original(**columns: object) -> pd.DataFrame:
    return pd.DataFrame({"region": REGIONS, "sex": (np.arange(240) // 7) % 2, **columns})


def said(released: pd.DataFrame, source: pd.DataFrame | None = None) -> list[str]:
    whole = None if source is None else mv.Microdata(source, roles={n: ROLES[n] for n in source.columns})
    file = DataFile("data.csv", None, mv.Microdata(released))
    return [str(one) for one in audit_weights(file, Known(ROLES, original=whole))]


BY_REGION = np.array([2.5, 4.0, 1.25, 8.0])[np.arange(240) % 4]
BY_CHANCE = np.array([2.5, 4.0, 1.25, 8.0])[(np.arange(240) * 7 // 5) % 4]


@pytest.mark.parametrize("gap", [None, "*"])
def test_a_weight_of_each_region_tells_what_was_suppressed(gap):
    source = original(w=BY_REGION)
    released = source.assign(region=source["region"].where(np.arange(240) % 10 > 0, gap))
    told = ["BROKEN: data.csv: w tells 100 % of 24 hidden cells of 'region', as the other records show."]
    assert said(released) == told
    assert said(released, source) == told


def test_calibrated_weights_that_lie_beside_each_other_tell_too():
    near = 1 + (np.arange(240) * 37 % 240) / 2400
    source = original(w=(BY_REGION * near).round(4))
    released = source.assign(region=source["region"].where(np.arange(240) % 10 > 0, None))
    (told,) = said(released)
    assert told.startswith("BROKEN: data.csv: w tells ")
    assert told.endswith(" % of 24 hidden cells of 'region', as the records with the next weights show.")
    chance = source.assign(w=(BY_CHANCE * near).round(4))
    assert said(released.assign(w=chance["w"]), chance) == ["holds: data.csv: no hidden cell follows from w."]


def test_a_weight_that_says_nothing_passes():
    source = original(w=BY_CHANCE)
    released = source.assign(region=source["region"].where(np.arange(240) % 10 > 0, None))
    assert said(released, source) == ["holds: data.csv: no hidden cell follows from w."]
    assert said(source.assign(w=BY_REGION), source) == ["holds: data.csv: no hidden cell follows from w."]


def test_a_recoded_region_is_told_by_the_design():
    source = original(w=BY_REGION)
    released = source.assign(region=source["region"].map(lambda name: "N-S" if name in ("north", "south") else "E-W"))
    told = "BROKEN: data.csv: w tells 100 % of 240 hidden cells of 'region', as the original shows."
    assert said(released, source) == [told]
    assert said(released) == ["holds: data.csv: no hidden cell follows from w."]
    joined = np.where(BY_REGION > 3, 6.0, 2.0)  # averaged over what was joined
    assert said(released.assign(w=joined), source) == ["holds: data.csv: no hidden cell follows from w."]


def test_strata_and_sizes_of_households_tell_too():
    zone = np.arange(240) % 4 + 11
    source = original(zone=zone)
    released = source.assign(region=source["region"].where(np.arange(240) % 10 > 0, None))
    assert "zone tells 100 % of 24 hidden cells" in said(released, source)[0]
    # households of one, two, three and four people, each in a region of its own
    size = np.repeat([1, 2, 3, 4], 60)
    homes = [f"h{place // count}-{count}" for place, count in enumerate(size)]
    source = original(home=homes).assign(region=np.repeat(REGIONS[:4], 60))
    released = source.assign(region=source["region"].where(np.arange(240) % 12 > 0, None))
    assert "the size of the household tells 100 % of 20 hidden cells" in said(released, source)[0]


def test_two_columns_tell_together_what_neither_does():
    place = np.arange(240) % 4
    source = original(w=np.where(place < 2, 1.5, 3.0), zone=place % 2)
    released = source.assign(region=source["region"].where(np.arange(240) % 10 > 0, None))
    assert "w and zone tells 100 % of 24 hidden cells" in said(released, source)[0]


def test_members_of_a_household_are_no_design():
    # each household has a weight of its own, and all of its members the same job: that says nothing of others
    home = np.arange(240) // 4
    source = original(w=home + 0.5, home=home).assign(region=np.array(["a", "b", "c"])[home % 3])
    released = source.assign(region=np.where(home % 3 == 0, "a", "b-c"))
    passes = "holds: data.csv: no hidden cell follows from w"
    assert said(released, source) == [f"{passes} and the members of the household."]
    # nor are they where nobody says which number is that of the household
    assert said(released.drop(columns="home"), source.drop(columns="home")) == [f"{passes}."]


def test_values_that_were_exchanged_by_chance_hide_nothing():
    source = original(w=BY_REGION)
    released = source.assign(region=np.where(np.arange(240) % 10 > 0, REGIONS, "far"))
    whole = mv.Microdata(source, roles={n: ROLES[n] for n in source.columns})
    file = DataFile("data.csv", None, mv.Microdata(released))
    known = Known(ROLES, original=whole, perturbed=frozenset({"region"}))
    assert [one.state for one in audit_weights(file, known)] == ["holds"]
    assert [one.state for one in audit_weights(file, Known(ROLES, original=whole))] == ["broken"]


def test_a_value_that_nearly_all_have_is_no_secret():
    rare = np.where(np.arange(240) == 5, "south", "north")
    source = original(w=BY_CHANCE).assign(region=rare)
    released = source.assign(region=np.where(np.arange(240) % 10 > 0, rare, None))
    assert said(released, source) == ["holds: data.csv: no hidden cell follows from w."]


SIZES = np.repeat([1, 2, 3, 4], [10, 20, 30, 40])  # 100 people, too few to learn from what follows from what
HOMES = [f"h{size}-{place // size}" for place, size in enumerate(SIZES)]


def households(size: object, source_size: object = SIZES) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A released file and its original, whose sex is not that of a household."""
    sex = (np.arange(100) // 7) % 2
    frames = [pd.DataFrame({"region": column, "sex": sex, "home": HOMES}) for column in (size, source_size)]
    return frames[0], frames[1]


def test_counting_the_members_tells_a_size_that_was_recoded_in_a_small_file():
    recoded = [f"{size}" if place % 3 else "1..4" for place, size in enumerate(SIZES)]
    told = "BROKEN: data.csv: the size of the household tells 100 % of 34 hidden cells of 'region', as the other"
    assert said(*households(recoded))[0].startswith(told)
    (of_all,) = said(*households(["1..4"] * 100))
    assert "the size of the household tells 100 % of 100 hidden cells of 'region', as the original shows: " in of_all


def test_members_tell_what_is_the_same_for_all_of_them():
    homes = pd.Series(HOMES)
    region = homes.map({home: REGIONS[place % 4] for place, home in enumerate(homes.unique())})
    first = ~homes.duplicated()
    released, source = households(region.where(~first | (SIZES == 1), "somewhere"), region)
    (told,) = said(released, source)
    assert told.startswith("BROKEN: data.csv: the household tells 100 % of 30 hidden cells of 'region', as the other")
    assert told.endswith("or make it coarser for all members alike (household_keys of local-suppression).")
    whole = households(region.where(homes.str.startswith("h4"), "somewhere"), region)
    assert said(*whole) == [
        "holds: data.csv: no hidden cell follows from the size of the household and the members of the household."
    ]
    apart = np.random.default_rng(1).permutation(region)
    assert "holds" in said(*households(np.where(first, "somewhere", apart), apart))[0]


def test_a_weight_that_few_records_could_show_to_tell_is_a_note():
    source = original(w=BY_REGION)
    released = source.assign(region=source["region"].where(np.arange(240) % 10 > 0, None)).head(60)
    told = "note: data.csv: w tells 100 % of 6 hidden cells of 'region', as the other records show"
    assert said(released) == [f"{told}, unless that is chance: only 54 records could be tried."]
    assert said(released.assign(w=BY_CHANCE[:60])) == ["holds: data.csv: no hidden cell follows from w."]
