"""Every method that promises the original's means and covariances keeps them: in the file, its subdomains, on disk.

The methods are found in the registry, so that a new one is tried without a line here.
"""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

import microveil as mv
import microveil.hybrid
import microveil.synth
from microveil.claims import CovariancesKept, MeansKept
from microveil.core.errors import NotEnoughRecords
from microveil.core.registry import registered
from microveil.hybrid import CholeskyHybrid, Combine
from microveil.partition import MDAV, Partition, Projection
from microveil.run.method import Method
from microveil.testing.values import grid_points
from tests.reference import EIA_AMOUNTS, reference

EXACT = 1e-9
ROOMS = ("hybrid", "synth")


def promises_moments(method: Method, names: tuple[str, ...] = ("a", "b", "c", "d")) -> bool:
    claims = method.claims(names)
    covariances = [claim for claim in claims if isinstance(claim, CovariancesKept)]
    return any(isinstance(claim, MeansKept) for claim in claims) and any(
        claim.factor == 1 and claim.diagonal == 0 and claim.columns in ((), names) for claim in covariances
    )


def exact_members() -> list[list[Method]]:
    """The members that promise exact moments, class by class."""
    classes = [cls for cls in registered(Method) if cls.family in ROOMS]
    found = [[member for member in grid_points(cls) if promises_moments(member)] for cls in classes]
    return [members for members in found if members]


MEMBERS = exact_members()
FIRST = [members[0] for members in MEMBERS]
PAIRING = (Combine,)  # nearest records in 20 dimensions take long to find
CORES = [CholeskyHybrid(core=core) for core in ("polar", "paper")]


def generated(n: int = 400, p: int = 4, seed: int = 1) -> pd.DataFrame:
    """Skewed, correlated columns in different units, far from 0."""
    draw = np.random.default_rng(seed)
    X = np.exp(draw.normal(size=(n, p)) @ (np.eye(p) + 0.4 * np.tri(p, k=-1)).T / 2) * 10.0 ** (np.arange(p) % 5)
    return pd.DataFrame(X + 50.0, columns=[f"x{j}" for j in range(p)])


FILES = {
    "census": lambda: reference("census"),
    "eia": lambda: reference("eia")[EIA_AMOUNTS],
    "tarragona": lambda: reference("tarragona"),
    "thyroid": lambda: reference("thyroid")[["age", "tsh", "t3", "t4u", "fti"]],
    "generated": generated,
}


@cache
def file_in_parts(name: str) -> pd.DataFrame:
    frame = FILES[name]()
    return frame.assign(part=np.array(["x", "y", "z"])[np.arange(len(frame)) % 3])


def deviation(before: pd.DataFrame, after: pd.DataFrame) -> float:
    """Largest change of a mean or covariance in standard deviations of the original."""
    X, Y = before.to_numpy(dtype=float), after.to_numpy(dtype=float)
    centre, spread = X.mean(axis=0), X.std(axis=0)
    X, Y = ((Z - centre) / np.where(spread > 0, spread, 1.0) for Z in (X, Y))
    means = np.abs(Y.mean(axis=0) - X.mean(axis=0)).max()
    return float(max(means, np.abs(np.cov(Y.T, ddof=0) - np.cov(X.T, ddof=0)).max()))


def in_all_parts(before: pd.DataFrame, after: pd.DataFrame, names: list[str]) -> float:
    """The same overall, in each subdomain and in the unions of two."""
    sets = (["x"], ["y"], ["z"], ["x", "y"], ["x", "z"], ["y", "z"], ["x", "y", "z"])
    return max(
        deviation(before.loc[before.part.isin(parts), names], after.loc[after.part.isin(parts), names])
        for parts in sets
    )


def with_groups(method: Method, partition: Partition) -> Method:
    """The method with other groups, if it forms any: quick ones for large files, large ones for many columns."""
    lighter = {"partition": partition, "max_groups": 3}
    named = {field.name for field in fields(method)}
    return replace(method, **{name: value for name, value in lighter.items() if name in named})


def test_exact_methods_are_found():
    assert {member.name for member in FIRST} >= {
        "cholesky-hybrid",
        "micro-hybrid",
        "muralidhar-sarathy",
        "local-masking",
        "cholesky-synthesis",
        "ipso",
    }


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("method", [*FIRST, *CORES], ids=lambda method: str(method.to_spec())[:60])
def test_reference_files_and_their_subdomains_on_disk(method, file, tmp_path):
    frame = file_in_parts(file)
    names = [name for name in frame if name != "part"]
    data = mv.Microdata(frame, integers="keep exact")
    release = with_groups(method, MDAV(k=40)).apply(data, columns=names, by="part", seed=1)
    assert in_all_parts(frame, release.frame, names) < EXACT
    for path in (tmp_path / "release.csv", tmp_path / "release.parquet"):
        mv.write(release, path, reproducible=True)
        written = mv.read(path).narwhal.to_pandas()
        assert len(written) == len(frame)
        assert in_all_parts(frame, written, names) < EXACT


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("method", FIRST, ids=lambda method: method.name)
def test_whole_reference_files(method, file):
    frame = file_in_parts(file).drop(columns="part")
    data = mv.Microdata(frame, integers="keep exact")
    release = with_groups(method, MDAV(k=40)).apply(data, columns=list(frame), seed=2)
    assert deviation(frame, release.frame) < EXACT


@pytest.mark.parametrize(
    "method", [member for members in MEMBERS for member in members], ids=lambda method: str(method.to_spec())[:60]
)
def test_every_choice_of_parameters(method):
    frame = generated().assign(part=np.array(["x", "y", "z"])[np.arange(400) % 3])
    names = [name for name in frame if name != "part"]
    try:
        release = method.apply(frame, columns=names, by="part", seed=1)
    except NotEnoughRecords:
        release = method.apply(frame, columns=names, seed=1)
        assert deviation(frame[names], release.frame[names]) < EXACT
    else:
        assert in_all_parts(frame, release.frame, names) < EXACT


@pytest.mark.parametrize("file", ["census", "eia", "generated"])
@pytest.mark.parametrize("method", [member for member in FIRST if member.conditions], ids=lambda method: method.name)
def test_covariances_with_kept_columns(method, file):
    frame = file_in_parts(file).drop(columns="part")
    names = list(frame)
    data = mv.Microdata(frame, integers="keep exact")
    release = with_groups(method, MDAV(k=40)).apply(data, columns=names[:2], given=names[2:5], seed=1)
    assert (release.frame[names[2:5]].to_numpy() == frame[names[2:5]].to_numpy()).all()
    assert deviation(frame[names[:5]], release.frame[names[:5]]) < EXACT


def check_large(method: Method, n: int) -> None:
    frame = generated(n, p=20)
    names = list(frame)
    part = np.arange(n) % 2
    method = with_groups(method, Projection(k=100))
    released = method.apply(frame.assign(part=part), columns=names, by="part", seed=1).frame
    assert deviation(frame, released[names]) < EXACT
    for value in (0, 1):
        assert deviation(frame.loc[part == value], released.loc[released.part == value, names]) < EXACT


@pytest.mark.parametrize("method", FIRST, ids=lambda method: method.name)
def test_a_hundred_thousand_records(method):
    check_large(method, 10_000 if isinstance(method, PAIRING) else 100_000)


@pytest.mark.full
@pytest.mark.parametrize("method", FIRST, ids=lambda method: method.name)
def test_a_million_records(method):
    check_large(method, 100_000 if isinstance(method, PAIRING) else 1_000_000)
