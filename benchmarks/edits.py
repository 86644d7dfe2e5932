"""Files written by MicroHybrid (k = 10) inside rules, read back as a stranger reads them, and counted by other means.

`broken` counts records that break some rule, with sums to the last digit of the file. Means and covariances are told
by their largest difference from the original's in standard deviations, of every group, of every subdomain, of the file.
Files that are not rounded have all digits of a double. In those rounded to the digits of the source the means of
columns with rules stay in every group, and covariances move. Records whose gaps fewer than a group share are left out.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from numpy.typing import NDArray

import microveil as mv
from benchmarks.rule_files import RuleFile, census, eia, eia_corrected, enterprises, survey, thyroid

Labels = NDArray[np.int64]
Column = NDArray[np.float64]
K = 10
LARGE = (100_000, 1_000_000)
_LAST_DIGITS = 1e-12  # of the largest term: what doubles are off by in a sum


def run(quick: bool) -> list[dict[str, object]]:
    """Every file without and with subdomains, not rounded and rounded."""
    warnings.simplefilter("ignore")
    settings = product((False, True), ("keep exact", "round"))
    cases = product(_files(quick), settings)
    return [measured(file, file.by if within else None, integers) for file, (within, integers) in cases]


def _files(quick: bool) -> Iterator[RuleFile]:
    yield from (make() for make in (census, eia, eia_corrected, thyroid))
    for records in (4_000, *LARGE[: 0 if quick else 2]):
        yield enterprises(records)
        yield survey(records)


def measured(file: RuleFile, by: str | None, integers: str) -> dict[str, object]:
    """One release, written as CSV and as Parquet; what is worse of the two is told."""
    method, start = mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=K)), time.process_time()
    step = {"method": method, "columns": file.amounts, "by": by, "given": []}
    gaps = "mask" if file.frame[file.amounts].isna().any(axis=None) else "error"
    release = mv.Plan([step | {"missing": gaps}]).run(file.data(integers), seed=1)
    taken = time.process_time() - start
    labels, before = np.asarray(release.groups), file.frame.iloc[release.origin]
    parts = {"groups": labels, "file": np.zeros(len(before), np.int64)}
    if by:
        parts["subdomains"] = before[by].astype("category").cat.codes.to_numpy(np.int64)
    found = []
    for back in read_back(release):
        moved = {part: moved_moments(before[file.amounts], back[file.amounts], rows) for part, rows in parts.items()}
        broken = broken_records(back, file.rules, exactly=integers == "round")
        found.append(
            [broken, *(error for part in ("groups", "subdomains", "file") for error in moved.get(part, (0, 0)))]
        )
    broken, *errors = np.max(found, axis=0).tolist()
    told = [f"{what}, {part}" for part in ("groups", "subdomains", "file") for what in ("means", "covariances")]
    return {
        "file": file.name,
        "n": len(file.frame),
        "columns": len(file.amounts),
        "rules": len(file.rules),
        "by": by or "",
        "rounded": "no" if integers == "keep exact" else "yes",
        "least group": int(np.bincount(labels).min()),
        "records written": len(before),
        "broken": int(broken),
        **{head: None if not by and "subdomains" in head else error for head, error in zip(told, errors, strict=True)},
        "cpu seconds": taken,
    }


def read_back(release: mv.Release) -> Iterator[pd.DataFrame]:
    """The written files, in the order of the source, as other programs read them."""
    with tempfile.TemporaryDirectory() as folder:
        for ending in (".csv", ".parquet"):
            path = Path(folder) / f"release{ending}"
            mv.write(release, path, shuffle=False, reproducible=True)
            yield pd.read_csv(path) if ending == ".csv" else pq.read_table(path).to_pandas()


def broken_records(frame: pd.DataFrame, rules: list[str], *, exactly: bool) -> int:
    """Records that break a rule; sums of doubles count as equal within their last digits."""
    broken = np.zeros(len(frame), dtype=bool)
    for rule in rules:
        if "==" not in rule:
            names = [name for name in frame.columns if name in rule.split()]
            broken |= ~frame.eval(rule).to_numpy(bool) & frame[names].notna().all(axis=1).to_numpy()
            continue
        left, right = (frame.eval(side).to_numpy(float) for side in rule.split("=="))
        allowed = 0.0 if exactly else _LAST_DIGITS * np.maximum(np.abs(left), np.abs(right))
        broken |= np.abs(left - right) > allowed
    return int(broken.sum())


def moved_moments(before: pd.DataFrame, after: pd.DataFrame, labels: Labels) -> tuple[float, float]:
    """The largest difference of means, and of covariances, of the rows of a label, in their standard deviations.

    A column that does not vary among them is measured by its standard deviation in the file. Pairs of values with a gap
    count nowhere.
    """
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    old, new = ([frame[name].to_numpy(float)[order] for name in frame.columns] for frame in (before, after))
    spreads, means, covariances = [float(np.nanstd(x)) for x in old], 0.0, 0.0
    for i in range(len(old)):
        if not np.array_equal(np.isnan(old[i]), np.isnan(new[i])):
            return np.inf, np.inf
        for j in range(i + 1):
            pair = np.flatnonzero(~np.isnan(old[i] + old[j]))
            within = np.unique(np.searchsorted(starts, pair, side="right"), return_index=True)[1]
            sizes = np.diff(within, append=len(pair))
            one, other = (_Column(old[c][pair], new[c][pair], within, sizes, spreads[c]) for c in (i, j))
            was = np.add.reduceat(one.old * other.old, within) / sizes
            now = np.add.reduceat(one.new * other.new, within) / sizes - one.moved * other.moved
            means = max(means, float((np.abs(one.moved) / one.spread).max()))
            covariances = max(covariances, float((np.abs(now - was) / (one.spread * other.spread)).max()))
    return means, covariances


class _Column:
    """A column before and after, less its mean before in every group; by how much that moved, and the spread."""

    def __init__(self, old: Column, new: Column, starts: Labels, sizes: Labels, otherwise: float) -> None:
        mean = np.repeat(np.add.reduceat(old, starts) / sizes, sizes)
        self.old, self.new = old - mean, new - mean
        self.moved = np.add.reduceat(self.new - self.old, starts) / sizes
        self.spread = np.sqrt(np.add.reduceat(self.old**2, starts) / sizes)
        self.spread[self.spread <= _LAST_DIGITS * otherwise] = otherwise
