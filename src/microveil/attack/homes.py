"""Who lives with whom, in both files of an intruder, by numbers that mean nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Ints
from microveil.kernels.tables.classes import group_rows


@dataclass(frozen=True)
class Homes:
    """The household of each known and of each released record; numbers of one file say nothing about the other."""

    known: Ints
    released: Ints


def number_homes(codes: Ints) -> Ints:
    """The household of each record as 0, 1, ...; one without any (-1) is a household of its own.

    >>> number_homes(np.array([7, -1, 7, -1])).tolist()
    [0, 1, 0, 2]
    """
    alone = int(codes.max(initial=-1)) + 1 + np.arange(len(codes))
    return np.unique(np.where(codes >= 0, codes, alone), return_inverse=True)[1].reshape(-1)


def hide_numbers(homes: Ints) -> Ints:
    """The same households, numbered as they appear: the order of their own numbers is gone.

    >>> hide_numbers(np.array([5, 2, 5, 9])).tolist()
    [0, 1, 0, 2]
    """
    _, first, which = np.unique(homes, return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    return place[which.reshape(-1)]


def members_by_size(homes: Ints) -> dict[int, Ints]:
    """For each size of households the rows of their members, one household in a line."""
    order, sizes = np.argsort(homes, kind="stable"), np.bincount(homes)
    start = np.cumsum(sizes) - sizes
    return {int(size): order[start[sizes == size][:, None] + np.arange(size)] for size in np.unique(sizes[sizes > 0])}


def classes_together(classes: Ints, homes: Ints) -> Ints:
    """Classes of records that are equal and live with equal ones, given the classes of equal records.

    >>> classes_together(np.array([0, 1, 0, 1, 0, 2]), np.array([0, 0, 1, 1, 2, 2])).tolist()
    [0, 2, 0, 2, 1, 3]
    """
    of_home, size_of = np.empty_like(classes), np.empty_like(classes)
    for size, rows in members_by_size(homes).items():
        of_home[rows] = group_rows(np.sort(classes[rows], axis=1))[0][:, None]
        size_of[rows] = size
    return group_rows(np.column_stack([classes, size_of, of_home]))[0]
