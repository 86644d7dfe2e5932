"""Mixtures of normal and t distributions: starts, fits, the choice among them, and draws.

- `draw`: `redraw_clusters`
- `em`: `Densities`, `Fit`, `densities_of`, `floor_weights`, `log_joint_into`, `log_memberships`
- `passes`: `normalise_rows`
- `search`: `Search`, `free_columns`, `search_mixtures`

Parts of these: `families`, `hierarchy`, `kmeans`, `tails`.
"""

__all__ = ["draw", "em", "families", "hierarchy", "kmeans", "passes", "search", "tails"]
