"""New numbers that lie where the original has none: exact moments do not keep values in their range."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from microveil.data.table import Table, Values


def outside_range(before: Table, after: Mapping[str, Values]) -> tuple[str, ...]:
    """How many new numbers are below the smallest or above the largest original one, and how many changed sign."""
    outside: dict[str, int] = {}
    negative = 0
    for name, values in after.items():
        if values.levels is not None or before[name].levels is not None or before[name].missing.all():
            continue
        low, high = np.nanmin(before[name].numbers), np.nanmax(before[name].numbers)
        outside[name] = int(((values.numbers < low) | (values.numbers > high)).sum())
        negative += int((values.numbers < 0).sum()) if low >= 0 else 0
    total = sum(outside.values())
    if not total:
        return ()
    most = max(outside, key=lambda name: outside[name])
    below = f", {negative} of them below 0 in columns that had none" if negative else ""
    found = f"{total} new values lie outside the range of those they replace, most in {most} ({outside[most]}){below}"
    return (f"{found}; mv.mask.Repair puts them right and gives up exact moments",)
