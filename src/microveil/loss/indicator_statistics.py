"""The statistics that indicators know, all weighted: weights first, then what the statistic takes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from microveil.core.arrays import Floats


def _mean(w: Floats, x: Floats) -> float:
    return float(w @ x / w.sum())


def _variance(w: Floats, x: Floats) -> float:
    return float(w @ (x - _mean(w, x)) ** 2 / w.sum())


def _quantile(w: Floats, x: Floats, q: float) -> float:
    order = np.argsort(x, kind="stable")
    reached = np.cumsum(w[order])
    place = int(np.searchsorted(reached, q * reached[-1] * (1 - 1e-12)))
    return float(x[order][min(place, len(x) - 1)])


def _gini(w: Floats, x: Floats) -> float:
    order = np.argsort(x, kind="stable")
    w, x = w[order], x[order]
    total = float(w @ x)
    if total == 0:
        return float("nan")
    # twice the area between the diagonal and the Lorenz curve
    share = np.cumsum(w * x) / total
    return float(1 - (w * (share + np.concatenate([[0.0], share[:-1]]))).sum() / w.sum())


def _correlation(w: Floats, x: Floats, y: Floats) -> float:
    spread = np.sqrt(_variance(w, x) * _variance(w, y))
    together = float(w @ ((x - _mean(w, x)) * (y - _mean(w, y))) / w.sum())
    return together / spread if spread > 0 else float("nan")


STATISTICS: dict[str, tuple[tuple[str, ...], Callable[..., float]]] = {
    "mean": (("column",), _mean),
    "total": (("column",), lambda w, x: float(w @ x)),
    "variance": (("column",), _variance),
    "sd": (("column",), lambda w, x: float(np.sqrt(_variance(w, x)))),
    "median": (("column",), lambda w, x: _quantile(w, x, 0.5)),
    "quantile": (("column", "probability"), _quantile),
    "gini": (("column",), _gini),
    "correlation": (("column", "column"), _correlation),
    "share": (("condition",), lambda w, mask: float(w @ mask / w.sum())),
    "count": ((), lambda w: float(w.sum())),
}
