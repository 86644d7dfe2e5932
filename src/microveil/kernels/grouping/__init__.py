"""Partitions of records into groups of at least k, other than MDAV.

- `anonymous_boxes`: `Rules`, `mondrian`
- `branches`: `mst_groups`
- `consensus`: `intersection`, `merge_small`
- `cuts`: `optimal_cuts`, `consecutive`, `tie_boundaries`
- `forest`: `mu_approx`
- `k_modes`: `k_modes`
- `mondrian`: `mondrian_groups`
- `orders`: `nearest_point_next`, `centroid_based`, `maximum_distance`, `mdav_order`
- `pieces`: `split_large`
- `single_values`: `optimal_groups`
- `variable`: `vmdav`, `condensation`
"""

__all__ = [
    "anonymous_boxes",
    "branches",
    "consensus",
    "cuts",
    "forest",
    "k_modes",
    "mondrian",
    "orders",
    "pieces",
    "single_values",
    "variable",
]
