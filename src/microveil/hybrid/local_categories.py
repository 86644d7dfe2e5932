"""Categories of locally synthesised records, by latent class regression on their numbers."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput
from microveil.core.streams import Streams
from microveil.data.table import Table, Values


def local_categories(
    table: Table,
    x: Floats,
    new_x: Floats,
    start: Floats | None,
    *,
    classes: int | None,
    most: int,
    k: int,
    exact: bool,
    subsample: int,
    streams: Streams,
) -> tuple[dict[str, Values], tuple[str, ...]]:
    """New categories for records with numbers `new_x`, from a model of the categories of records with numbers x.

    Gaps are one more category. `start`: memberships to start from; `classes`: None for the number, up to `most`, of
    the best BIC. Reference: Oganian & Domingo-Ferrer 2017, section 6.
    """
    from microveil.kernels.assignment.sizes import assign_at_least
    from microveil.kernels.latent.classes import fit_latent_classes, log_memberships
    from microveil.kernels.latent.draw import draw_categories, rearrange_categories

    codes, levels = _codes(table)
    n = len(codes)
    rows = np.arange(n)
    if n > subsample:
        rows = np.sort(streams.at("subsample").generator().choice(n, subsample, replace=False))
    allowed = max(1, -(-n // k) - 1)  # k G < n
    if classes is not None and classes > allowed:
        raise BadInput(f"classes={classes} latent classes of at least k={k} need more than {classes * k} records: {n}")
    tried = range(1, min(most, allowed) + 1) if classes is None else [classes]
    fits = [
        fit_latent_classes(
            np.ascontiguousarray(x[rows]),
            codes[rows],
            levels,
            G,
            generator=streams.at("start", G).generator(),
            start=start[rows] if start is not None and start.shape[1] == G else None,
            k=k * len(rows) // n,
        )
        for G in tried
    ]
    fit = max(fits, key=lambda found: found.bic)
    generator = streams.at("draw").generator()
    if exact:
        labels = np.asarray(assign_at_least(log_memberships(fit, x, codes), k), dtype=np.int64)
        drawn = rearrange_categories(fit, new_x, codes, labels, generator)
    else:
        drawn = draw_categories(fit, new_x, generator)
    columns = {
        name: values.with_data(np.where(drawn[:, j] == len(values.levels or ()), -1, drawn[:, j]))
        for j, (name, values) in enumerate(table.columns.items())
    }
    return columns, (f"categories by {fit.classes} latent classes, BIC {fit.bic:.3f}",)


def _codes(table: Table) -> tuple[Ints, tuple[int, ...]]:
    """Codes with gaps as one more category behind the levels, and the numbers of categories."""
    codes = np.empty((table.rows, len(table.names)), dtype=np.int64)
    levels = []
    for j, values in enumerate(table.columns.values()):
        count = len(values.levels or ())
        codes[:, j] = np.where(values.data < 0, count, values.data)
        levels.append(count + bool((values.data < 0).any()))
    return codes, tuple(levels)
