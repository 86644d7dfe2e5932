"""Why one column alone looks like an identifier."""

from __future__ import annotations

from typing import Any

import pandas as pd

import microveil as mv
from microveil.detect import Finding, find_identifiers, look_at


def finding(name: str, values: Any) -> Finding | None:
    """What is found in a column of this name with these values, or None."""
    data = mv.Microdata(pd.DataFrame({name: values}))
    return find_identifiers([look_at(data.narwhal.get_column(name))]).get(name)


def found(name: str, values: Any) -> str | None:
    """Why a column looks like an identifier, or None."""
    one = finding(name, values)
    return None if one is None else one.why
