"""Arithmetic whose result depends on the numbers alone: not on the order of records, threads, BLAS or processor.

- `angles`: `angle_of`, `arc_with`, `point_at`
- `products`: `times`
- `small`: `eigh`, `svd`, `cholesky`, `qr`, `triangle`, `solve_lower`, `solve`, `complete`
- `sums`: `Grid`, `CrossSums`, `ExactMoments`, `exact_means`, `exact_product`
"""

__all__ = ["angles", "products", "small", "sums"]
