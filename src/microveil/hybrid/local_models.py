"""What is fitted on a random part of a large file: clusters of the numbers, and latent classes of the categories."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from microveil.data.table import Table
from microveil.hybrid.local_categories import codes_of, count_classes, fit_categories
from microveil.hybrid.local_columns import by_kind, kept_indicators, numbers_beside
from microveil.partition.mixture import Mixture
from microveil.partition.mixture_model import MixtureModel
from microveil.run.job import Job
from microveil.run.random_part import RandomPart

if TYPE_CHECKING:
    from microveil.kernels.latent.classes import LatentClassFit


class LocalModels(NamedTuple):
    """The models of a file; without numbers to replace all records are one cluster."""

    mixture: MixtureModel
    categories: LatentClassFit | None


def fit_models(
    part: RandomPart, table: Table, job: Job, mixture: Mixture, *, classes: int | None, k: int
) -> LocalModels:
    """The models of a table, of which the part was fetched; `classes` as somebody stated them, each of at least k."""
    fetched, kept = part.columns(table), part.kept(job.given)
    numbers, others = by_kind(fetched)
    points = numbers_beside(numbers, kept)
    if numbers.names:
        model = mixture.model(points, table.rows, job.streams.at("clusters"))
    else:
        model = MixtureModel.one_group(fetched.rows)
    if not others.names:
        return LocalModels(model, None)
    x = np.hstack([numbers.matrix(), kept_indicators(kept, fetched.rows, part.seen)])
    categories = fit_categories(
        x,
        codes_of(others),
        [len(values.levels or ()) + part.gaps[name] for name, values in others.columns.items()],
        model.memberships(points) if model.groups > 1 else None,
        table.rows,
        classes=count_classes(classes, x, model.groups),
        most=mixture.max_groups,
        k=k,
        streams=job.streams.at("categories"),
    )
    return LocalModels(model, categories)
