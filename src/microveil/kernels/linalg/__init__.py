"""Bases, projections and roots with scale-free rank decisions, and affine maps to exact moments.

- `bases`: `orthonormal_basis`, `project_off`, `project_off_in_place`, `orthonormalise`, `factor`, `symmetric_root`,
  `pseudo_inverse`, `right_inverse`, `column_norms`, `correlation_scale`, `plainly_independent`, `is_rough`
- `recolour`: `recolour`, `AffineMap`, `nearest_maps`
"""

__all__ = ["bases", "recolour"]
