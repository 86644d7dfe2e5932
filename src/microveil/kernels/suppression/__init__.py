"""Which cells to blank so that every record is like at least k.

- `own`: `suppress_own`
- `wildcard`: `suppress_wildcard`
- `pieces`: `Pieces`

Parts of these: `lines`.
"""

__all__ = ["lines", "own", "pieces", "wildcard"]
