"""From arrays to the frame of the library that the user names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, cast, get_args

from microveil.core.arrays import AnyArray, Bools, Ints
from microveil.core.errors import BadInput
from microveil.data.frames import AnyFrame

Backend = Literal["pyarrow", "pandas", "polars"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)


def check_backend(backend: str) -> None:
    """Refuse a frame library that is not offered, before any work is done."""
    if backend not in BACKENDS:
        raise BadInput(f"no backend called {backend!r}; there are {list(BACKENDS)}")


def to_backend(table: AnyFrame, backend: str) -> AnyFrame:
    """The table in the named frame library, which is imported only now.

    >>> import pyarrow as pa
    >>> to_backend(pa.table({"a": [1, 2]}), "pyarrow").num_rows
    2
    """
    check_backend(backend)
    if backend == "pyarrow":
        return table
    import narwhals as nw

    try:
        found: AnyFrame = nw.from_arrow(table, backend=cast("Backend", backend)).to_native()
    except ModuleNotFoundError as absent:
        raise BadInput(f"backend {backend!r} is not installed; install it or use 'pyarrow'") from absent
    return found


def labels(names: Sequence[str], codes: Ints, missing: Bools | None = None) -> Any:
    """Text of the codes as an Arrow array, null where missing."""
    import pyarrow as pa

    return pa.array(names, type=pa.string()).take(pa.array(codes, mask=missing))


def numbers(values: AnyArray, missing: Bools | None = None) -> Any:
    """Numbers as an Arrow array, null where missing."""
    import pyarrow as pa

    return pa.array(values, mask=missing)


def join_texts(separator: str, *parts: Any) -> Any:
    """Arrow text arrays joined record by record."""
    import pyarrow.compute as pc

    return pc.binary_join_element_wise(*parts, separator)
