"""Generalised records: which of them become equal, without looking at any record twice.

- `joining`: `row_keys`, `number_keys`
"""

__all__ = ["joining"]
