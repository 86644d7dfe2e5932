"""Which cells to blank so that every record is like at least k.

- `own`: `suppress_own`
- `wildcard`: `suppress_wildcard`

Parts of these: `lines`.
"""

__all__ = ["lines", "own", "wildcard"]
