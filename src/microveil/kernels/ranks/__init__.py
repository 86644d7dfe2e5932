"""Ranks, normal scores, and partners near in rank.

- `scores`: `ordinal_ranks`, `normal_scores`, `reverse_map`
- `swap`: `partners_argus`, `partners_uniform`
"""

__all__ = ["scores", "swap"]
