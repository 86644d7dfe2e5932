"""Random numbers with prescribed moments, ranks or sums.

- `frames`: `are_constant`, `standardise_columns`, `explained_columns`, `remove_span`, `span_columns`,
  `orthogonal_rows`, `draw_frame`
- `groups`: `ipso_in_groups`, `free_dimensions`, `determined_columns`, `runs_of_groups`
- `latin`: `latin_hypercube`, `spearman`, `nearest_correlation`
- `linear`: `ipso`, `cholesky_synthesis`, `smoothed_bootstrap`, `refuse_few_records`, `refuse_too_few`,
  `refuse_explained`
- `noise`: `exact_noise`
- `pooled`: `ipso_pooled`
- `signs`: `balancing_signs`
"""

__all__ = ["frames", "groups", "latin", "linear", "noise", "pooled", "signs"]
