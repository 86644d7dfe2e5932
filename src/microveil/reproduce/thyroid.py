"""The THYROID file as the tables of local synthesis use it: its attributes, and what is measured on a release.

Reference: Oganian & Domingo-Ferrer 2017, Local synthesis for disclosure limitation that satisfies probabilistic
k-anonymity criterion.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.streams import Key
from microveil.reproduce.base import draw_keys
from microveil.run.method import Method

Figures = dict[str, float]

CONTINUOUS = ("age", "tsh", "t3", "t4u", "fti")
FEWEST = 10  # records with the rarer answer that a dichotomous attribute needs to be used
DESIGNS = {"powers": "x, x², x³", "interactions": "products of 2 and 3", "polynomial": "all cubic terms"}
MIXED_DESIGNS = {"main effects": ("interactions", 1), "products of 2": ("interactions", 2), "x, x², x³": ("powers", 3)}
_CLUSTER = "cluster"


def continuous() -> Any:
    """The five continuous attributes of the 1947 records."""
    return _numbers(_file())


def mixed() -> Any:
    """The continuous attributes and the dichotomous ones with at least ten records of either answer."""
    frame = _file()
    out = _numbers(frame)
    for name in frame.column_names:
        yes = frame.column(name).to_numpy()
        if name not in (*CONTINUOUS, "id") and FEWEST <= yes.sum() <= len(yes) - FEWEST:
            out = out.append_column(name, [np.where(yes == 1, "yes", "no")])
    return out


def _file() -> Any:
    from microveil import datasets

    return datasets.load("thyroid")


def _numbers(frame: Any) -> Any:
    import pyarrow as pa

    return pa.table({name: frame.column(name).to_numpy().astype(np.float64) for name in CONTINUOUS})


def matrix(frame: Any) -> Floats:
    """The continuous attributes of a frame."""
    return np.column_stack([frame.column(name).to_numpy() for name in CONTINUOUS])


@lru_cache(maxsize=64)
def continuous_figures(
    method: Method, draws: int, key: Key, clusters: tuple[int, ...] | None = None
) -> tuple[Figures, ...]:
    """Utility, regressions and moments of releases of the continuous attributes; kept, because tables share them.

    Utility is 2N times the mean squared distance of propensity scores from 1/2, with N records in both files. With
    `clusters`, one number per record, the method runs inside each.
    """
    from microveil import loss

    frame, by = continuous(), None
    if clusters is not None:
        frame, by = frame.append_column(_CLUSTER, [clusters]), _CLUSTER
    found = []
    for one in draw_keys(key, draws if method.random else 1, "thyroid", method.name):
        release = method.apply(frame, columns=CONTINUOUS, by=by, seed=one)
        regressions = _parts(loss.RegressionChange()(frame, release, columns=CONTINUOUS))
        found.append(
            {
                **{name: _utility(frame, release, CONTINUOUS, terms, 3) for terms, name in DESIGNS.items()},
                "Reg. coef": regressions["coefficients"],
                "Std. error": regressions["standard errors"],
                **_moment_changes(frame, release.frame),
                "smallest group": _smallest_group(release, clusters),
            }
        )
    return tuple(found)


@lru_cache(maxsize=16)
def mixed_figures(method: Method, draws: int, key: Key) -> tuple[Figures, ...]:
    """Utility of releases of all attributes under several propensity models."""
    frame = mixed()
    releases = [method.apply(frame, seed=one) for one in draw_keys(key, draws, "thyroid mixed", method.name)]
    return tuple(
        {name: _utility(frame, release, None, terms, order) for name, (terms, order) in MIXED_DESIGNS.items()}
        for release in releases
    )


def _utility(frame: Any, release: Any, columns: tuple[str, ...] | None, terms: Any, order: int) -> float:
    from microveil import loss

    return _parts(loss.Propensity(terms=terms, order=order)(frame, release, columns=columns))["2N pMSE"]


def _parts(result: Measured | NotApplicable) -> Mapping[str, float]:
    if not isinstance(result, Measured):
        raise BadInput(f"{result.name} cannot be measured: {result.reason}")
    return result.parts


def _smallest_group(release: Any, clusters: tuple[int, ...] | None) -> float:
    groups = release.groups if clusters is None else clusters
    return float("nan") if groups is None else float(np.bincount(groups).min())


def _moment_changes(before: Any, after: Any) -> Figures:
    """Mean and median change in per cent of the 35 third and 70 fourth moments about 0, mixed ones included."""
    out: Figures = {}
    for order, name in ((3, "3rd order"), (4, "4th order")):
        x, y = _raw_moments(before, order), _raw_moments(after, order)
        change = 100 * np.abs(y - x) / np.abs(x)
        out |= {name: float(change.mean()), f"{name}, median": float(np.median(change))}
    return out


def _raw_moments(frame: Any, order: int) -> Floats:
    chosen = combinations_with_replacement(matrix(frame).T, order)
    return np.array([np.prod(columns, axis=0).mean() for columns in chosen])
