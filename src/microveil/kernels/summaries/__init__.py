"""What is to be known of all records, from parts of them that merge exactly: any split, any order, the same bytes.

- `summary`: `Summary`, `merge_all`
- `extremes`: `Extremes`
- `complete`: `CompleteSums`, `complete_rows`, `usable_ends`
- `counts`: `Counts`
- `distinct`: `Distinct`
- `order`: `Order`
- `rows`: `CountedRows`
- `smallest`: `FirstPlaces`
- `together`: `Together`

Sums are those of `kernels.fixed.sums`.
"""

__all__ = ["complete", "counts", "distinct", "extremes", "order", "rows", "smallest", "summary", "together"]
