"""Hybrids beside masks and the published hybrid on EIA, each pair at equal linkage risk: a table of our own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.measured import Measured
from microveil.core.streams import Key
from microveil.data import Microdata
from microveil.datasets import load
from microveil.hybrid import CholeskyHybrid, LocalMasking, MicroHybrid
from microveil.loss import PIL, MomentChange
from microveil.mask import Microaggregation, RankSwap, SwapInGroups, UncorrelatedNoise
from microveil.measure import Measure
from microveil.partition import MDAV, Refined
from microveil.reproduce.base import Cell, Content, draw_keys, paper_table
from microveil.reproduce.eia import ATTRIBUTES
from microveil.reproduce.status import Range
from microveil.risk import DistanceLinkage
from microveil.run import Method, Release

CLASSES = 10
SIZES_TRIED = (3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 60, 80, 120, 200, 300, 500, 800, 1200)

RIVALS: Mapping[str, Method] = {
    "paper's algorithm on MDAV k=3": CholeskyHybrid(
        mask=Microaggregation(partition=MDAV(k=3)), core="paper", rows="last"
    ),
    "paper's algorithm on rank swap p=7": CholeskyHybrid(mask=RankSwap(p=7), core="paper", rows="last"),
    "paper's algorithm on noise p=0.16": CholeskyHybrid(mask=UncorrelatedNoise(p=0.16), core="paper", rows="last"),
    "microaggregation k=3": Microaggregation(partition=MDAV(k=3)),
    "microaggregation k=5": Microaggregation(partition=MDAV(k=5)),
    "rank swap p=7": RankSwap(p=7),
    "noise p=0.16": UncorrelatedNoise(p=0.16),
}
LOSSES = ("PIL(Q)", "PIL(Q) in classes", "third", "third mixed", "class means", "PIL(r)")
RISK = "linked"

READING = (
    "The ten revenue and sales attributes of EIA; averages over the draws.",
    (
        "linked: per cent of records linked by their nearest record on all ten attributes, the larger of both "
        "directions and of both ways to standardise (each file by itself, both by the original)."
    ),
    (
        "At equal risk: the smallest group size tried whose share of links does not exceed the rival's by more than "
        "one standard error of that share."
    ),
    (
        "third, third mixed: mean change of third central moments in per cent of the moments of absolute values. "
        "class means: mean change, in per cent, of the means in ten size classes of equal number (sorted by the sum of "
        "z-scores), of which no method knew. PIL: 0 to 100."
    ),
    (
        "micro-hybrid: refined MDAV groups, IPSO inside; means and covariances are exact. columns permuted: refined "
        "MDAV groups, every column permuted inside its group by itself (local masking); the values of every column are "
        "exact."
    ),
)


@paper_table(
    "eia-comparison",
    "EIA: what hybrids lose at the linkage risk of masks and of the published hybrid",
    "Our own comparison",
    draws=3,
    data=("eia",),
)
def comparison(draws: int, key: Key) -> Content:
    """Every rival, and each of our two hybrids at its risk."""
    ours = {
        name: {k: figures(method(k), draw_keys(key, draws, name, k)) for k in SIZES_TRIED}
        for name, method in {"micro-hybrid": micro_hybrid, "columns permuted": columns_permuted}.items()
    }
    cells: list[Cell] = []
    notes = []
    for rival, method in RIVALS.items():
        theirs = figures(method, draw_keys(key, draws, rival))
        cells += _cells(rival, theirs)
        for name, by_size in ours.items():
            k = size_at_risk(theirs, by_size)
            cells += _cells(f"- {name} k={k} at {theirs[RISK].mean:.1f} %", by_size[k])
            notes.append(_verdict(f"{name} k={k} against {rival}", theirs, by_size[k]))
    return Content(tuple(cells), READING, tuple(notes))


def micro_hybrid(k: int) -> Method:
    """Exact covariances: synthesis inside groups."""
    return MicroHybrid(partition=Refined(base=MDAV(k=k)))


def columns_permuted(k: int) -> Method:
    """Exact distributions of the columns: inside a group each is permuted by itself."""
    # groups have fewer than 2k records, so that ranking makes one group of each
    return LocalMasking(
        partition=Refined(base=MDAV(k=k)), mask=SwapInGroups(partition=MDAV(k=k), mechanism="columns"), restore=False
    )


def figures(method: Method, keys: Sequence[Key]) -> dict[str, Range]:
    """Risk and losses of a method over the draws; a method that draws nothing is run once."""
    drawn = [
        _figures_of(method.apply(eia(), columns=ATTRIBUTES, seed=key)) for key in (keys if method.random else keys[:1])
    ]
    return {name: Range.of([figure[name] for figure in drawn]) for name in (RISK, *LOSSES)}


def size_at_risk(theirs: Mapping[str, Range], by_size: Mapping[int, Mapping[str, Range]]) -> int:
    """The smallest k tried that links no more than the rival, up to one standard error."""
    share = theirs[RISK].mean / 100
    allowed = 100 * (share + np.sqrt(share * (1 - share) / eia().n))
    fitting = [k for k, figure in by_size.items() if figure[RISK].mean <= allowed]
    return min(fitting) if fitting else max(by_size)


@cache
def eia() -> Microdata:
    """The file with the size class of each record."""
    read: Any = load("eia")
    frame = read.select(list(ATTRIBUTES))
    X = np.column_stack([frame[name].to_numpy().astype(np.float64) for name in ATTRIBUTES])
    frame = frame.append_column("size_class", [size_classes(X).astype(str).tolist()])
    return Microdata(frame, kinds=dict.fromkeys(ATTRIBUTES, "continuous"), integers="keep exact")


def size_classes(X: Floats) -> Ints:
    """Classes of equal number by the sum of z-scores."""
    order = np.argsort(((X - X.mean(axis=0)) / X.std(axis=0)).sum(axis=1), kind="stable")
    classes = np.empty(len(X), dtype=np.int64)
    classes[order] = np.arange(len(X)) * CLASSES // len(X)
    return classes


def _figures_of(release: Release) -> dict[str, float]:
    data = eia()

    def on(measure: Measure, **options: Any) -> Measured:
        found = measure(data, release, columns=ATTRIBUTES, **options)
        assert isinstance(found, Measured)
        return found

    links = [
        on(DistanceLinkage(direction=direction, standardise=standardise)).value
        for direction in ("original", "masked")
        for standardise in ("own", "original")
    ]
    pil, moments = on(PIL()), on(MomentChange())
    inside = on(PIL(), by="size_class").domains.values()
    return {
        RISK: max(links),
        "PIL(Q)": pil.parts["quantile"],
        "PIL(Q) in classes": float(np.mean([part.parts["quantile"] for part in inside])),
        "third": moments.parts["third"],
        "third mixed": moments.parts["third mixed"],
        "class means": _class_means(release),
        "PIL(r)": pil.parts["correlation"],
    }


def _class_means(release: Release) -> float:
    before, after = (
        np.column_stack([data.values(name).numbers for name in ATTRIBUTES]) for data in (eia(), release.data)
    )
    classes = eia().values("size_class").data
    changes = []
    for number in range(CLASSES):
        was, now = before[classes == number].mean(axis=0), after[classes == number].mean(axis=0)
        changes.append(np.abs(now - was)[was != 0] / np.abs(was[was != 0]))
    return 100 * float(np.mean(np.concatenate(changes)))


def _cells(row: str, found: Mapping[str, Range]) -> Iterable[Cell]:
    return [Cell(row, column, None, found[column], decimals=2) for column in (RISK, *LOSSES)]


def _verdict(pair: str, theirs: Mapping[str, Range], ours: Mapping[str, Range]) -> str:
    less = [name for name in LOSSES if ours[name].mean < theirs[name].mean]
    none = [name for name in LOSSES if ours[name].mean == theirs[name].mean]
    more = [name for name in LOSSES if ours[name].mean > theirs[name].mean]
    parts = [
        f"{word} in {', '.join(names)}"
        for word, names in (("loses less", less), ("equal", none), ("loses more", more))
        if names
    ]
    return f"{pair}: {'; '.join(parts)}."
