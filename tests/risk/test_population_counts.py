"""People of the population behind each released record."""

from __future__ import annotations

import pandas as pd

import microveil as mv
from microveil.measure import Pair
from microveil.risk.population_counts import PopulationCounts, population_counts

FILE = pd.DataFrame({"sex": ["f", "f", "m"], "w": [10.0, 20.0, 0.5]})


def test_weights_add_up_in_a_class_which_is_never_smaller_than_in_the_file():
    data = mv.Microdata(FILE, roles={"sex": "key", "w": "weight"})
    found = population_counts(Pair.of(data, data, columns=["sex"]), "weights", "own")
    assert isinstance(found, PopulationCounts)
    assert found.in_file.tolist() == [2, 2, 1]
    assert found.in_population.tolist() == [30, 30, 1]
    assert found.absent == 0


def test_a_register_is_counted_and_says_whom_it_lacks():
    register = pd.DataFrame({"sex": ["f"] * 5})
    found = population_counts(Pair.of(register, FILE[["sex"]], columns=["sex"]), "original", "own")
    assert isinstance(found, PopulationCounts)
    assert found.in_population.tolist() == [5, 5, 1]
    assert found.absent == 1


def test_what_is_missing_is_said():
    plain = Pair.of(FILE[["sex"]], FILE[["sex"]], columns=["sex"])
    assert "no column has the role weight" in str(population_counts(plain, "weights", "own"))
