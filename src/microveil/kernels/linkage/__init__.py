"""Record linkage: is the true partner the nearest, how well do pairs agree, and who would rather have another one?

- `boxes`: `Boxes`, `Meeting`, `find_meeting`
- `cells`: `Cells`, `numbers`, `part_of_distance`, `difference`, `distance`, `all_distances`, `nominal_steps`
- `largest`: `Nearest`, `nearest_by_largest`
- `odds`: `OddsSide`, `Prices`, `least_costs`, `all_costs`
- `partners`: `CellTree`, `tied_with_partner`, `nearest_cells`, `in_blocks`, `plant`
- `patterns`: `count_patterns`, `fit_agreement`
- `prices`: `better_points`
- `scan`: `scan_nearest`
- `sweep`: `tiles_of`, `ties_by_sweep`
"""

__all__ = ["boxes", "cells", "largest", "odds", "partners", "patterns", "prices", "scan", "sweep"]
