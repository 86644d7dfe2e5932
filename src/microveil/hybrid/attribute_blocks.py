"""Subdomains of records and attributes: which columns are protected together, and for which records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from microveil.core.errors import BadInput
from microveil.core.parameters import nearest
from microveil.data.microdata import Microdata
from microveil.data.table import Table, Values
from microveil.mask.blocks import Blocks, blocks_in_order, check_blocks

BlocksOf = Mapping[str, Blocks]


def common_blocks(blocks: int | Blocks | BlocksOf | None, names: tuple[str, ...]) -> Blocks:
    """The columns that are together in every subdomain."""
    if not isinstance(blocks, Mapping):
        return same_blocks(blocks, names)
    cuts = [check_blocks(own, names) for own in blocks.values()]
    where = {name: tuple(_number_of(name, cut) for cut in cuts) for name in names}
    found: dict[tuple[int, ...], tuple[str, ...]] = {}
    for name in names:
        found[where[name]] = (*found.get(where[name], ()), name)
    return tuple(found.values())


def same_blocks(blocks: int | Blocks | None, names: tuple[str, ...]) -> Blocks:
    """The blocks of a file in which they are the same for all records."""
    if blocks is None:
        return (names,)
    return blocks_in_order(names, blocks) if isinstance(blocks, int) else check_blocks(blocks, names)


def blocks_of_records(blocks: BlocksOf, names: tuple[str, ...], around: Table) -> Blocks:
    """The blocks of the first subdomain listed in which all these records are; all columns together without one."""
    for label, own in blocks.items():
        column = _column_of(label, around.names)
        inside = _has(around[column], label[len(column) + 1 :])
        if inside.all():
            return check_blocks(own, names)
        if inside.any():
            raise BadInput(
                f"blocks names the subdomain {label!r} and only {int(inside.sum())} of {around.rows} records are in"
                f" it; run the method inside subdomains with by={column!r}"
            )
    return (names,)


def columns_of_labels(blocks: BlocksOf, data: Microdata) -> tuple[str, ...]:
    """The columns that the labels of subdomains speak of; a label that no record has is an error."""
    found = []
    for label in blocks:
        column = _column_of(label, data.columns)
        known = [f"{column}={level}" for level in data.encoded(column).levels]
        if label not in known and label != f"{column}=missing":
            raise BadInput(f"blocks names the subdomain {label!r} and no record is in it{nearest(label, known)}")
        found.append(column)
    return tuple(dict.fromkeys(found))


def _number_of(name: str, cut: Blocks) -> int:
    return next(number for number, block in enumerate(cut) if name in block)


def _column_of(label: str, columns: Sequence[str]) -> str:
    fitting = [column for column in columns if label.startswith(f"{column}=")]
    if not fitting:
        raise BadInput(f"blocks names the subdomain {label!r}; write column=value with a column of {list(columns)}")
    return max(fitting, key=len)


def _has(values: Values, text: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which cells hold the value written as this text."""
    if text == "missing":
        return values.missing
    if values.levels is None:
        try:
            return np.asarray(values.numbers == float(text), dtype=np.bool_)
        except ValueError:
            return np.zeros(len(values.data), dtype=np.bool_)
    fitting = [code for code, level in enumerate(values.levels) if str(level) == text]
    return np.isin(values.data, fitting)
