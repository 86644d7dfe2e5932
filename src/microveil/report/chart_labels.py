"""Where a label fits beside a point."""

from __future__ import annotations

import math
from collections.abc import Sequence

Box = tuple[float, float, float, float]

_RINGS = (13.0, 17.0, 24.0, 33.0, 44.0)
_DIRECTIONS = 16
_ABOVE, _BELOW = 11.0, 2.0  # of the line that a label stands on


def free_place(x: float, y: float, width: float, room: Box, taken: Sequence[Box]) -> tuple[float, float, Box] | None:
    """Left end, base line and box of a label near a point, inside the room and clear of what is taken.

    Nearer places come first, those to the right of the point before others. None where every place is taken.
    """
    for ring in _RINGS:
        for step in range(_DIRECTIONS):
            turn = 2 * math.pi * ((step + 1) // 2) * (-1 if step % 2 else 1) / _DIRECTIONS
            middle = x + (ring + width / 2 - 6) * math.cos(turn)
            base = y + ring * math.sin(turn) + (_ABOVE - _BELOW) / 2
            box = (middle - width / 2 - 1, base - _ABOVE, middle + width / 2 + 1, base + _BELOW)
            inside = box[0] >= room[0] and box[1] >= room[1] and box[2] <= room[2] and box[3] <= room[3]
            if inside and not any(_overlap(box, other) for other in taken):
                return box[0] + 1, base, box
    return None


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
