"""Angles by sums, products and square roots alone: those of the C library differ by processor in the last bit."""

from __future__ import annotations

import numpy as np

from microveil.core.compiling import compiled

_QUARTER = np.pi / 2


@compiled
def angle_of(y: float, x: float) -> float:
    """The angle between -pi and pi of the point (x, y), as arctan2."""
    along, across = abs(x), abs(y)
    if along == 0.0 and across == 0.0:
        return 0.0
    angle = _small_angle(across / along) if across <= along else _QUARTER - _small_angle(along / across)
    if x < 0.0:
        angle = np.pi - angle
    return -angle if y < 0.0 else angle


@compiled
def arc_with(cosine: float) -> float:
    """The angle between 0 and pi that has a cosine, as arccos; one beyond 1 or -1 counts as these."""
    inside = min(max(cosine, -1.0), 1.0)
    return angle_of(np.sqrt((1.0 - inside) * (1.0 + inside)), inside)


@compiled
def point_at(angle: float) -> tuple[float, float]:
    """Cosine and sine of an angle of a few turns at most."""
    quarters = int(np.floor(angle / _QUARTER + 0.5))
    a = angle - quarters * _QUARTER
    z = a * a
    # the series of both to the term below half a unit in the last place at an eighth of a turn
    cosine, sine = 0.0, 0.0
    for k in range(9, 0, -1):
        cosine = z * (1.0 - cosine) / ((2 * k - 1) * (2 * k))
        sine = z * (1.0 - sine) / ((2 * k) * (2 * k + 1))
    cosine, sine = 1.0 - cosine, a * (1.0 - sine)
    turned = quarters % 4
    if turned == 0:
        return cosine, sine
    if turned == 1:
        return -sine, cosine
    if turned == 2:
        return -cosine, -sine
    return sine, -cosine


@compiled
def _small_angle(slope: float) -> float:
    """The angle of a slope between 0 and 1: halved twice, then by its series."""
    z = slope / (1.0 + np.sqrt(1.0 + slope * slope))
    z = z / (1.0 + np.sqrt(1.0 + z * z))
    square = z * z
    total = 0.0
    for k in range(23, 1, -2):
        total = square * (1.0 / k - total)
    return float(4.0 * z * (1.0 - total))
