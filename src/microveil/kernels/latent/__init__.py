"""Latent class regression: categories that depend on numbers through hidden classes.

- `classes`: `LatentClassFit`, `fit_latent_classes`, `log_memberships`
- `draw`: `draw_categories`, `rearrange_categories`

Parts of these: `floor`, `prior`.
"""

__all__ = ["classes", "draw", "floor", "prior"]
