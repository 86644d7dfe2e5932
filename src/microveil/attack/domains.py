"""Subdomains of both files: a method acts inside each of them, and its traces are read there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from microveil.attack.view import View
from microveil.core.arrays import Ints
from microveil.kernels.tables.classes import group_rows
from microveil.measure.keys import common_codes


class Domain(NamedTuple):
    """The rows of one subdomain in both files."""

    sought: Ints
    released: Ints


def domains_of(view: View, by: Sequence[str]) -> tuple[Ints, Ints]:
    """The subdomain of each known and of each released record."""
    if not by:
        return np.zeros(view.known.rows, dtype=np.int64), np.zeros(view.released.rows, dtype=np.int64)
    codes = np.vstack(common_codes(view.known.only(by), view.released.only(by)))
    labels = group_rows(codes)[0]
    return labels[: view.known.rows], labels[view.known.rows :]


def each_domain(view: View, by: Sequence[str]) -> Iterator[Domain]:
    """The subdomains of either file; in one of them nobody may be sought, or nothing released."""
    of_known, of_released = domains_of(view, by)
    for domain in np.union1d(of_known, of_released):
        yield Domain(np.flatnonzero(of_known == domain), np.flatnonzero(of_released == domain))
