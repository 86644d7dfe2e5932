"""Arithmetic whose result depends on the numbers alone: not on the order of records, threads, BLAS or processor.

- `angles`: `angle_of`, `arc_with`, `point_at`
- `group_sums`: `exact_variances_in_groups`, `extremes_in_groups`
- `products`: `times`
- `small`: `eigh`, `svd`, `cholesky`, `qr`, `triangle`, `solve_lower`, `solve`, `complete`
- `squares`: `squares_and_totals`, `round_variance`, `ratio`, `join_slices`, `slices_of`
- `sums`: `Grid`, `CrossSums`, `ExactMoments`, `exact_means`, `exact_product`, `exact_variances`
"""

__all__ = ["angles", "group_sums", "products", "small", "squares", "sums"]
