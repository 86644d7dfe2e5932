"""Arithmetic whose result depends on the numbers alone: not on order of records, threads, BLAS or processor.

`sums`: sums and cross-products over records, exact until one last rounding. `products`: rows times a small matrix, in
a fixed order. `small`: decompositions of small matrices by loops of fixed order.
"""
