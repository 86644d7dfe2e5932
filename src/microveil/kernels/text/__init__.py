"""Bytes of text files.

- `csv_rows`: `scan_rows`
"""

__all__ = ["csv_rows"]
