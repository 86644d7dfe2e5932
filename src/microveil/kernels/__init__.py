"""Numerical kernels: arrays in, arrays out.

One subpackage for each thing that is computed; its docstring lists what it offers, `docs/kernels.md` says under which
contracts. Import from the module (`from microveil.kernels.tables.classes import group_rows`), inside the function that
needs it where the kernel is compiled: nothing here is loaded before it is used.
"""
