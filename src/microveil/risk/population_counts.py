"""How many people of the population share the keys of each released record."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.parameters import Grid
from microveil.measure import Pair
from microveil.measure.keys import common_codes

Source = Annotated[
    Literal["weights", "original"],
    Grid(("weights", "original")),
    "where the population is known from: the survey weights, or the original file, which is then a register",
]


class PopulationCounts(NamedTuple):
    """For each released record how many share its keys in the file and in the population; how many a register lacks.

    A population class is never smaller than the sample's.
    """

    in_file: Ints
    in_population: Floats
    absent: int


def population_counts(pair: Pair, source: str, missing: Literal["own", "wildcard"]) -> PopulationCounts | str:
    """The counts, or in words what is missing for them."""
    from microveil.kernels.tables.sizes import class_sizes

    before, after = pair.tables(pair.columns)
    if source == "weights":
        weights = pair.after.weights
        if weights is None:
            return "no column has the role weight; give one, or a register as the original with population='original'"
        f, F = class_sizes(after.codes(), missing, weights[pair.rows_after], pair.counts_after)
        return PopulationCounts(f, np.maximum(F, f), 0)
    if pair.single:
        return "population='original' needs the register as first and the released file as second argument"
    joint = np.vstack(common_codes(before, after))
    in_register = np.concatenate([np.ones(before.rows), np.zeros(after.rows)])
    f = class_sizes(joint[before.rows :], missing)[0]
    F = class_sizes(joint, missing, in_register)[1][before.rows :]
    return PopulationCounts(f, np.maximum(F, f), int((F == 0).sum()))
