"""Synthesis by models of a random part of the records: the bytes of the run in memory by any blocks and tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import microveil as mv
from microveil.engines import BlockEngine, Scan, SparkEngine, scan
from tests.engines.fake_spark import FakeSession
from tests.engines.files import same_releases

ROWS = 400
REGRESSION, CART = mv.synth.SequentialRegression, mv.synth.Cart
MIXED = ["amount", "zeros", "children", "degree", "word", "gaps"]
MODELS = {"children": "count", "zeros": "semicontinuous"}

STEPS: dict[str, Any] = {
    "regressions": {
        "method": REGRESSION(learn_from=150, models=MODELS),
        "columns": MIXED,
        "given": (),
        "missing": "mask",
    },
    "regressions, more records": {
        "method": REGRESSION(learn_from=60, records=900, scale="values", powers=3, products=True, proper=False),
        "columns": ["amount", "word", "zeros"],
        "given": (),
    },
    "many records of few": {
        "method": REGRESSION(learn_from=500, records=700),
        "columns": ["amount", "word", "degree"],
        "given": (),
    },
    "regressions beside kept columns": {
        "method": REGRESSION(learn_from=100, models={"children": "count"}, cells={"amount": "amount > 2000"}),
        "columns": ["amount", "children", "word", "gaps"],
        "given": ["degree", "zeros", "other"],
        "missing": "mask",
    },
    "bounds and rules": {
        "method": REGRESSION(
            learn_from=150,
            visit=("children",),
            bounds={"amount": (0, 4000), "zeros": (None, -9000.0)},
            rules=("if children > 2: word = 'a'",),
            predictors={"zeros": ("children",)},
        ),
        "columns": ["amount", "word", "children", "zeros"],
        "given": (),
    },
    "a small file": {"method": REGRESSION(), "columns": MIXED, "given": (), "missing": "mask"},
    "a small file beside kept columns": {
        "method": REGRESSION(),
        "columns": ["amount", "gaps"],
        "given": ["word", "degree"],
        "missing": "drop",
    },
    "trees": {"method": CART(learn_from=150), "columns": MIXED, "given": (), "missing": "mask"},
    "trees beside kept columns": {
        "method": CART(learn_from=100, cells={"amount": "amount > 2000"}, smooth=False),
        "columns": ["amount", "children", "word", "gaps"],
        "given": ["degree", "zeros", "other"],
        "missing": "drop",
    },
    "a small file by trees": {"method": CART(records=300), "columns": MIXED, "given": (), "missing": "mask"},
    "imputed": {
        "method": mv.synth.MultipleImputation(model=REGRESSION(learn_from=150), records=500),
        "columns": ["amount", "word", "gaps"],
        "given": ["zeros", "degree"],
        "missing": "drop",
    },
    "imputed for a small file": {
        "method": mv.synth.MultipleImputation(model=CART()),
        "columns": ["amount", "word"],
        "given": ["zeros", "degree"],
    },
    "in subdomains": {
        "method": REGRESSION(learn_from=60),
        "columns": ["amount", "zeros"],
        "given": (),
        "by": "sex",
    },
}
VARIANTS = [
    "regressions, more records",
    "a small file beside kept columns",
    "trees beside kept columns",
    "a small file by trees",
    "imputed for a small file",
]
BY_TASKS = ["regressions", "regressions beside kept columns", "a small file", "trees"]


def mixed_table(rows: int) -> pa.Table:
    draw = np.random.default_rng(4)
    children = draw.poisson(1.2, rows)
    gaps = draw.random((2, rows)) < 0.2
    return pa.table(
        {
            "amount": np.round(draw.lognormal(8, 1, rows) + 500 * children, 2),
            "zeros": np.where(draw.random(rows) < 0.4, 0.0, np.round(draw.normal(size=rows), 3)),
            "gaps": pa.array(np.where(gaps[0], np.nan, draw.normal(size=rows)), from_pandas=True),
            "other": pa.array(np.where(gaps[1], np.nan, np.round(draw.normal(size=rows), 1)), from_pandas=True),
            "children": children.astype(float),
            "degree": draw.choice(["low", "middle", "high", None], rows).tolist(),
            "sex": draw.choice(["f", "m"], rows),
            "word": ["rare", *draw.choice(["a", "b", "c"], rows - 1).tolist()],
        }
    )


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Scan:
    folder = tmp_path_factory.mktemp("parts")
    parquet.write_table(mixed_table(ROWS), folder / "a.parquet", row_group_size=130)
    return scan(folder / "a.parquet", roles={"word": "key"}, levels={"degree": ["low", "middle", "high"]})


@pytest.mark.long
@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.full] * (name in VARIANTS)) for name in STEPS])
def test_release_is_that_of_memory(mixed: Scan, tmp_path: Path, name: str) -> None:
    # a step before and one behind
    steps = [
        {"method": mv.mask.UncorrelatedNoise(), "columns": ["zeros"]},
        STEPS[name],
        (mv.mask.Round(base=2.0), ["amount"]),
    ]
    engine = SparkEngine(FakeSession(), 3, 100) if name in BY_TASKS else BlockEngine(3, 77)
    whole, found = same_releases(mixed, steps, tmp_path, engine)
    said = "models were learnt", "categories", "set to its bounds", "exact values that one", "leaves with one"
    told = [[note for note in one.notes if any(word in note for word in said)] for one in (whole, found)]
    assert told[0] == told[1]
    if "small" not in name and name not in ("in subdomains", "many records of few"):
        assert any("models were learnt from a random part of" in note for note in told[0])
