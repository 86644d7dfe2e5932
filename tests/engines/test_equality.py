"""The same plan, the same bytes: in memory and in blocks of any size, by any number of threads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest

import microveil as mv
from microveil.engines import BlockEngine, Scan
from tests.engines.files import KEY

FURTHER = [BlockEngine(1, 7), BlockEngine(2, 1000), BlockEngine(1, 1 << 17)]

BLOCKED = mv.partition.Blocked(base=mv.partition.MDAV(k=6), size=40)
MODES = mv.partition.Blocked(base=mv.partition.KModes(k=4), size=40)
CLOSE = mv.Anonymity(k=3, sensitive=["sex"], l=2, diversity="recursive", c=3.0, t=0.6)
SHARED = mv.Anonymity(k=3, sensitive=["sex"], l=2, t=0.7, t_against="file")
PEOPLE = mv.Anonymity(k=2, population=20.0)
PIECES = mv.hybrid.LocalSynthesis(k=12, piece=50, families=("EEI", "VVI"), max_groups=3)

PLANS: dict[str, list[Any]] = {
    "noise": [(mv.mask.UncorrelatedNoise(), ["income", "tax"])],
    "noise by region, gaps left out": [
        {"method": mv.mask.CorrelatedNoise(), "columns": ["income", "debt"], "by": "region", "missing": "drop"}
    ],
    "several steps": [
        {"method": mv.mask.KimNoise(), "columns": ["score", "debt"], "missing": "mask"},
        (mv.mask.Pram(), ["region", "sex"]),
        {"method": mv.mask.Round(base=5, mode="random"), "columns": ["age", "tax"], "missing": "mask"},
        {"method": mv.mask.Repair(low=0.0), "columns": ["income"]},
    ],
    "exact noise": [(mv.mask.ExactNoise(), ["income", "tax"]), (mv.mask.UncorrelatedNoise(exact=True), ["score"])],
    "regressions": [
        {"method": mv.mask.Gadp(), "columns": ["income"], "given": ["sex", "score"]},
        {"method": mv.synth.Ipso(), "columns": ["tax"], "given": ["region", "score"]},
    ],
    "fitted values with a share of the residuals": [
        {"method": mv.synth.ModelBased(residual=0.4), "columns": ["income", "tax"], "given": ["region", "score"]},
        {"method": mv.synth.ModelBased(residual=1.0, interval=0.5), "columns": ["score"], "given": ["sex", "income"]},
    ],
    "mixed residuals": [
        {
            "method": mv.hybrid.MuralidharSarathy(alpha=(0.9, 0.2)),
            "columns": ["income", "tax"],
            "given": ["region", "score"],
        }
    ],
    "moments restored": [
        {"method": mv.mask.UncorrelatedNoise(), "columns": ["income", "tax", "debt"], "missing": "mask"},
        (mv.mask.Rescale(level="covariance"), ["income", "tax"]),
        {"method": mv.mask.Rescale(), "columns": ["debt"], "missing": "mask"},
        {"method": mv.mask.Rescale(mask=mv.mask.CorrelatedNoise()), "columns": ["score"], "by": "region"},
    ],
    "categories": [(mv.mask.InvariantPram(), ["sex"]), (mv.mask.GlobalRecode(rare=50), ["region"])],
    "hybrid by sex": [
        {
            "method": mv.hybrid.CholeskyHybrid(mask=mv.mask.UncorrelatedNoise(p=0.5)),
            "columns": ["income", "tax", "score"],
            "by": "sex",
        }
    ],
    "groups inside subdomains": [
        {"method": mv.mask.UncorrelatedNoise(), "columns": ["score"]},
        {"method": mv.mask.KAnonymise(k=3), "columns": ["region"], "by": "sex"},
        {"method": mv.mask.Microaggregation(), "columns": ["income", "debt"], "missing": "mask", "by": "sex"},
        {"method": mv.mask.RankSwap(), "columns": ["score"], "by": ["sex"]},
    ],
    "hybrid inside subdomains": [
        {
            "method": mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=6)),
            "columns": ["income", "tax"],
            "given": ["age"],
            "by": "sex",
            "missing": "drop",
        }
    ],
    "synthetic inside subdomains": [
        {"method": mv.synth.GaussianCopula(), "columns": ["income", "tax", "score", "age"], "by": "sex"}
        | {"missing": "drop"},
        {"method": mv.mask.UncorrelatedNoise(), "columns": ["income"]},
        {"method": mv.mask.Microaggregation(), "columns": ["score"], "by": "sex"},
    ],
    "fewer synthetic records": [
        {"method": mv.synth.CholeskySynthesis(records=40), "columns": ["income", "tax"], "by": "region"}
    ],
    "a column at a time": [
        {"method": mv.mask.RankSwap(), "columns": ["income", "debt", "age"], "missing": "mask"},
        {"method": mv.mask.TopBottomCode(), "columns": ["tax"]},
        {"method": mv.mask.IndividualRanking(), "columns": ["score"]},
    ],
    "groups in blocks of near records": [
        {"method": mv.hybrid.MicroHybrid(partition=BLOCKED), "columns": ["score", "debt"], "missing": "drop"},
        (mv.mask.Microaggregation(partition=BLOCKED), ["income", "tax"]),
    ],
    "clusters masked, rows and categories exchanged in blocks of near records": [
        {"method": mv.hybrid.LocalMasking(partition=BLOCKED, mask=mv.mask.RankSwap(p=30)), "columns": ["score", "debt"]}
        | {"missing": "mask"},
        {"method": mv.mask.Microaggregation(partition=MODES), "columns": ["income", "region", "day"]},
        (mv.mask.SwapInGroups(partition=BLOCKED), ["sex", "tax"]),
    ],
    "clusters in pieces": [(PIECES, ["income", "tax", "region"])],
    "heavy clusters in pieces beside kept columns, each category as often as before": [
        {
            "method": replace(PIECES, component="t", tails="component", standardise="robust", counts="exact"),
            "columns": ["debt", "tax", "sex"],
            "given": ["region", "score"],
            "missing": "drop",
        },
        {"method": replace(PIECES, jitter_moments=0.2), "columns": ["score", "income"], "by": "sex"},
    ],
    "values exchanged along the order": [(mv.mask.SwapInGroups(mechanism="columns"), ["region", "income", "day"])],
    "classes of equal keys": [
        {"method": mv.mask.KAnonymise(model=CLOSE), "columns": ["region", "income"]},
        (mv.mask.UncorrelatedNoise(), ["tax"]),
    ],
    "levels of keys, records left out": [
        {"method": mv.mask.Lattice(k=4, max_dropped=0.2), "columns": ["region", "sex", "income"]},
        (mv.mask.UncorrelatedNoise(), ["tax"]),
        {"method": mv.mask.Lattice(model=SHARED, max_dropped=0.3, dropped="recode"), "columns": ["score"]},
    ],
    "cells of keys left out": [
        {"method": mv.mask.LocalSuppression(k=20, linked={"region": ["score"]}), "columns": ["region", "sex"]},
        {"method": mv.mask.LocalSuppression(k=3, missing="wildcard"), "columns": ["day"], "by": "sex"},
    ],
    "other keys, a part of the records": [
        (mv.mask.Massc(), ["region", "sex", "day"]),
        {"method": mv.mask.Massc(keep=(1e-9,) * 4), "columns": ["account"]},
    ],
    "levels of keys inside subdomains of which blocks have few": [
        {"method": mv.mask.Lattice(k=3, max_dropped=0.3, dropped="star"), "columns": ["score", "sex"], "by": "region"}
    ],
    "levels of each subdomain, of which blocks have few": [
        {"method": mv.mask.GlobalRecode(bins=3), "columns": ["income"], "by": "region"},
        {"method": mv.mask.Pseudonymise(), "columns": ["account"], "by": "region"},
    ],
    "promises of several columns, run one by one": [
        {"method": mv.mask.TopBottomCode(replacement="mean"), "columns": ["income", "tax"]},
        {"method": mv.mask.RankSwap(p=20), "columns": ["day", "score", "debt"], "missing": "mask"},
    ],
    "cells that come back inside subdomains, keys passed over": [
        {"method": mv.mask.InvariantPram(stay=0.9), "columns": ["sex"], "by": "region"},
        {"method": mv.mask.Round(base=0.5), "missing": "mask"},
    ],
    "averages of equal keys": [
        {"method": mv.mask.KAnonymise(k=4, release="average"), "columns": ["region", "tax", "score"]},
        {"method": mv.mask.KAnonymise(model=PEOPLE), "columns": ["income"], "by": ["sex"]},
    ],
    "a sample of a sample": [
        {"method": mv.mask.Sample(fraction=0.8)},
        {"method": mv.mask.Sample(design="systematic")},
        (mv.mask.UncorrelatedNoise(), ["income"]),
    ],
    "classes": [{"method": mv.mask.GlobalRecode(bins=4), "columns": ["age", "income"], "missing": "mask"}],
}


# the others differ from these in what is run, and not in how blocks, parts or tasks come together
USUAL = [
    "several steps",
    "exact noise",
    "regressions",
    "moments restored",
    "hybrid by sex",
    "groups inside subdomains",
    "synthetic inside subdomains",
    "fewer synthetic records",
    "a column at a time",
    "groups in blocks of near records",
    "clusters in pieces",
    "classes of equal keys",
    "levels of keys, records left out",
    "cells of keys left out",
    "levels of each subdomain, of which blocks have few",
    "a sample of a sample",
]
EVERY_PLAN = pytest.mark.parametrize(
    "steps",
    [pytest.param(steps, id=name, marks=[pytest.mark.full] * (name not in USUAL)) for name, steps in PLANS.items()],
)


@pytest.mark.long
@EVERY_PLAN
def test_blocks_write_the_same_files(parts: Scan, steps: list[Any], tmp_path: Path) -> None:
    check_engines(parts, steps, tmp_path, [BlockEngine(4, 100)])


@pytest.mark.full
@pytest.mark.parametrize("steps", PLANS.values(), ids=PLANS)
def test_blocks_of_any_size_write_the_same_files(parts: Scan, steps: list[Any], tmp_path: Path) -> None:
    many_passes = any(getattr(step, "given", None) for step in mv.Plan(steps).steps)  # small blocks would take long
    check_engines(parts, steps, tmp_path, FURTHER[1:] if many_passes else FURTHER)


def check_engines(parts: Scan, steps: list[Any], folder: Path, engines: list[Any]) -> None:
    plan = mv.Plan(steps)
    whole = plan.run(parts, into=folder / "memory", seed=KEY)
    expected, promised = [path.read_bytes() for path in whole.files], [verdict.claim for verdict in whole.check()]
    for number, engine in enumerate(engines):
        found = plan.run(parts, into=folder / str(number), seed=KEY, engine=engine)
        assert [path.read_bytes() for path in found.files] == expected, engine
        assert [path.name for path in found.files] == ["part-00000.parquet"]
        assert found.fingerprint == whole.fingerprint
        assert (found.claims, found.lost, len(found)) == (whole.claims, whole.lost, len(whole))
        assert found.unchecked == ()
        # in blocks they are judged on the values as they are written, in memory on those before
        verdicts = found.check()
        assert [verdict.claim for verdict in verdicts] == promised
        assert all(verdict.holds for verdict in verdicts)
        missing = set(whole.notes) - set(found.notes)
        assert all("alone with" in note or "rounding" in note for note in missing), missing
    table = parquet.read_table(whole.files[0])
    assert "id" not in table.column_names
    assert table.num_rows == len(whole)
