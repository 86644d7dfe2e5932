"""Levels of a release are those of the hierarchy that is stated, by number and by name."""

from __future__ import annotations

import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.data.microdata import Microdata

PATHS = {
    "Linz": ["Upper Austria", "Austria", "EU"],
    "Wels": ["Upper Austria", "Austria", "EU"],
    "Graz": ["Styria", "Austria", "EU"],
    "Bonn": ["Westphalia", "Germany", "EU"],
}


def cities(*names, paths=PATHS, **more):
    return Microdata(pd.DataFrame({"city": names, **more}), roles={"city": "key"}, hierarchies={"city": paths})


def released(data, level, **settings):
    return mv.mask.Lattice(k=2, levels={"city": level}, **settings).apply(data, columns=["city"], seed=1)


@pytest.mark.parametrize(("level", "name"), [(2, "Austria"), (3, "EU")])
@pytest.mark.parametrize("paths", [PATHS, mv.Hierarchy(PATHS)], ids=["mapping", "hierarchy"])
def test_a_level_that_joins_all_values_of_the_file_is_called_as_it_is_stated(level, name, paths):
    data = cities("Linz", "Wels", "Graz", paths=paths)
    release = released(data, level)
    assert set(release.frame["city"]) == {name}
    # the measure reads the same level out of the release: 2 of 3, or 3 of 3
    for loss in (mv.loss.Precision(), mv.loss.Height()):
        assert loss(data, release).value == pytest.approx(level / 3, abs=1e-15)
    note = mv.mask.Lattice(k=2, levels={"city": level}, loss="precision").apply(data, columns=["city"], seed=1).notes[0]
    assert note == f"levels of generalisation: city {level}; loss {level / 3:.4g}"


def test_there_is_no_level_above_the_one_value_in_which_a_hierarchy_ends():
    with pytest.raises(BadInput, match=r"'city' has the levels 0 to 3; 4 was given"):
        released(cities("Linz", "Wels", "Graz"), 4)


def test_what_the_hierarchy_leaves_apart_is_joined_by_a_star():
    apart = {city: path[:2] for city, path in PATHS.items()}
    assert set(released(cities("Linz", "Wels", "Graz", paths=apart), 2).frame["city"]) == {"Austria"}
    assert set(released(cities("Linz", "Wels", "Graz", paths=apart), 3).frame["city"]) == {"*"}


def test_no_name_tells_what_is_missing():
    data = cities("Linz", "Wels", "Graz", None, None)
    named = released(data, 3)
    assert named.frame["city"].fillna("gap").tolist() == ["EU"] * 3 + ["gap"] * 2
    assert set(released(data, 4).frame["city"]) == {"*"}
    assert mv.loss.Precision()(data, named).value == pytest.approx(3 / 4, abs=1e-15)


def test_limits_above_the_top_are_refused_as_levels_are():
    with pytest.raises(BadInput, match=r"'city' has the levels 0 to 3; 4 was given"):
        mv.mask.Lattice(k=2, limits={"city": (0, 4)}).apply(cities("Linz", "Wels", "Graz"), columns=["city"], seed=1)


@pytest.mark.parametrize("levels", [{"age": 0, "sex": 1}, {"age": 1, "sex": 0}, {"age": 2, "sex": 1}])
def test_gaps_of_numbers_with_a_hierarchy_are_a_class_as_those_of_categories_are(levels):
    frame = pd.DataFrame({"age": [31, 31, 33, 33, None, None], "sex": list("ababab")})
    found = []
    for kind in ("continuous", "nominal"):
        rule = mv.hierarchy.Intervals(widths=[10])
        data = Microdata(frame, roles={"age": "key", "sex": "key"}, kinds={"age": kind}, hierarchies={"age": rule})
        mask = mv.mask.Lattice(k=2, max_dropped=0.4, levels=levels)
        release = mask.apply(data, columns=["age", "sex"], seed=1).frame
        found.append([["gap" if pd.isna(age) else str(age) for age in release["age"]], release["sex"].tolist()])
    assert found[0] == found[1]


def test_gaps_of_numbers_are_left_out_where_that_is_asked_and_refused_without_a_hierarchy():
    frame = pd.DataFrame({"age": [31.5, 31.5, 33, 33, None, None]})
    plain = Microdata(frame, roles={"age": "key"}, kinds={"age": "continuous"})
    with pytest.raises(mv.core.errors.MissingValues, match=r"missing values in 'age' \(2\)"):
        mv.mask.Lattice(k=2).apply(plain, seed=1)
    stated = plain.with_(hierarchies={"age": mv.hierarchy.Intervals(widths=[10])})
    assert len(mv.mask.Lattice(k=3).apply(stated, missing="drop", seed=1)) == 4


def test_records_left_out_are_starred_whatever_the_top_is_called():
    data = cities(*["Linz"] * 4, *["Graz"] * 4, "Wels", "Bonn")
    release = mv.mask.Lattice(k=2, max_dropped=0.2, dropped="star", levels={"city": 0}).apply(data, columns=["city"])
    assert release.frame["city"].tolist() == ["Linz"] * 4 + ["Graz"] * 4 + ["*"] * 2
