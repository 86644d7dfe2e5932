"""Known and released values of columns that a method masked, brought into one scale subdomain by subdomain."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from microveil.attack.beside import Reconstructed
from microveil.attack.domains import each_domain
from microveil.attack.masked import Masked
from microveil.attack.view import View
from microveil.core.arrays import Floats
from microveil.data.table import Table


class Scaled(NamedTuple):
    """Known and reconstructed records of a subdomain side by side.

    In `known` and `found` the distance of a true pair is about 1 in each column; `ways` holds reconstructions in the
    units of the file.
    """

    known: Floats
    found: Floats
    ways: Mapping[str, Floats]


Scale = Callable[[Masked, Floats, Table], Scaled]  # of known values and all released columns


def scale_by_domain(view: View, parts: Sequence[Masked], scale: Scale) -> tuple[Floats, Floats, Reconstructed]:
    """What every method of the parts left, in one scale, and the values reconstructed by each way."""
    found = [_one_part(view, part, scale) for part in parts]
    names = [name for part in parts for name in part.columns]
    ways = {way: np.hstack([one.ways[way] for one in found]) for way in found[0].ways}
    told = Reconstructed(view.known.matrix(names), view.released.matrix(names), ways)
    return np.hstack([one.known for one in found]), np.hstack([one.found for one in found]), told


def _one_part(view: View, part: Masked, scale: Scale) -> Scaled:
    """One method's columns; records of different subdomains are told apart by the columns that define these."""
    x, y = view.known.matrix(part.columns), view.released.matrix(part.columns)
    known, found = np.zeros(x.shape), np.zeros(y.shape)
    ways: dict[str, Floats] = {}
    for mine, theirs in each_domain(view, part.by):
        if not len(theirs):
            continue  # nothing was released that could be theirs
        one = scale(part, x[mine], view.released.take(theirs))
        known[mine], found[theirs] = one.known, one.found
        for way, values in one.ways.items():
            ways.setdefault(way, y.copy())[theirs] = values
    return Scaled(known, found, ways)
