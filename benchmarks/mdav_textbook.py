"""MDAV as the textbooks write it, compiled: row-major records, every query a full scan of the records left.

The scans are as lean as a plain compiled loop gets: records left lie side by side (a grouped record is replaced by the
last one), so no scan meets a grouped record or goes through an index array.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def mdav_textbook(X, k, rounds):
    """Labels after at most `rounds` rounds of two groups, all of them when rounds is negative; and what is left."""
    n = X.shape[0]
    labels = np.full(n, -1)
    data, rows = X.copy(), np.arange(n)
    left, label = n, 0
    while left >= 2 * k and rounds != 0:
        rounds -= 1
        r = rows[farthest(data, rows, left, centroid(data, left), -1)]
        s = -1
        if left >= 3 * k:
            s = rows[farthest(data, rows, left, X[r], r)]
        for seed in (r, s):
            if seed >= 0:
                left = take_group(data, rows, left, X[seed], seed, s if seed == r else -1, k, labels, label)
                label += 1
    if rounds != 0:
        labels[rows[:left]] = label
    return labels, left


@njit(cache=True)
def centroid(data, left):
    total = np.zeros(data.shape[1])
    for i in range(left):
        for j in range(data.shape[1]):
            total[j] += data[i, j]
    return total / left


@njit(cache=True)
def distance(x, y):
    total = 0.0
    for j in range(x.shape[0]):
        total += (x[j] - y[j]) * (x[j] - y[j])
    return total


@njit(cache=True)
def farthest(data, rows, left, point, but):
    best, largest = -1, -1.0
    for i in range(left):
        d = distance(data[i], point)
        if d >= largest and rows[i] != but and (d > largest or rows[i] < rows[best]):
            best, largest = i, d
    return best


@njit(cache=True)
def take_group(data, rows, left, point, seed, spare, k, labels, label):
    """One scan for the k-1 nearest of the seed; grouped records are replaced by the last ones."""
    nearest, members = np.full(k - 1, np.inf), np.full(k - 1, data.shape[0])
    for i in range(left):
        d = distance(data[i], point)
        row = rows[i]
        closer = d < nearest[k - 2] or (d == nearest[k - 2] and row < members[k - 2])
        if closer and row != seed and row != spare:
            m = k - 2
            while m > 0 and (nearest[m - 1] > d or (nearest[m - 1] == d and members[m - 1] > row)):
                nearest[m], members[m] = nearest[m - 1], members[m - 1]
                m -= 1
            nearest[m], members[m] = d, row
    labels[seed] = label
    labels[members] = label
    i = 0
    while i < left:
        if labels[rows[i]] == label:
            left -= 1
            rows[i] = rows[left]
            data[i] = data[left]
        else:
            i += 1
    return left
