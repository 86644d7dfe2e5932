"""Rotations of a few records that keep sums and sums of products, inside linear bounds.

- `feasible`: `Bounds`, `Drawn`, `draw_feasible`
- `arcs`: `add_arc`, `sort_arcs`, `draw_free`, `nearest_free`
- `kept`: `walk_beside_kept`, `residuals_in_groups`
- `near`: `draw_near`, `sweep_towards`
- `triples`: `walk_in_groups`, `two_others`, `blocked_arcs`, `turn_three`, `mark_turned`, `pass_on`
"""

__all__ = ["arcs", "feasible", "kept", "near", "triples"]
