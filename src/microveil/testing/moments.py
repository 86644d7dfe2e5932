"""Checks of exact moments: a method that promises means and covariances keeps them, by a count of our own."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from itertools import chain, combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from microveil.claims import CovariancesKept, MeansKept
from microveil.core.arrays import Floats
from microveil.core.errors import NotEnoughRecords
from microveil.data.microdata import Microdata
from microveil.io import write
from microveil.run.method import Method
from microveil.run.release import Release
from microveil.testing.runs import run
from microveil.testing.samples import as_frame, read_texts, sample_columns

_EXACT = 1e-9  # standard deviations of the original
_ROWS = 240
_AMOUNTS = ("income", "wealth", "hours", "age")
_PART, _PARTS = "part", ("x", "y", "z")


def promises_moments(method: Method) -> bool:
    """Return whether the method promises the means and covariances of the original, neither scaled nor shifted."""
    claims = method.claims(_AMOUNTS)
    return any(isinstance(claim, MeansKept) for claim in claims) and any(
        isinstance(claim, CovariancesKept)
        and claim.factor == 1
        and claim.diagonal == 0
        and claim.columns in ((), _AMOUNTS)
        for claim in claims
    )


def check_moments(method: Method) -> None:
    """Promised means and covariances are kept in the file, in subdomains and their unions, and on disk.

    They are kept between the replaced columns and those that the method conditions on, too.
    """
    if "continuous" in method.kinds and promises_moments(method):
        columns = sample_columns(_ROWS)
        check_moments_of(method, {name: columns[name] for name in _AMOUNTS})


def check_moments_of(method: Method, columns: Mapping[str, Any], written: bool = True) -> None:
    """Check promised means and covariances on a file of amounts, which is cut into three subdomains."""
    before = np.column_stack([np.asarray(values, dtype=np.float64) for values in columns.values()])
    parts = np.arange(len(before)) % len(_PARTS)
    frame = as_frame({**columns, _PART: [_PARTS[part] for part in parts.tolist()]}, "pyarrow")
    data, names = Microdata(frame, integers="keep exact"), list(columns)
    try:
        release = run(method, data, columns=names, by=_PART)
    except NotEnoughRecords:
        release, parts = run(method, data, columns=names), np.zeros_like(parts)
    for what, found in _found(release, written):
        own = np.array([str(part) for part in found[_PART]])
        labels = np.unique(own, return_inverse=True)[1] if parts.any() else np.zeros(len(own), dtype=np.int64)
        _check_unions(before, _matrix(found, names), parts, labels, what)
    if method.conditions and len(names) > 2:
        replaced, kept = names[:2], names[2:5]
        after = _matrix(_columns(run(method, data, columns=replaced, given=kept)), [*replaced, *kept])
        assert np.array_equal(after[:, 2:], before[:, 2 : 2 + len(kept)]), "columns that were given changed"
        moved = _moved(before[:, : 2 + len(kept)], after)
        assert moved < _EXACT, f"with {kept} given, means or covariances move by {moved:.2g} standard deviations"


def _found(release: Release, written: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """The released columns in memory, and as other programs read them from files."""
    yield "in memory", _columns(release)
    if written:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "release.csv"
            write(release, path, reproducible=True)
            yield "in the CSV file", dict(read_texts(path))
            write(release, path.with_suffix(".parquet"), reproducible=True)
            parquet = importlib.import_module("pyarrow.parquet")
            yield "in the Parquet file", parquet.read_table(path.with_suffix(".parquet")).to_pydict()


def _columns(release: Release) -> dict[str, Any]:
    return {name: release.narwhal.get_column(name).to_numpy() for name in release.original.columns}


def _matrix(columns: Mapping[str, Any], names: list[str]) -> Floats:
    return np.column_stack([np.array(columns[name], dtype=np.float64) for name in names])


def _check_unions(before: Floats, after: Floats, parts: Any, labels: Any, what: str) -> None:
    """The subdomains alone, in pairs, and all of them."""
    every = range(int(parts.max()) + 1)
    for union in chain.from_iterable(combinations(every, size) for size in range(1, len(every) + 1)):
        X, Y = before[np.isin(parts, union)], after[np.isin(labels, union)]
        assert len(X) == len(Y), f"{what}: {len(Y)} records, not {len(X)}, in the subdomains {union}"
        moved = _moved(X, Y)
        assert moved < _EXACT, f"{what}: means or covariances of {union} move by {moved:.2g} standard deviations"


def _moved(X: Floats, Y: Floats) -> float:
    """The largest change of a mean or covariance, in standard deviations of the original."""
    centre, spread = X.mean(axis=0), X.std(axis=0)
    X, Y = ((Z - centre) / np.where(spread > 0, spread, 1.0) for Z in (X, Y))
    means = np.abs(Y.mean(axis=0) - X.mean(axis=0)).max()
    return float(max(means, np.abs(np.cov(Y.T, ddof=0) - np.cov(X.T, ddof=0)).max()))
