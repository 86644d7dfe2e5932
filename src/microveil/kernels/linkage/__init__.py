"""Record linkage: is the true partner the nearest, how well do pairs agree, and who would rather have another one?

- `partners`: `Cells`, `CellTree`, `numbers`, `tied_with_partner`, `nearest_cells`, `plant`, `all_distances`
- `patterns`: `count_patterns`, `fit_agreement`
- `prices`: `better_points`
"""

__all__ = ["partners", "patterns", "prices"]
