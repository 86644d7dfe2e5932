"""Distances and averages of records: exact Euclidean ones that engines share, and those of attributes of any kind.

- `exact`: `padded`, `squared_distances`, `squared_distance`, `add_to_sums`, `start_sums`, `insert_nearest`
- `mixed`: `MixedMetric`, `mixed_metric`, `hierarchy_table`, `hierarchy_pairs`, `squared_distance`, `average_rows`,
  `lower_median`, `central_category`, `record_distances`, `average`
- `mixed_groups`: `average_groups`
- `near_copies`: `find_near_copies`
"""

__all__ = ["exact", "mixed", "mixed_groups", "near_copies"]
