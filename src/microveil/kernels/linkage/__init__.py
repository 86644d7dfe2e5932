"""Record linkage: is the true partner the nearest, how well do pairs agree, and who would rather have another one?

- `boxes`: `Boxes`, `Meeting`, `find_meeting`
- `largest`: `Nearest`, `nearest_by_largest`
- `partners`: `Cells`, `CellTree`, `numbers`, `tied_with_partner`, `nearest_cells`, `plant`, `all_distances`,
  `nominal_steps`
- `patterns`: `count_patterns`, `fit_agreement`
- `prices`: `better_points`
- `scan`: `scan_nearest`
"""

__all__ = ["boxes", "largest", "partners", "patterns", "prices", "scan"]
