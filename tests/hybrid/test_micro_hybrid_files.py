"""Microhybrid on the reference files: moments, the written file, and linkage at 1/k."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.hybrid import MicroHybrid
from microveil.partition import MDAV
from microveil.risk import DistanceLinkage, GlobalLinkage
from tests.hybrid.groups import amounts, assert_moments
from tests.reference import census, eia_amounts, reference

THYROID = ["age", "tsh", "t3", "t4u", "fti"]
FILES = {
    "census": (census, ["INTVAL", "POTHVAL"]),
    "eia": (eia_amounts, ["TOTREVENUE", "TOTSALES"]),
    "tarragona": (lambda: reference("tarragona").astype(float), ["SALES", "TREASURY"]),
    "thyroid": (lambda: reference("thyroid")[THYROID].astype(float), ["age"]),
    "generated": (lambda: amounts(5000, 8, 2), ["s0", "s1"]),
}


@pytest.mark.parametrize("name", list(FILES))
def test_moments_of_every_group_and_of_the_file(name):
    make, kept = FILES[name]
    frame = make()
    for given in ([], kept):
        replaced = [column for column in frame if column not in given]
        release = MicroHybrid(partition=MDAV(k=15)).apply(frame, columns=replaced, given=given, seed=1)
        assert_moments(frame, release, list(frame))
        assert np.bincount(release.groups).min() >= 15


@pytest.mark.parametrize("k", [5, 20])
@pytest.mark.parametrize("name", ["census", "eia", "tarragona", "thyroid", "generated"])
def test_nobody_is_linked_more_often_than_once_in_k(name, k):
    frame = FILES[name][0]()
    frame = frame.sample(1000, random_state=1).reset_index(drop=True) if len(frame) > 1500 else frame
    release = MicroHybrid(partition=MDAV(k=k)).apply(frame, columns=list(frame), given=[], seed=1)
    bound = 1 / k + 3 * np.sqrt((1 - 1 / k) / k / len(frame))
    for measure in (DistanceLinkage(sizes=(frame.shape[1],)), GlobalLinkage()):
        assert measure(frame, release).value / 100 <= bound


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_written_file_keeps_the_moments(tmp_path, suffix):
    frame = reference("census")
    data = mv.Microdata(frame, integers="keep exact")
    release = MicroHybrid().apply(data, columns=list(frame), given=[], seed=1)
    mv.write(release, tmp_path / f"out.{suffix}", shuffle=False, reproducible=True)
    back = mv.read(tmp_path / f"out.{suffix}")
    after = pd.DataFrame({name: back.values(name, "continuous").numbers for name in frame})
    assert_moments(frame, SimpleNamespace(frame=after, groups=release.groups), list(frame))
    written = release.check(after)
    assert all(verdict.holds and verdict.exactly for verdict in written)
