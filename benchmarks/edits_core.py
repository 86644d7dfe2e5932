"""The core of CholeskyHybrid(core="feasible") on 4,000 enterprises with rules: how near it ends to mask and original.

Distances are in standard deviations of a column. `linked` is the share of records whose nearest record of the file is
their own. `from the original` begins the sweeps at the records as they are, without turning them first. In files
without rules the distance to the mask is told beside that of the nearest file with these moments (the minimal core).
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

import microveil as mv
from benchmarks.rule_files import RuleFile, enterprises
from microveil.core.streams import Key, Streams
from microveil.hybrid.feasible_core import restore_inside_rules
from microveil.kernels.rotation.feasible import Bounds, draw_feasible
from microveil.kernels.rotation.near import draw_near
from microveil.run import Job

Matrix = NDArray[np.float64]
MASKS: dict[str, mv.data.Method] = {
    "MDAV, k = 5": mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)),
    "rank swapping, 5 %": mv.mask.RankSwap(p=5),
}


def run(quick: bool) -> list[dict[str, object]]:
    """The mask, the restored file, and sweeps from the original; then files without rules."""
    warnings.simplefilter("ignore")
    file, rows = enterprises(1_000 if quick else 4_000), []
    for name, mask in MASKS.items():
        rows += _inside_rules(file, name, mask)
    rows += [_without_rules(n) for n in ((100,) if quick else (50, 100, 200, 500))]
    return rows


def _inside_rules(file: RuleFile, name: str, mask: mv.data.Method) -> list[dict[str, object]]:
    data, X = file.data(), file.frame[file.amounts].to_numpy(float)
    masked = mv.Plan([(mask, file.amounts)]).run(data, seed=1)
    Y = masked.frame[file.amounts].to_numpy(float)
    # the core alone, because the mask inside a hybrid would draw another file
    table = data.table(file.amounts)
    job = Job(Streams(Key.of(1)), table.only(()), table, edits=data.edits)
    restored = restore_inside_rules(table, Y, masked.groups, job)
    parts = [amount for amount in file.amounts if not amount.startswith("total")]
    forms = np.array([[float(amount == part) for amount in file.amounts] for part in parts])
    bounds = Bounds(forms, np.zeros((1, len(parts))))
    begun_at_original = draw_near(X, Y, X.std(axis=0), bounds, Streams(Key.of(1)))[0]
    files = {
        "the mask": Y,
        "feasible core": np.column_stack([restored.columns[name].numbers for name in file.amounts]),
        "from the original": begun_at_original,
    }
    return [
        {"file": file.name, "n": len(X), "mask": name, "what": what} | _told(file, X, Y, Z) for what, Z in files.items()
    ]


def _told(file: RuleFile, X: Matrix, Y: Matrix, Z: Matrix) -> dict[str, object]:
    after = file.frame[[file.by]].assign(**dict(zip(file.amounts, Z.T, strict=True)))
    moved = np.abs(np.cov(Z.T) - np.cov(X.T)) / np.outer(X.std(axis=0), X.std(axis=0))
    return {
        "to the mask": _apart(Z, Y, X),
        "to the original": _apart(Z, X, X),
        "linked %": float(mv.risk.DistanceLinkage()(file.data(), mv.Microdata(after), columns=file.amounts)),
        "negative cells": int((Z < 0).sum()),
        "covariances": float(moved.max()),
    }


def _apart(Z: Matrix, other: Matrix, X: Matrix) -> float:
    return float(np.sqrt((((Z - other) / X.std(axis=0)) ** 2).mean()))


def _without_rules(n: int) -> dict[str, object]:
    """Correlated lognormal columns with noise as the mask: sweeps beside the closed form."""
    draw, streams = np.random.default_rng(0), Streams(Key.of(1))
    X = np.exp(0.5 * draw.normal(size=(n, 10)) @ (np.eye(10) + 0.3))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    Y = X + 0.5 * draw.normal(size=X.shape)
    Y -= Y.mean(axis=0)
    root = np.linalg.cholesky(X.T @ X)
    U, _, V = np.linalg.svd(Y @ root, full_matrices=False)
    blocks, none = np.arange(n) * 20 // n, Bounds.none(10)
    begun = draw_feasible(X, none, X[:, :0], blocks, streams.at("start")).values
    Z = draw_near(begun, Y, np.ones(10), none, streams.at("near"))[0]
    return {
        "file": "without rules",
        "n": n,
        "mask": "noise",
        "what": "feasible core",
        "to the mask": _apart(Z, Y, X),
        "to the original": _apart(Z, X, X),
        "to the mask / minimal core": _apart(Z, Y, X) / _apart(U @ V @ root.T, Y, X),
    }
