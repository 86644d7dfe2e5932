"""What is to be known of all records, from parts of them that merge exactly: any split, any order, the same bytes.

- `summary`: `Summary`, `merge_all`
- `extremes`: `Extremes`
- `counts`: `Counts`
- `distinct`: `Distinct`
- `order`: `Order`
- `together`: `Together`

Sums are those of `kernels.fixed.sums`.
"""

__all__ = ["counts", "distinct", "extremes", "order", "summary", "together"]
