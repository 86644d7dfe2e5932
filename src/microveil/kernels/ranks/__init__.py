"""Ranks, normal scores, and partners near in rank.

- `scores`: `ordinal_ranks`, `order_by_words`, `normal_scores`, `random_rank_order`, `reverse_map`
- `in_groups`: `order_in_groups`, `partners_in_groups`
- `places`: `rank_intervals`
- `segments`: `Segments`
- `selecting`: `select_in_place`
- `swap`: `partners_argus`, `partners_uniform`
"""

__all__ = ["in_groups", "places", "scores", "segments", "selecting", "swap"]
