"""Trees of points: nearest and farthest records, blocks of neighbours, spanning trees.

- `blocks`: `cut_at_medians`, `order_in_blocks`, `label_blocks`
- `box_tree`: `Tree`, `fits_index`, `plant`, `remove`
- `centres`: `place_centre`, `choose_centre`, `free_centre`
- `farthest`: `find_farthest`
- `halving_tree`: `Tree`, `build_tree`, `remove`, `nearest`, `farthest`
- `halves`: `Halves`, `halve`
- `leaves`: `split_rows`, `widest`, `select`
- `nearest`: `find_nearest`
- `spanning`: `spanning_tree`, `find`
"""

__all__ = ["blocks", "box_tree", "centres", "farthest", "halves", "halving_tree", "leaves", "nearest", "spanning"]
