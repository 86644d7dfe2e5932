"""Categories of locally synthesised records, by latent class regression on their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput
from microveil.core.streams import Streams
from microveil.data.table import Table, Values

if TYPE_CHECKING:
    from microveil.kernels.latent.classes import LatentClassFit


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
    from microveil.kernels.latent.classes import log_memberships
    from microveil.kernels.latent.draw import draw_categories, rearrange_categories

    codes, n = codes_of(table), table.rows
    rows = np.arange(n)
    if n > subsample:
        rows = np.sort(streams.at("subsample").generator().choice(n, subsample, replace=False))
    fit = fit_categories(
        np.ascontiguousarray(x[rows]),
        codes[rows],
        [len(values.levels or ()) + bool((values.data < 0).any()) for values in table.columns.values()],
        None if start is None else start[rows],
        n,
        classes=classes,
        most=most,
        k=k,
        streams=streams,
    )
    generator = streams.at("draw").generator()
    if exact:
        labels = np.asarray(assign_at_least(log_memberships(fit, x, codes), k), dtype=np.int64)
        drawn = rearrange_categories(fit, new_x, codes, labels, generator)
    else:
        drawn = draw_categories(fit, new_x, generator)
    return _columns(table, drawn), (tell_classes(fit),)


def categories_in_piece(
    table: Table, x: Floats, new_x: Floats, fit: LatentClassFit, *, k: int, exact: bool, streams: Streams
) -> dict[str, Values]:
    """New categories for the records of a piece, from a model that was fitted on a part of the file.

    Exact counts are those of the classes in the piece, of which each has k records or more: where it is too small for
    all classes, its records are shared out among the classes that have the most of them.
    """
    from microveil.kernels.assignment.sizes import assign_at_least
    from microveil.kernels.latent.classes import log_memberships
    from microveil.kernels.latent.draw import draw_categories, rearrange_categories

    generator = streams.at("draw").generator()
    if not exact:
        return _columns(table, draw_categories(fit, new_x, generator))
    codes = codes_of(table)
    log_z = log_memberships(fit, x, codes)
    sizes = np.bincount(log_z.argmax(axis=1), minlength=fit.classes)
    largest = np.sort(np.argsort(-sizes, kind="stable")[: max(1, table.rows // k)])
    labels = largest[assign_at_least(np.ascontiguousarray(log_z[:, largest]), k)]
    return _columns(table, rearrange_categories(fit, new_x, codes, labels, generator))


def fit_categories(
    x: Floats,
    codes: Ints,
    levels: Sequence[int],
    start: Floats | None,
    records: int,
    *,
    classes: int | None,
    most: int,
    k: int,
    streams: Streams,
) -> LatentClassFit:
    """The latent classes of a file of so many records, fitted on some of them: of the best BIC, or so many classes."""
    from microveil.kernels.latent.classes import fit_latent_classes

    allowed = max(1, -(-records // k) - 1)  # k G < n
    if classes is not None and classes > allowed:
        raise BadInput(
            f"classes={classes} latent classes of at least k={k} need more than {classes * k} records: {records}"
        )
    tried = range(1, min(most, allowed) + 1) if classes is None else [classes]
    fits = [
        fit_latent_classes(
            x,
            codes,
            tuple(levels),
            G,
            generator=streams.at("start", G).generator(),
            start=start if start is not None and start.shape[1] == G else None,
            k=k * len(x) // records,
        )
        for G in tried
    ]
    return max(fits, key=lambda found: found.bic)


def count_classes(stated: int | None, x: Floats, clusters: int) -> int | None:
    """How many latent classes there are: as stated, or as many as clusters; None: those of the best BIC."""
    return stated if stated is not None or not x.shape[1] or clusters == 1 else clusters


def tell_classes(fit: LatentClassFit) -> str:
    """How many classes there are."""
    return f"categories by {fit.classes} latent classes, BIC {fit.bic:.3f}"


def codes_of(table: Table) -> Ints:
    """The columns of categories as codes, with gaps as one more category behind the levels."""
    codes = np.empty((table.rows, len(table.names)), dtype=np.int64)
    for j, values in enumerate(table.columns.values()):
        codes[:, j] = np.where(values.data < 0, len(values.levels or ()), values.data)
    return codes


def _columns(table: Table, drawn: Ints) -> dict[str, Values]:
    return {
        name: values.with_data(np.where(drawn[:, j] == len(values.levels or ()), -1, drawn[:, j]))
        for j, (name, values) in enumerate(table.columns.items())
    }
