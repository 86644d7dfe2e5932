"""Who goes with whom: records to clusters of a least size, points to points.

- `pairing`: `pair_nearest`, `pair_greedy`, `pair_assignment`
- `sizes`: `assign_at_least`
"""

__all__ = ["pairing", "sizes"]
