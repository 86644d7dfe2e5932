"""Bases, projections and roots with scale-free rank decisions, and affine maps to exact moments.

- `bases`: `orthonormal_basis`, `project_off`, `orthonormalise`, `factor`, `symmetric_root`, `haar`,
  `correlation_scale`
- `recolour`: `recolour`
"""

__all__ = ["bases", "recolour"]
