"""Regression models with draws of their parameters, and trees.

- `models`: `draw_normal_model`, `draw_multinomial_model`, `draw_multinomial`, `draw_count_model`, `count_means`
- `counts`: `poisson_quantiles`
- `ordinal`: `draw_ordinal_model`, `draw_ordinal`
- `products`: `combine_terms`, `total_terms`, `fill_terms`
- `trees`: `Tree`, `Predictors`, `grow_tree`, `find_leaves`
"""

__all__ = ["counts", "models", "ordinal", "products", "trees"]
