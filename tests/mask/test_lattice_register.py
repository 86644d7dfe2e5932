"""Models that count the people of a register of whom the file is a sample."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput, NothingHidden
from microveil.data.microdata import Microdata
from tests.mask.test_lattice_search import KEYS, survey_with_hierarchies

PATHS = {"x": ["x", "*"], "y": ["yz", "*"], "z": ["yz", "*"]}


def sample():
    """Every fifth person of a register of 2,000; ages that nobody of the sample has are in the register."""
    register = survey_with_hierarchies(2000, 9).frame.drop(columns="ill")
    known = survey_with_hierarchies()
    frame = register.iloc[::5].reset_index(drop=True)
    return known.with_(frame[frame["age"] != 33].assign(ill="a")), register


def generalised(register, data, levels):
    """The register at the levels of a release, by the hierarchies."""
    out = {}
    for name in KEYS:
        paths, level = data.schema[name].hierarchy, levels[name]
        out[name] = ["*" if level > len(paths[v]) else v if level == 0 else paths[v][level - 1] for v in register[name]]
    return pd.DataFrame(out).astype(str)


def people_of(release, register, data, levels):
    counts = generalised(register, data, levels).groupby(KEYS).size()
    rows = list(release.frame[KEYS].astype(str).itertuples(index=False, name=None))
    return np.array([counts[row] for row in rows]), pd.Series(rows).value_counts()


def levels_of(release):
    text = release.notes[0].split(": ")[1].split(";")[0]
    return {part.rsplit(" ", 1)[0]: int(part.rsplit(" ", 1)[1]) for part in text.split(", ")}


@pytest.mark.parametrize("drop", [0.0, 0.1])
def test_classes_are_shared_by_enough_people_of_the_register(drop):
    data, register = sample()
    model = mv.Anonymity(k=1, register=15)
    release = mv.mask.Lattice(model=model, max_dropped=drop).apply(data, columns=KEYS, seed=1, register=register)
    people, sizes = people_of(release, register, data, levels_of(release))
    assert people.min() >= 15
    assert sizes.min() < 15  # the file alone would not do
    assert f"shared by at least {people.min()} people of file and register" in " ".join(release.notes)
    # every finer combination would not have done: none loses less
    best = mv.mask.Lattice(model=model, max_dropped=drop).explore(data, on=KEYS, best=1, register=register)
    assert dict(best[0].levels) == levels_of(release)


def test_nobody_is_known_to_be_in_the_file():
    data, register = sample()
    model = mv.Anonymity(k=1, presence=0.3)
    release = mv.mask.Lattice(model=model, max_dropped=0.05).apply(data, columns=KEYS, seed=1, register=register)
    people, sizes = people_of(release, register, data, levels_of(release))
    rows = list(release.frame[KEYS].astype(str).itertuples(index=False, name=None))
    assert max(sizes[row] / count for row, count in zip(rows, people, strict=True)) <= 0.3 + 1e-12


def test_few_are_alone_in_the_register():
    data, register = sample()
    model = mv.Anonymity(k=1, population_uniqueness=0.01)
    release = mv.mask.Lattice(model=model).apply(data, columns=KEYS, seed=1, register=register)
    people, sizes = people_of(release, register, data, levels_of(release))
    assert (people == 1).mean() <= 0.01
    assert sizes.min() == 1


def test_what_must_be_given():
    data, register = sample()
    mask = mv.mask.Lattice(model=mv.Anonymity(k=1, register=15))
    with pytest.raises(BadInput, match="give it with register"):
        mask.apply(data, columns=KEYS, seed=1)
    with pytest.raises(BadInput, match="asks nothing of it"):
        mv.mask.Lattice(k=3).apply(data, columns=KEYS, seed=1, register=register)
    with pytest.raises(BadInput, match=r"the register has no column \['place'\]"):
        mask.apply(data, columns=KEYS, seed=1, register=register.drop(columns="place"))
    with pytest.raises(BadInput, match="leave by out"):
        mask.apply(data, columns=["age", "job"], by="place", seed=1, register=register)
    with pytest.raises(BadInput, match="leave key_sets out"):
        mv.Anonymity(k=2, register=5, key_sets=[["age"]])
    with pytest.raises(BadInput, match="what counts a register"):
        mv.mask.KAnonymise(model=mv.Anonymity(k=2, register=5))


def test_a_log_replays_with_the_register():
    data, register = sample()
    mask = mv.mask.Lattice(model=mv.Anonymity(k=2, register=15))
    release = mask.apply(data, columns=KEYS, seed="a long enough key for a test of replaying it", register=register)
    log = mv.plan.private_log(release)
    again = mv.plan.replay(log, data, aside={"register": Microdata(register)})
    assert again.frame.equals(release.frame)


@pytest.mark.parametrize("settings", [{}, {"max_dropped": 0.1}, {"max_dropped": 0.1, "dropped": "star"}])
@pytest.mark.parametrize("asked", [{"presence": 0.5}, {"register": 20}])
def test_a_file_smaller_than_what_is_asked_of_the_register_is_judged_with_the_register(asked, settings):
    data = Microdata(pd.DataFrame({"a": ["x"] * 5 + ["y"] * 5}), roles={"a": "key"})
    register = pd.DataFrame({"a": ["x"] * 50 + ["y"] * 50})
    mask = mv.mask.Lattice(model=mv.Anonymity(k=1, **asked), **settings)
    with pytest.warns(NothingHidden):
        release = mask.apply(data, columns=["a"], register=register)
    assert release.frame["a"].tolist() == data.frame["a"].tolist()
    assert dict(mask.explore(data, on=["a"], register=register)[0].levels) == {"a": 0}


@pytest.mark.parametrize("asked", [{"presence": 0.05}, {"register": 101}])
def test_what_no_level_satisfies_beside_the_register_is_refused_alike(asked):
    data = Microdata(pd.DataFrame({"a": ["x"] * 5 + ["y"] * 5}), roles={"a": "key"})
    register = pd.DataFrame({"a": ["x"] * 50 + ["y"] * 50})
    mask = mv.mask.Lattice(model=mv.Anonymity(k=1, **asked))
    with pytest.raises(BadInput) as applied:
        mask.apply(data, columns=["a"], register=register)
    with pytest.raises(BadInput) as explored:
        mask.explore(data, on=["a"], register=register)
    assert str(applied.value) == str(explored.value)


def test_people_of_the_file_whom_the_register_lacks_are_told_as_such():
    data = Microdata(pd.DataFrame({"a": ["x"] * 5 + ["y", "z"] * 3}), roles={"a": "key"}, hierarchies={"a": PATHS})
    register = pd.DataFrame({"a": ["x"] + ["y", "z"] * 9})
    release = mv.mask.Lattice(model=mv.Anonymity(k=1, register=5), levels={"a": 1}).apply(data, register=register)
    # one x of the register and five of the file are five people at least
    assert "keys that are released are shared by at least 5 people of file and register" in " ".join(release.notes)
