"""Methods that learn from orders on disk: the bytes of the run in memory, whatever the blocks, files and tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import microveil as mv
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.engines import BlockEngine, Scan, SparkEngine, scan
from microveil.run import ranked
from microveil.synth import cholesky_synthesis
from tests.engines.fake_spark import FakeSession
from tests.engines.files import KEY, same_releases, written

ROWS = 400
SHUFFLE = mv.mask.DataShuffle()
COPULA = mv.synth.GaussianCopula
KINDS = ["amount", "tied", "few", "word", "constant"]

STEPS: dict[str, Any] = {
    "shuffled": {"method": SHUFFLE, "columns": ["amount", "tied", "few"], "given": ()},
    "shuffled beside all kinds": {
        "method": SHUFFLE,
        "columns": ["amount", "whole", "gaps", "empty", "constant"],
        "given": ["word", "few", "tied", "other"],
        "missing": "mask",
    },
    "some left out": {"method": SHUFFLE, "columns": ["gaps", "few"], "given": ["amount"], "missing": "drop"},
    "one column": {"method": SHUFFLE, "columns": ["whole"], "given": ()},
    "a copula": {"method": COPULA(), "columns": KINDS},
    "a copula of exact margins": {
        "method": COPULA(margins="exact", correlation="spearman"),
        "columns": [*KINDS, "gaps", "rare"],
        "missing": "drop",
    },
    "more records of a copula": {"method": COPULA(records=1000), "columns": ["amount", "word", "whole"]},
    "fewer records of a copula": {"method": COPULA(records=4), "columns": ["amount", "word"]},
    "exact moments": {"method": mv.synth.CholeskySynthesis(), "columns": ["amount", "gaps"], "missing": "drop"},
    "exact moments of few": {"method": mv.synth.CholeskySynthesis(records=5), "columns": ["amount", "whole"]},
    "noise on scores": {"method": mv.mask.SullivanNoise(rounds=1), "columns": ["amount", "tied", "degree", "constant"]},
    "noise on scores, original values": {
        "method": mv.mask.SullivanNoise(marginal="exact", rounds=2, min_move=0.5),
        "columns": ["amount", "gaps", "degree"],
        "missing": "drop",
    },
    "in subdomains": {"method": SHUFFLE, "columns": ["whole", "tied"], "given": (), "by": "few"},
}
VARIANTS = ["shuffled", "one column", "a copula", "exact moments of few", "noise on scores, original values"]
BY_TASKS = ["shuffled beside all kinds", "more records of a copula", "exact moments"]


@pytest.fixture(autouse=True)
def small_stretches(orders_on_disk: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stretches of few records too."""
    monkeypatch.setattr(ranked, "STRETCH", 90)
    monkeypatch.setattr(cholesky_synthesis, "_MADE_AT_ONCE", 8)


def of_all_kinds(rows: int) -> pa.Table:
    draw = np.random.default_rng(4)
    few = draw.integers(1, 5, rows)
    gaps = draw.random((2, rows)) < 0.2
    return pa.table(
        {
            "amount": np.round(draw.lognormal(8, 1, rows), 2) + few,
            "tied": np.where(draw.random(rows) < 0.7, 0.0, draw.integers(-3, 9, rows) + 0.5)
            * draw.choice([-1, 1], rows),  # zeros of both signs
            "gaps": pa.array(np.where(gaps[0], np.nan, draw.normal(size=rows)), from_pandas=True),
            "other": pa.array(np.where(gaps[1], np.nan, draw.normal(size=rows)), from_pandas=True),
            "whole": draw.integers(-500, 500, rows),
            "few": few,
            "constant": np.full(rows, 3.5),
            "empty": pa.nulls(rows, pa.float64()),
            "degree": draw.choice(["low", "middle", "high", None], rows).tolist(),
            "rare": ["z", *["y"] * (rows - 1)],
            "word": draw.choice(["a", "b", "c", None], rows).tolist(),
        }
    )


def scanned(folder: Path, rows: int) -> Scan:
    parquet.write_table(of_all_kinds(rows), folder / "a.parquet", row_group_size=130)
    return scan(
        folder / "a.parquet",
        roles={"word": "key"},
        kinds={"few": "ordinal"},
        levels={"degree": ["low", "middle", "high"]},
    )


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> Scan:
    return scanned(tmp_path_factory.mktemp("ranks"), ROWS)


@pytest.mark.filterwarnings("ignore::microveil.core.errors.NothingHidden")
@pytest.mark.long
@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.full] * (name in VARIANTS)) for name in STEPS])
def test_release_is_that_of_memory(ranks: Scan, tmp_path: Path, name: str) -> None:
    # a step before and one behind
    steps = [
        {"method": mv.mask.UncorrelatedNoise(), "columns": ["other"], "missing": "mask"},
        STEPS[name],
        (mv.mask.Round(base=2.0), ["amount"]),
    ]
    engine = SparkEngine(FakeSession(), 3, 100) if name in BY_TASKS else BlockEngine(3, 77)
    same_releases(ranks, steps, tmp_path, engine)


FEW: dict[str, Any] = {
    "data-shuffle": {"method": SHUFFLE, "columns": ["amount", "whole"], "given": ["gaps"], "missing": "mask"},
    "gaussian-copula": {"method": COPULA(), "columns": ["amount", "whole"]},
    "sullivan-noise": {"method": mv.mask.SullivanNoise(), "columns": ["amount"]},
    "cholesky-synthesis": {"method": mv.synth.CholeskySynthesis(), "columns": ["amount"]},
}


@pytest.mark.parametrize(
    ("name", "rows"),
    [*((name, rows) for name in FEW for rows in (1, 2, 3)), ("sullivan-noise", 4)],
)
def test_few_records(name: str, rows: int, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    source = scanned(tmp_path / "in", rows)
    least = (
        4 if name == "sullivan-noise" and rows > 1 else 2 if name == "sullivan-noise" else 3
    )  # one value is constant
    if rows < least:
        for engine in ("memory", "blocks"):
            with pytest.raises(NotEnoughRecords, match=f"{name} needs at least {least} records.*: {rows} given"):
                written(source, [FEW[name]], tmp_path / "out", engine)
        return
    same_releases(source, [FEW[name]], tmp_path, BlockEngine(1, 2))


def test_notes_on_what_was_drawn_are_those_of_memory(ranks: Scan, tmp_path: Path) -> None:
    step = {"method": COPULA(margins="exact"), "columns": ["amount", "rare"]}
    told = [written(ranks, [step], tmp_path / engine, engine)[0].notes for engine in ("memory", "blocks")]
    about = [[note for note in notes if ("exact" in note and "value" in note) or "once" in note] for notes in told]
    assert about[0] == about[1]
    assert [note.split(":")[0] for note in about[1]] == [
        "exact margins keep categories that occur once",
        "synthetic records hold exact values that one original record alone has",
    ]


def test_scores_that_follow_from_others_are_refused_in_blocks(tmp_path: Path) -> None:
    numbers = np.random.default_rng(1).normal(size=60)
    parquet.write_table(pa.table({"a": numbers, "b": 2 * numbers}), tmp_path / "a.parquet")
    plan = mv.Plan([(mv.mask.SullivanNoise(), ["a", "b"])])
    with pytest.raises(BadInput, match=r"give by=\.\.\., or run with engine='memory'"):
        plan.run(scan(tmp_path / "a.parquet"), into=tmp_path / "out", seed=KEY, engine="blocks")
