"""Mixtures of normal and t distributions: starts, fits, the choice among them, and draws.

- `draw`: `redraw_clusters`
- `em`: `floor_weights`, `log_memberships`
- `passes`: `normalise_rows`
- `search`: `free_columns`, `search_mixtures`

Parts of these: `families`, `hierarchy`, `kmeans`, `tails`.
"""

__all__ = ["draw", "em", "families", "hierarchy", "kmeans", "passes", "search", "tails"]
