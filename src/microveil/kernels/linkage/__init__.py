"""Record linkage: is the true partner the nearest, and how well do pairs agree?

- `partners`: `Cells`, `numbers`, `tied_with_partner`, `nearest_cells`, `all_distances`
- `patterns`: `count_patterns`, `fit_agreement`
"""

__all__ = ["partners", "patterns"]
