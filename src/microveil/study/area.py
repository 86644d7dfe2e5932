"""Geometry of loss and risk: who is beaten, how far behind, and the area that the best leave below a corner."""

from __future__ import annotations

from collections.abc import Sequence

from microveil.study.measuring import Point

_WEIGHTS = (0.2, 0.35, 0.5, 0.65, 0.8)  # of loss, the rest being that of risk: nobody cares for one of them alone


def edge_of(points: Sequence[Point]) -> list[Point]:
    """The points that no other beats in both, by increasing loss; equal ones once.

    >>> edge_of([(2.0, 2.0), (1.0, 3.0), (3.0, 2.5), (1.0, 3.0)])
    [(1.0, 3.0), (2.0, 2.0)]
    """
    edge: list[Point] = []
    for point in sorted(set(points)):
        if not edge or point[1] < edge[-1][1]:
            edge.append(point)
    return edge


def area_beaten(edge: Sequence[Point], corner: Point) -> float:
    """The area between the corner and the points, each of which beats everything above and to the right of it.

    >>> area_beaten([(1.0, 3.0), (2.0, 2.0)], (4.0, 4.0))
    5.0
    """
    total, height = 0.0, corner[1]
    for loss, risk in edge:
        if loss < corner[0] and risk < height:
            total += (corner[0] - loss) * (height - risk)
            height = risk
    return total


def behind(point: Point, edge: Sequence[Point]) -> float:
    """How much worse a point is than the best of the edge, for whoever weighs loss and risk most in its favour.

    >>> round(behind((2.0, 4.0), [(1.0, 3.0)]), 9), behind((1.0, 3.0), [(1.0, 3.0), (2.0, 2.0)])
    (1.0, 0.0)
    """
    if not edge:
        return 0.0
    return max(0.0, min(_weighed(point, weight) - min(_weighed(one, weight) for one in edge) for weight in _WEIGHTS))


def _weighed(point: Point, weight: float) -> float:
    return weight * point[0] + (1 - weight) * point[1]
