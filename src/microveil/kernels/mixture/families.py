"""Covariance families of Gaussian mixtures: which volumes, shapes and orientations the components share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from microveil.core.arrays import Floats

Estimate = Callable[[Floats, Floats], Floats]

_INNER_TOLERANCE = float(np.sqrt(np.finfo(np.float64).eps))
_INNER_ITERATIONS = 500


def covariances_of(family: str, scatters: Floats, counts: Floats) -> Floats:
    """The most likely covariance matrices of a family, from the scatter matrices and weights of the components.

    The three letters say whether volume, shape and orientation are equal (E), vary (V) or are those of the axes (I).
    What cannot be estimated comes back as NaN. Reference: Celeux & Govaert 1995.
    """
    with np.errstate(all="ignore"):  # NaN is the answer for components without spread
        return ESTIMATES[family](scatters, counts)


def covariance_parameters(family: str, groups: int, columns: int) -> int:
    """The number of free parameters in the covariance matrices of a family."""
    volume = groups if family[0] == "V" else 1
    shape = 0 if family[1] == "I" else (columns - 1) * (groups if family[1] == "V" else 1)
    turns = 0 if family[2] == "I" else columns * (columns - 1) // 2 * (groups if family[2] == "V" else 1)
    return volume + shape + turns


def _eii(W: Floats, n: Floats) -> Floats:
    G, p, _ = W.shape
    return np.asarray(np.broadcast_to(np.trace(W.sum(axis=0)) / (n.sum() * p) * np.eye(p), (G, p, p)))


def _vii(W: Floats, n: Floats) -> Floats:
    p = W.shape[1]
    return np.asarray((np.trace(W, axis1=1, axis2=2) / (n * p))[:, None, None] * np.eye(p))


def _eei(W: Floats, n: Floats) -> Floats:
    return _diagonal(np.broadcast_to(_diagonals(W).sum(axis=0) / n.sum(), W.shape[:2]))


def _vei(W: Floats, n: Floats) -> Floats:
    volumes, shape = _volumes_and_shape(_diagonals(W), n)
    return _diagonal(volumes[:, None] * shape)


def _evi(W: Floats, n: Floats) -> Floats:
    spread = _diagonals(W)
    sizes = _geometric_mean(spread)
    return _diagonal(spread / sizes[:, None] * (sizes.sum() / n.sum()))


def _vvi(W: Floats, n: Floats) -> Floats:
    return _diagonal(_diagonals(W) / n[:, None])


def _eee(W: Floats, n: Floats) -> Floats:
    return np.asarray(np.broadcast_to(W.sum(axis=0) / n.sum(), W.shape))


def _eev(W: Floats, n: Floats) -> Floats:
    roots, axes = _principal_axes(W)
    return _turned(np.broadcast_to(roots.sum(axis=0) / n.sum(), roots.shape), axes)


def _vev(W: Floats, n: Floats) -> Floats:
    roots, axes = _principal_axes(W)
    volumes, shape = _volumes_and_shape(roots, n)
    return _turned(volumes[:, None] * shape, axes)


def _vvv(W: Floats, n: Floats) -> Floats:
    return np.asarray(W / n[:, None, None])


def _vee(W: Floats, n: Floats) -> Floats:
    p = W.shape[1]
    volumes, common = np.trace(W, axis1=1, axis2=2) / (p * n), np.eye(p)
    for _ in range(_INNER_ITERATIONS):
        before = volumes, common
        common = (W / volumes[:, None, None]).sum(axis=0)
        common = common / _volume(common)
        volumes = np.einsum("gab,ba->g", W, _inverse(common)) / (p * n)
        if _moved(volumes, before[0]) < _INNER_TOLERANCE and _moved(common, before[1]) < _INNER_TOLERANCE:
            break
    return np.asarray(volumes[:, None, None] * common)


def _evv(W: Floats, n: Floats) -> Floats:
    sizes = _volume(W)
    return np.asarray(W / sizes[:, None, None] * (sizes.sum() / n.sum()))


def _eve(W: Floats, n: Floats) -> Floats:
    axes = _common_axes(W, n, equal_volumes=True)
    spread = np.einsum("aj,gab,bj->gj", axes, W, axes)
    sizes = _geometric_mean(spread)
    return _turned(spread / sizes[:, None] * (sizes.sum() / n.sum()), np.broadcast_to(axes, W.shape))


def _vve(W: Floats, n: Floats) -> Floats:
    axes = _common_axes(W, n, equal_volumes=False)
    spread = np.einsum("aj,gab,bj->gj", axes, W, axes) / n[:, None]
    return _turned(spread, np.broadcast_to(axes, W.shape))


ESTIMATES: dict[str, Estimate] = {
    "EII": _eii, "VII": _vii, "EEI": _eei, "VEI": _vei, "EVI": _evi, "VVI": _vvi,
    "EEE": _eee, "EEV": _eev, "VEV": _vev, "VVV": _vvv,
    "VEE": _vee, "EVE": _eve, "VVE": _vve, "EVV": _evv,
}  # fmt: skip
FAMILIES = tuple(ESTIMATES)


def _volumes_and_shape(spread: Floats, n: Floats) -> tuple[Floats, Floats]:
    """Volumes of the components and one shape (product 1) for all, in turns until neither moves."""
    p = spread.shape[1]
    volumes = _geometric_mean(spread) / n
    shape = np.ones(p)
    for _ in range(_INNER_ITERATIONS):
        before = volumes, shape
        shape = (spread / volumes[:, None]).sum(axis=0)
        shape = shape / _geometric_mean(shape)
        volumes = (spread / shape).sum(axis=1) / (p * n)
        if _moved(volumes, before[0]) < _INNER_TOLERANCE and _moved(shape, before[1]) < _INNER_TOLERANCE:
            break
    return volumes, shape


def _common_axes(W: Floats, n: Floats, equal_volumes: bool) -> Floats:
    """The axes all components share: rotations in one plane after another, from the axes of the pooled scatter.

    For given spreads along the axes the best rotation in a plane is an eigenvector problem (after Flury & Gautschi
    1986); spreads and rotations take turns until the likelihood stands still.
    """
    p = W.shape[1]
    _, pooled = _principal_axes(W.sum(axis=0)[None])
    axes, last = pooled[0], np.inf
    for _ in range(_INNER_ITERATIONS):
        spread = np.einsum("aj,gab,bj->gj", axes, W, axes)
        size = float(_geometric_mean(spread).sum()) if equal_volumes else float(n @ np.log(_geometric_mean(spread)))
        if not last - size > _INNER_TOLERANCE * (1.0 + abs(size)):
            break
        last = size
        per_spread = (_geometric_mean(spread) if equal_volumes else n)[:, None] / spread
        for a in range(p):
            for b in range(a + 1, p):
                _turn_plane(W, axes, per_spread, a, b)
    return np.asarray(axes)


def _turn_plane(W: Floats, axes: Floats, per_spread: Floats, a: int, b: int) -> None:
    plane = axes[:, [a, b]]
    gain = np.tensordot(per_spread[:, a] - per_spread[:, b], plane.T @ W @ plane, axes=1)
    if np.isfinite(gain).all():
        axes[:, [a, b]] = plane @ np.linalg.eigh(gain)[1]


def _moved(new: Floats, old: Floats) -> float:
    return float(np.max(np.abs(new - old) / (1.0 + np.abs(new))))


def _diagonals(W: Floats) -> Floats:
    return np.asarray(np.diagonal(W, axis1=1, axis2=2))


def _diagonal(values: Floats) -> Floats:
    return np.asarray(values[:, :, None] * np.eye(values.shape[1]))


def _geometric_mean(values: Floats) -> Floats:
    return np.asarray(np.exp(np.mean(np.log(values), axis=-1)))


def _volume(W: Floats) -> Floats:
    sign, log_volume = np.linalg.slogdet(W)
    return np.asarray(np.where(sign > 0, np.exp(log_volume / W.shape[-1]), np.nan))


def _inverse(S: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.inv(S), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.full_like(S, np.nan)


def _principal_axes(W: Floats) -> tuple[Floats, Floats]:
    if not np.isfinite(W).all():
        return np.full(W.shape[:2], np.nan), np.full(W.shape, np.nan)
    roots, axes = np.linalg.eigh(W)
    return np.where(roots > 0, roots, np.nan), axes


def _turned(spread: Floats, axes: Floats) -> Floats:
    return np.asarray((axes * spread[:, None, :]) @ axes.transpose(0, 2, 1))
