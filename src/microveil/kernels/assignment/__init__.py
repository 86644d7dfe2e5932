"""Who goes with whom: records to clusters of a least size, points to points.

- `offered`: `Offered`, `Taken`, `nobody_served`, `serve`
- `pairing`: `pair_nearest`, `pair_greedy`, `pair_assignment`
- `sizes`: `assign_at_least`
"""

__all__ = ["offered", "pairing", "sizes"]
