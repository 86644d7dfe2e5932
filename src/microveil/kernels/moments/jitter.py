"""Errors for the statistics of groups, so that they do not give a last unknown member away; one group at a time.

Columns are held as rows, as in `group_frames`.
"""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.compiling import compiled


# The bound holds for each kind of statistic: an intruder who combines means and squares does somewhat better.
@compiled
def shift_of_fit(scaled: Floats, kept: Floats, jitter: float, noise: Floats) -> Floats:
    """What is added to the fitted values of a group; `noise` has a row for each record.

    Coefficients on an orthonormal basis of the constant and S get normal errors of standard deviation
    jitter * sqrt(h), h the largest leverage in the group: then no record, whatever its own leverage, is better known
    from all of them together than up to `jitter`. Without S, h = 1/n and the mean moves by jitter/n. Errors of
    columns correlate as the columns do, which keeps linear relations.
    """
    p, n = scaled.shape
    largest = 0.0
    for i in range(n):
        leverage = 0.0
        for c in range(len(kept)):
            leverage += kept[c, i] * kept[c, i]
        largest = max(largest, leverage)
    size = jitter * np.sqrt((1.0 / n + largest) / n)
    shift = np.zeros((p, n))
    for j in range(p):
        for c in range(1 + len(kept)):
            error = 0.0
            for i in range(n):
                error += noise[i, c] * scaled[j, i]
            error *= size
            for i in range(n):
                shift[j, i] += error / np.sqrt(n) if c == 0 else error * kept[c - 1, i]
    return shift


@compiled
def stretch_parts(parts: Floats, rows: Floats, residual: Floats, jitter: float, normals: Floats) -> Floats:
    """Components F of residuals made F (1 + PHP), P the projection on the rows of F and H symmetric and random.

    The law of H does not depend on the basis, so that every residual sum of squares q moves by a standard deviation of
    at least 2 q jitter z / n, z the largest standardised residual of the group: solved for a record with residual r,
    whose square is a part of q, this is an error of at least `jitter` residual standard deviations.
    """
    p, n = residual.shape
    largest = 0.0
    for j in range(p):
        square, high = 0.0, 0.0
        for i in range(n):
            square += residual[j, i] * residual[j, i]
            high = max(high, abs(residual[j, i]))
        if square > 0:
            largest = max(largest, high / np.sqrt(square / n))
    H = np.zeros((p, p))
    for a in range(p):
        for b in range(p):
            H[a, b] = (normals[a * p + b] + normals[b * p + a]) / 2 * (jitter * largest / n)
    moved = _product(_product(_product(parts, H), rows.T.copy()), rows)
    return parts + moved


@compiled
def _product(A: Floats, B: Floats) -> Floats:
    result = np.zeros((A.shape[0], B.shape[1]))
    for i in range(A.shape[0]):
        for k in range(A.shape[1]):
            for j in range(B.shape[1]):
                result[i, j] += A[i, k] * B[k, j]
    return result
