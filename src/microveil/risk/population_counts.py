"""How many people of the population share the keys of each released record."""

from __future__ import annotations

from typing import Annotated, Literal

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


def population_counts(pair: Pair, source: str, missing: Literal["own", "wildcard"]) -> tuple[Ints, Floats, int] | str:
    """Class size of each released record in file and population, and how many the register lacks; or what is missing.

    A population class is never smaller than the sample's.
    """
    from microveil.kernels.tables.sizes import class_sizes

    before, after = pair.tables(pair.columns)
    if source == "weights":
        weights = pair.after.weights
        if weights is None:
            return "no column has the role weight; give one, or a register as the original with population='original'"
        f, F = class_sizes(after.codes(), missing, weights[pair.rows_after])
        return f, np.maximum(F, f), 0
    if pair.single:
        return "population='original' needs the register as first and the released file as second argument"
    joint = np.vstack(common_codes(before, after))
    in_register = np.concatenate([np.ones(before.rows), np.zeros(after.rows)])
    f = class_sizes(joint[before.rows :], missing)[0]
    F = class_sizes(joint, missing, in_register)[1][before.rows :]
    return f, np.maximum(F, f), int((F == 0).sum())
