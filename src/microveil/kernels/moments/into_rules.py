"""Records put into linear rules by the smallest change, each by itself."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.compiling import compiled

_FOUND = 1e-12  # of the size of a record's amounts: what a rule may still be missed by
_INSIDE = 1e-10  # of the same: how far inside an inner rule a record is put, so that doubles keep it
_DEPENDENT = 1e-9  # of the length 1 of a rule: what is left of it beside others that it follows from
_SAME = 1e-11  # of the same: what a rule may be missed by that follows from others
_SMALL = 0.01  # of the largest amount of the record: an amount counts as at least so large
_STEPS = 50  # for each rule; a few are enough unless rounding goes round in a circle


def project_into(X: Floats, forms: Floats, constants: Floats, equal: Bools, inner: Bools) -> tuple[Floats, Bools]:
    """The nearest rows with forms x + constants at least 0 (`equal`: exactly 0), and for which of them it was found.

    Distances are relative to the amounts of the row, so that large amounts give way more than small ones. Constants:
    one row each; a rule whose constant is a gap does not bind the row, and neither does one with a gap among its
    columns. A row ends a little inside the rules that are `inner`, and exactly at the end of others of one column. The
    way is that of Goldfarb and Idnani (1983): rules are met one after the other, and those let go that no longer press.
    """
    return _project(X, forms, constants, equal, inner, (forms != 0).sum(axis=1) == 1)


@compiled
def _project(
    X: Floats, forms: Floats, constants: Floats, equal: Bools, inner: Bools, single: Bools
) -> tuple[Floats, Bools]:
    n, p = X.shape
    m = len(forms)
    new, found = X.copy(), np.zeros(n, np.bool_)
    scale, way, aim = np.empty(p), np.zeros((m, p)), np.empty(m)
    binds, presses, z = np.empty(m, np.bool_), np.empty(m, np.bool_), np.empty(p)
    for i in range(n):
        largest = 0.0
        for j in range(p):
            if not np.isnan(X[i, j]):
                largest = max(largest, abs(X[i, j]))
        for j in range(p):
            scale[j] = 1.0 if largest == 0.0 else max(abs(X[i, j]), _SMALL * largest)
        for b in range(m):
            # rules of the change in units of the scale, each of length 1
            length, slack, missing = 0.0, constants[i, b], np.isnan(constants[i, b])
            for j in range(p):
                way[b, j] = 0.0
                if forms[b, j] != 0.0:
                    missing |= np.isnan(X[i, j])
                    slack += forms[b, j] * X[i, j]
                    way[b, j] = forms[b, j] * scale[j]
                    length += way[b, j] * way[b, j]
            binds[b] = not missing and length > 0.0
            if binds[b]:
                length = np.sqrt(length)
                for j in range(p):
                    way[b, j] /= length
                aim[b] = -slack / length + (_INSIDE if inner[b] else 0.0)
        found[i] = _shortest(way, aim, binds, equal, presses, z)
        if not found[i]:
            # rules that meet on one face have no inside
            for b in range(m):
                aim[b] -= _INSIDE if inner[b] else 0.0
            found[i] = _shortest(way, aim, binds, equal, presses, z)
        if not found[i]:
            continue
        for j in range(p):
            if z[j] != 0.0:
                new[i, j] = X[i, j] + scale[j] * z[j]
        for b in range(m):
            if binds[b] and single[b] and not inner[b]:
                for j in range(p):
                    # also what is too little to be missed among large amounts
                    if forms[b, j] != 0.0 and (presses[b] or forms[b, j] * new[i, j] + constants[i, b] < 0.0):
                        new[i, j] = -constants[i, b] / forms[b, j] + 0.0
    return new, found


@compiled
def _shortest(way: Floats, aim: Floats, binds: Bools, equal: Bools, presses: Bools, z: Floats) -> bool:
    """The shortest z with way z at least aim (equal: exactly), and which rules press; whether there is one."""
    m, p = way.shape
    active, normals, pull = np.empty(p, np.int64), np.empty((p, p)), np.empty(p)
    held, steps = 0, 0
    presses[:] = False
    z[:] = 0.0
    while True:
        wanted, short = _most_missed(way, aim, z, binds, equal, presses)
        if wanted < 0:
            return True
        sign = 1.0 if short > 0.0 else -1.0
        normal, own = sign * way[wanted], 0.0
        while True:
            steps += 1
            if steps > _STEPS * (m + 1):
                return False
            along, rest = _split(normals[:held], normal)
            free = _dot(rest, rest)
            let_go, limit = -1, np.inf
            for h in range(held):
                if along[h] > 0.0 and not equal[active[h]] and pull[h] / along[h] < limit:
                    let_go, limit = h, pull[h] / along[h]
            step = (sign * aim[wanted] - _dot(normal, z)) / free if free > _DEPENDENT**2 else np.inf
            if step == np.inf and limit == np.inf:
                if abs(short) > _SAME:
                    return False
                binds[wanted] = False  # it follows from others, which doubles keep as well as they can
                break
            taken = min(step, limit)
            if step < np.inf:
                for j in range(p):
                    z[j] += taken * rest[j]
            for h in range(held):
                pull[h] -= taken * along[h]
            own += taken
            if step <= limit:
                active[held], normals[held], pull[held] = wanted, normal, own
                presses[wanted] = True
                held += 1
                break
            presses[active[let_go]] = False
            _close_up(active, normals, pull, let_go, held)
            held -= 1


@compiled
def _most_missed(way: Floats, aim: Floats, z: Floats, binds: Bools, equal: Bools, presses: Bools) -> tuple[int, float]:
    """The rule that is missed by most, those with = first, and by how much; -1 if none is."""
    worst, by = -1, 0.0
    for b in range(len(way)):
        if binds[b] and not presses[b] and (equal[b] or worst < 0 or not equal[worst]):
            short = aim[b] - _dot(way[b], z)
            off = abs(short) if equal[b] else short
            if off > _FOUND and (worst < 0 or (equal[b] and not equal[worst]) or off > abs(by)):
                worst, by = b, short
    return worst, by


@compiled
def _split(normals: Floats, normal: Floats) -> tuple[Floats, Floats]:
    """A direction as a combination of others, and what is left of it."""
    held, p = normals.shape
    basis, upper = np.zeros((held, p)), np.zeros((held, held))
    for h in range(held):
        basis[h] = normals[h]
        for _ in range(2):
            for before in range(h):
                along = _dot(basis[h], basis[before])
                upper[before, h] += along
                for j in range(p):
                    basis[h, j] -= along * basis[before, j]
        upper[h, h] = np.sqrt(_dot(basis[h], basis[h]))
        for j in range(p):
            basis[h, j] /= upper[h, h]
    rest, found = normal.copy(), np.zeros(held)
    for _ in range(2):
        for h in range(held):
            along = _dot(rest, basis[h])
            found[h] += along
            for j in range(p):
                rest[j] -= along * basis[h, j]
    for h in range(held - 1, -1, -1):
        for after in range(h + 1, held):
            found[h] -= upper[h, after] * found[after]
        found[h] /= upper[h, h]
    return found, rest


@compiled
def _close_up(active: Ints, normals: Floats, pull: Floats, gone: int, held: int) -> None:
    for h in range(gone, held - 1):
        active[h], normals[h], pull[h] = active[h + 1], normals[h + 1], pull[h + 1]


@compiled
def _dot(x: Floats, y: Floats) -> float:
    total = 0.0
    for j in range(len(x)):
        total += x[j] * y[j]
    return total
