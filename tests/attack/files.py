"""Small files for tests of attacks."""

from __future__ import annotations

import numpy as np
import pyarrow as pa


def as_table(X: np.ndarray) -> pa.Table:
    return pa.table({f"x{j}": column for j, column in enumerate(X.T)})
