"""MicroHybrid inside rules (feasible-rotation) beside MicroHybrid by IPSO, in the same groups of k.

`impossible cells` are values below the bound of their column. `came back` are released records that are one of the
original, where rules leave a group no room. `linked` is the share of records whose nearest released
record is their own (mean of the draws, with the interval of 95 % that these give), beside 1 / k. `own / other` is the
distance of a record to its own released record, divided by that to the nearest other record of the original;
`nearest / other` the same for the nearest released record (medians over records, in standard deviations of columns).
Skewness, kurtosis and third-order moments of two or three columns are told by their mean relative change.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

import microveil as mv
from benchmarks.rule_files import RuleFile, census, eia_corrected, enterprises

Matrix = NDArray[np.float64]
SIZES = (3, 5, 10)
DRAWS = 10


def run(quick: bool) -> list[dict[str, object]]:
    """Three files, three sizes of groups, two synthesisers."""
    warnings.simplefilter("ignore")
    files = [make() for make in (census, eia_corrected, enterprises)][: 1 if quick else 3]
    cases = product(files, SIZES, (None, mv.synth.Ipso()))
    return [measured(file, k, synthesiser, 2 if quick else DRAWS) for file, k, synthesiser in cases]


def measured(file: RuleFile, k: int, synthesiser: mv.synth.Ipso | None, draws: int) -> dict[str, object]:
    """The means of some draws with keys of their own."""
    data = file.data()
    X = file.frame[file.amounts].to_numpy(float)
    drawn, linked = [], []
    for seed in range(draws):
        method = mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=k), synthesiser=synthesiser)
        release = mv.Plan([{"method": method, "columns": file.amounts, "given": []}]).run(data, seed=seed)
        Y = release.frame[file.amounts].to_numpy(float)
        linked.append(float(mv.risk.DistanceLinkage()(data, release, columns=file.amounts)))
        drawn.append([impossible(Y), came_back(X, Y), *nearness(X, Y), *changed_moments(X, Y)])
    cells, came, own, nearest, skewness, kurtosis, third = np.mean(drawn, axis=0).tolist()
    half = 1.96 * np.std(linked, ddof=1) / np.sqrt(draws)
    return {
        "file": file.name,
        "k": k,
        "synthesiser": "feasible-rotation" if synthesiser is None else synthesiser.name,
        "impossible cells %": 100 * cells,
        "came back %": 100 * came,
        "linked %": f"{np.mean(linked):.2f} ± {half:.2f}",
        "1 / k %": 100 / k,
        "own / other": own,
        "nearest / other": nearest,
        "skewness": skewness,
        "kurtosis": kurtosis,
        "third order": third,
    }


def impossible(Y: Matrix) -> float:
    """The share of cells below 0, the bound of all these columns."""
    return float((Y < 0).mean())


def came_back(X: Matrix, Y: Matrix) -> float:
    """The share of released records that are a record of the original, to the last digit."""
    return float((cKDTree(X).query(Y)[0] == 0).mean())


def nearness(X: Matrix, Y: Matrix) -> tuple[float, float]:
    """Distances to the own and to the nearest released record, over that to the nearest other original: medians."""
    old, new = X / X.std(axis=0), Y / X.std(axis=0)
    other = cKDTree(old).query(old, k=2)[0][:, 1]
    apart = other > 0  # some records repeat the figures of another
    own, nearest = np.sqrt(((old - new) ** 2).sum(axis=1)), cKDTree(new).query(old)[0]
    return float(np.median(own[apart] / other[apart])), float(np.median(nearest[apart] / other[apart]))


def changed_moments(X: Matrix, Y: Matrix) -> tuple[float, float, float]:
    """Mean relative changes of skewness, of kurtosis, and of the other third-order moments."""
    old, new = ((Z - X.mean(axis=0)) / X.std(axis=0) for Z in (X, Y))
    columns = range(X.shape[1])
    alone, cubes = [(c, c, c, c) for c in columns], [(c, c, c) for c in columns]
    mixed = [three for three in combinations_with_replacement(columns, 3) if len(set(three)) > 1]
    return _change(old, new, cubes), _change(old, new, alone), _change(old, new, mixed)


def _change(old: Matrix, new: Matrix, products: Sequence[tuple[int, ...]]) -> float:
    was, now = (np.array([Z[:, list(of)].prod(axis=1).mean() for of in products]) for Z in (old, new))
    return float((np.abs(now - was) / np.abs(was)).mean())
