"""l, t, both readings of gaps, weights and closed failures, in every format that is written."""

from __future__ import annotations

import errno
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import microveil as mv
from microveil.core.errors import MicroveilError
from microveil.io.formats import known_formats
from microveil.measure import Scenario
from microveil.package import Audit, Package, audit, write_package
from tests.properties.test_written_formats import FORMATS, as_strangers_read, every_format

K, L, T, N = 4, 2, 0.35, 160
KEYS = ["sex", "region"]
pytestmark = pytest.mark.long
MODEL = mv.Anonymity(k=K, sensitive=["illness"], l=L, t=T, distance="equal")


@pytest.fixture(scope="module")
def release() -> mv.Release:
    rng = np.random.default_rng(7)
    data = mv.Microdata(
        pa.table(
            {
                "sex": rng.choice(["f", "m"], N),
                "region": rng.choice(["north", "south", "east", "west", "isle"], N, p=[0.3, 0.3, 0.25, 0.13, 0.02]),
                "illness": rng.choice(["none", "flu", "heart"], N, p=[0.5, 0.3, 0.2]),
            }
        ),
        roles={"sex": "key", "region": "key", "illness": "confidential"},
    )
    return mv.mask.KAnonymise(model=MODEL).apply(data, columns=KEYS)


@pytest.fixture(scope="module")
def package(release: mv.Release, tmp_path_factory: pytest.TempPathFactory) -> Package:
    figures = mv.evaluate(release.original, release, measures=["entropy-loss"])
    limits = [Scenario("neighbour", tuple(KEYS), thresholds={"risk": 1 / K})]
    return write_package(
        release, tmp_path_factory.mktemp("runs") / "0001", FORMATS, evaluation=figures, scenarios=limits
    )


@pytest.fixture(scope="module")
def audited(package: Package) -> Audit:
    return audit(package.public, log=package.internal / "log.json")


@every_format
def test_1_k_l_and_t_hold_on_the_file_as_strangers_read_it(package: Package, ending: str) -> None:
    """P1, counted with nothing of ours."""
    found = as_strangers_read(package.public / f"data.{ending}").fillna("")
    whole = found["illness"].value_counts(normalize=True)
    for _, members in found.groupby(KEYS):
        shares = members["illness"].value_counts(normalize=True).reindex(whole.index, fill_value=0.0)
        assert len(members) >= K
        assert members["illness"].nunique() >= L
        assert (shares - whole).abs().sum() / 2 <= T + 1e-9


@every_format
def test_1_the_audit_counts_the_models_and_both_readings_of_gaps(audited: Audit, ending: str) -> None:
    told = [str(one) for one in audited.findings if f"data.{ending}, read by" in one.text]
    scenario, model = (next(line for line in told if part in line) for part in ("scenario 'neighbour'", "classes of"))
    assert scenario.startswith("holds: ")
    assert "with a missing value counted as a value" in scenario
    assert "with a missing value agreeing with any" in scenario
    assert model.startswith("holds: ")
    assert all(part in model for part in (f"{K} is asked for", f"(distinct), {L} is asked for", f"{T:g} is allowed"))


@every_format
def test_p14_a_weight_that_tells_a_suppressed_region_is_named(tmp_path: Path, ending: str) -> None:
    region = np.array(["north", "south", "east", "west"])[np.arange(240) % 4].astype(object)
    weight = np.array([2.5, 4.0, 1.25, 8.0])[np.arange(240) % 4]
    region[::10] = None
    order = np.random.default_rng(1).permutation(240)
    frame = pd.DataFrame({"region": region, "w": weight}).iloc[order]
    mv.write(pa.Table.from_pandas(frame, preserve_index=False), tmp_path / f"data.{ending}", unprotected=True)
    (tmp_path / "project.yaml").write_text(
        "version: 2\ndataset: {path: a.csv}\ncolumns:\n  region: {role: key, kind: nominal}\n  w: {role: weight}\n"
    )
    found = audit(tmp_path / f"data.{ending}", project=tmp_path / "project.yaml")
    (one,) = [one.text for one in found.broken if one.check == "weights"]
    assert "w tells 100 % of 24 hidden cells of 'region'" in one


@every_format
def test_7_a_disk_that_is_full_in_the_middle_of_a_file_leaves_nothing(
    release: mv.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    """P10: the other formats were written before, and are gone too."""
    kind = next(one for one in known_formats().values() if f".{ending}" in one.endings)

    def half(clean: object, handle: object, target: Path, stated: object) -> None:
        if target.name == f"data.{ending}":
            handle.write(b"half")  # type: ignore[attr-defined]
            raise OSError(errno.ENOSPC, "No space left on device")
        write(clean, handle, target, stated)

    write = kind.write
    monkeypatch.setattr(type(kind), "write", lambda self, *given: half(*given))
    formats = [one for one in FORMATS if one != ending and f".{one}" in kind.endings]
    with pytest.raises((MicroveilError, OSError), match="No space left"):
        write_package(release, tmp_path / "0001", [*formats, ending])
    assert list(tmp_path.iterdir()) == []
