"""Columns of categories that stay together: what may be listed."""

from __future__ import annotations

from collections.abc import Sequence

from microveil.core.errors import BadInput
from microveil.data.schema import check_names
from microveil.data.table import Table

Blocks = Sequence[Sequence[str]]


def check_category_blocks(blocks: Blocks) -> None:
    """Every block names columns, and no column is in two."""
    if not all(blocks):
        raise BadInput("a list in blocks is empty; name at least one column in each")
    listed = [name for block in blocks for name in block]
    twice = sorted({name for name in listed if listed.count(name) > 1})
    if twice:
        raise BadInput(f"blocks name {twice} more than once; put each column into one list")


def check_block_columns(blocks: Blocks, table: Table) -> None:
    """What stays together are categories that are replaced."""
    listed = [name for block in blocks for name in block]
    check_names(listed, list(table.names), "blocks")
    amounts = [name for name in listed if table[name].levels is None]
    if amounts:
        raise BadInput(f"blocks name {amounts}, which are continuous; state their kind as ordinal, or leave them out")
