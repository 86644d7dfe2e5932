"""Types of arrays, each defined once; a type says what the cells are, not how many dimensions there are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
SmallInts = NDArray[np.int32]
TinyInts = NDArray[np.int8]
Singles = NDArray[np.float32]
AnyFloats = NDArray[np.floating[Any]]  # single or double precision
AnyInts = NDArray[np.integer[Any]]
Wholes = NDArray[np.object_]  # Python's own integers, of any size
Scalars = NDArray[np.generic]
AnyArray = NDArray[Any]

# the same under the names of what they hold
Matrix = Floats
Vector = Floats
Labels = Ints
Codes = Ints
