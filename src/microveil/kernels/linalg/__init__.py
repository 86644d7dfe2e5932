"""Bases, projections and roots with scale-free rank decisions, and affine maps to exact moments.

- `bases`: `orthonormal_basis`, `project_off`, `orthonormalise`, `factor`, `symmetric_root`, `pseudo_inverse`,
  `right_inverse`, `column_norms`, `haar`,
  `correlation_scale`
- `recolour`: `recolour`
"""

__all__ = ["bases", "recolour"]
