"""Tables 1 to 3 and sections 5 and 7 of local synthesis: utility, regressions and moments on THYROID."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from microveil.core.streams import Key
from microveil.reproduce.base import Cell, Content, draw_keys, paper_table
from microveil.reproduce.status import Range
from microveil.reproduce.thyroid import (
    DESIGNS,
    MIXED_DESIGNS,
    Figures,
    continuous,
    continuous_figures,
    matrix,
    mixed_figures,
)
from microveil.run.method import Method

PAPER = (
    "A. Oganian and J. Domingo-Ferrer, Local synthesis for disclosure limitation that satisfies probabilistic "
    "k-anonymity criterion, 2017"
)
THYROID = ("thyroid",)

SIZES = (708, 440, 325, 232, 179, 63)
SEARCH = (
    "Normal mixtures of the ten families EII, VII, EEI, VEI, EVI, VVI, EEE, EEV, VEV, VVV with up to ten components, "
    "EM from a model-based hierarchical start, with the floor of equations 3 and 4; the highest BIC is chosen."
)
OTHER_START = (
    "EM leads to a maximum near its start, and programs build the hierarchy differently. From the partition into six "
    "that the R package mclust makes, our EM ends at exactly the published sizes, with BIC -45090.356."
)

UTILITY = {
    "Hybrid": "23.07 68.44",
    "HybridMicro": "106.70 142.13",
    "Noise": "301.11 119.68",
    "Synthetic": "565.56 1390.37",
    "Micro": "276.11 105.01",
}
REGRESSIONS = {
    "Hybrid": "0.6 0.35",
    "HybridMicro": "0.7 0.3",
    "Noise": "4.6 1.44",
    "Synthetic": "12.53 3.05",
    "Micro": "8.94 2.41",
}
MOMENTS = {
    "Hybrid": "0.6 1.6",
    "HybridMicro": "1.9 5.1",
    "Noise": "1.1 2.5",
    "Synthetic": "17.0 33.7",
    "Micro": "1.4 1.6",
}
LARGER_K = {200: 77.0, 400: 95.0}
MICRO_60 = 40.0
MIXED = {"Hybrid": 121.0, "Synthetic": 690.55}

RECORDS = (
    "THYROID: the 1947 records complete on every attribute but TBG, an age of 455 included. The paper speaks of 2800 "
    "records; its six clusters add up to 1947."
)
HYBRID = (
    "Hybrid: mixture of six normal components with covariances of their own (VVV), EM from our model-based "
    "hierarchical start on the variables as they are, with the floor of equations 3 and 4; in each cluster normal "
    "records with its exact mean and covariance."
)
OTHERS = (
    "Hybrid has k = 60. HybridMicro: MDAV groups of 324 on standardised variables, redrawn likewise. Noise: equation "
    "10 with c = 0.15, normal noise as drawn. Synthetic: each variable from a linear normal regression on those before "
    "it. Micro: MDAV with k = 20 on standardised variables."
)
PROPENSITY = (
    "Figures are 2N U, N records in both files together. The paper speaks of main effects and interactions up to the "
    "third order; x, x², x³ of each variable fit its figures of Hybrid and HybridMicro best. The other columns are "
    "products of different variables, and all 55 cubic terms."
)
PURCHASED = "NEOPLASM was a purchased file: there is no public copy"
AVERAGED = "the paper averages over THYROID and NEOPLASM, and NEOPLASM was a purchased file without a public copy"
BEST = (
    "Hybrid is better than HybridMicro, and that better than Synthetic, under every design. Hybrid is not the best of "
    "all: noise and synthesis by trees score lower under some designs. Noise gives no k."
)
UNFITTING = "Nothing we tried gives the figures printed for Noise, Synthetic and Micro."
CHANGES = (
    "Change of each coefficient (standard error) of the regressions of every variable on the others, as a part of its "
    "size, averaged; intercepts are in. Ours is THYROID alone."
)
EXACT = (
    "Methods that keep means and covariances keep every coefficient and error: 0 is the right figure for both hybrids. "
    "The paper's 0.6 % may come from something done to the files later, such as rounding."
)
MOMENT_READING = (
    "Mean change of the 35 third and 70 fourth moments, mixed ones included, each as a part of its size. Moments are "
    "taken about 0; about the mean nothing comes near the printed figures. Medians are ours: a few moments with TSH "
    "decide the means."
)
FLOOR = (
    "Weights of k/n: equations 3 and 4 as printed, every record in its most likely cluster. They bound the weights of "
    "the components, not the sizes of the clusters. Clusters of k: the same, then records are assigned so that each "
    "cluster has k, at the highest likelihood. No floor: that assignment alone. Our default: ten families, up to ten "
    "clusters, and records drawn with the tails that each cluster has."
)
TWICE = (
    "The paper gives one figure for each k. Where it stands beside two of our rows, these are two readings of it, and "
    "at most one of them can be the paper's."
)
RAW = (
    "The figure of about 40 for HybridMicro with k = 60 is that of groups formed on the variables as they are, not "
    "standardised; that of Table 1 is not."
)
MIXED_READING = (
    "14 dichotomous attributes; hypopituitary has one single yes. Six classes, k = 60. Synthetic: linear normal and "
    "logistic regressions in the order of the file."
)
MIXED_DESIGN = (
    "The paper's model has main effects, products of continuous attributes, of continuous with categorical ones and "
    "some of categorical ones. Ours has all products of two; the other columns are main effects alone, and powers of "
    "the continuous attributes with all main effects."
)


def methods() -> dict[str, Method]:
    """The rows of Tables 1 to 3, and two more."""
    from microveil import hybrid, mask, partition, synth

    return {
        "Hybrid": local_synthesis(60),
        "HybridMicro": hybrid.MicroHybrid(partition=partition.MDAV(k=324)),
        "Noise": mask.KimNoise(p=0.15**0.5),
        "Synthetic": synth.SequentialRegression(scale="values", powers=1),
        "Micro": mask.Microaggregation(partition=partition.MDAV(k=20)),
        "Noise, exact moments": mask.ExactNoise(p=0.15**0.5),
        "Synthetic, trees": synth.Cart(),
    }


def local_synthesis(k: int, floor: bool = True) -> Any:
    """The paper's method with the family that its criterion chooses and at most as many clusters."""
    from microveil import hybrid

    return hybrid.LocalSynthesis(k=k, families=("VVV",), max_groups=len(SIZES), floor=floor, tails="component")


@paper_table("local-synthesis-clusters", "Section 5: the clusters for k = 60", PAPER, draws=1, data=THYROID)
def clusters(draws: int, key: Key) -> Content:
    """Sizes of the clusters that BIC chooses among ten families and up to ten clusters."""
    from microveil import partition

    mixture = partition.Mixture(k=60, floor=True)
    fits = [mixture.fit(matrix(continuous()), seed=one) for one in draw_keys(key, draws, "clusters")]
    sizes = [sorted(np.bincount(fit.labels).tolist(), reverse=True) for fit in fits]
    cells = [Cell("number of clusters", "records", float(len(SIZES)), Range.of([fit.groups for fit in fits]), 0)]
    for rank, published in enumerate(SIZES):
        found = [ours[rank] for ours in sizes if rank < len(ours)]
        cells.append(Cell(f"cluster {rank + 1}", "records", float(published), Range.of(found) if found else None, 0))
    notes = (f"Ours: family {fits[0].family}, BIC {fits[0].bic:.3f} (larger is better).", OTHER_START)
    return Content(tuple(cells), (RECORDS, SEARCH), notes)


@paper_table("local-synthesis-1", "Table 1: propensity score utility, 2N U", PAPER, draws=10, data=THYROID)
def utility(draws: int, key: Key) -> Content:
    """Utility of all methods, under the design that fits best and two others."""
    cells = []
    for row, found in _figures(methods(), draws, key).items():
        thyroid, neoplasm = _printed(UTILITY, row)
        for design in DESIGNS.values():
            published = thyroid if design == DESIGNS["powers"] else None
            cells.append(_cell(row, f"Thyroid, {design}", published, found, design, 2))
        if neoplasm is not None:
            cells.append(Cell(row, "Neoplasm", neoplasm, None, 2, PURCHASED))
    return Content(tuple(cells), (RECORDS, HYBRID, OTHERS, PROPENSITY), (BEST, UNFITTING))


@paper_table("local-synthesis-2", "Table 2: change of regressions, in per cent", PAPER, draws=10, data=THYROID)
def regressions(draws: int, key: Key) -> Content:
    """Coefficients and standard errors."""
    columns = ("Reg. coef", "Std. error")
    cells = [
        replace(_cell(row, column, published, found, column, 2), reason="" if published is None else AVERAGED)
        for row, found in _figures(methods(), draws, key).items()
        for column, published in zip(columns, _printed(REGRESSIONS, row), strict=True)
    ]
    return Content(tuple(cells), (RECORDS, HYBRID, OTHERS, CHANGES), (EXACT,))


@paper_table(
    "local-synthesis-3", "Table 3: change of third and fourth moments, in per cent", PAPER, draws=10, data=THYROID
)
def moments(draws: int, key: Key) -> Content:
    """Mean changes as the paper defines them, and medians."""
    columns = ("3rd order", "4th order", "3rd order, median", "4th order, median")
    cells = [
        _cell(row, column, published, found, column, 1)
        for row, found in _figures(methods(), draws, key).items()
        for column, published in zip(columns, (*_printed(MOMENTS, row), None, None), strict=True)
    ]
    return Content(tuple(cells), (RECORDS, HYBRID, OTHERS, MOMENT_READING))


@paper_table("local-synthesis-k", "Section 5: utility for larger k, 2N U", PAPER, draws=5, data=THYROID)
def larger_k(draws: int, key: Key) -> Content:
    """What a larger k costs, with and without clusters that have it."""
    from microveil import hybrid, partition

    cells = []
    for k, published in LARGER_K.items():
        found = {
            f"k = {k}, weights of k/n": (published, weights_only(k, draws, key)),
            f"k = {k}, clusters of k": (published, continuous_figures(local_synthesis(k), draws, key)),
            f"k = {k}, no floor": (None, continuous_figures(local_synthesis(k, floor=False), draws, key)),
            f"k = {k}, our default": (None, continuous_figures(hybrid.LocalSynthesis(k=k), draws, key)),
        }
        for row, (printed, figures) in found.items():
            cells += _utility_and_size(row, printed, figures)
    groups = {
        "HybridMicro, k = 60": partition.MDAV(k=60),
        "HybridMicro, k = 60, as they are": partition.MDAV(k=60, standardise=None),
    }
    for row, formed in groups.items():
        figures = continuous_figures(hybrid.MicroHybrid(partition=formed), draws, key)
        cells += _utility_and_size(row, MICRO_60, figures)
    return Content(tuple(cells), (RECORDS, HYBRID, FLOOR, RAW), (TWICE,))


def weights_only(k: int, draws: int, key: Key) -> tuple[Figures, ...]:
    """Figures of files drawn inside the most likely clusters of the mixture, whatever their sizes."""
    from microveil import synth

    mixture = local_synthesis(k).mixture
    labels = mixture.fit(matrix(continuous()), seed=key).log_memberships.argmax(axis=1)
    return continuous_figures(synth.Ipso(), draws, key, tuple(labels.tolist()))


@paper_table("local-synthesis-7", "Section 7: utility with categorical attributes, 2N U", PAPER, draws=5, data=THYROID)
def mixed_utility(draws: int, key: Key) -> Content:
    """Local synthesis of all attributes against sequential regressions."""
    from microveil import synth

    rows = {
        "Hybrid": local_synthesis(60),
        "Synthetic": synth.SequentialRegression(scale="values", powers=1),
        "Synthetic, trees": synth.Cart(),
    }
    cells = [
        _cell(row, design, MIXED.get(row) if design == "products of 2" else None, found, design, 1)
        for row, found in ((row, mixed_figures(method, draws, key)) for row, method in rows.items())
        for design in MIXED_DESIGNS
    ]
    return Content(tuple(cells), (RECORDS, MIXED_READING, MIXED_DESIGN))


def _figures(rows: Mapping[str, Method], draws: int, key: Key) -> dict[str, tuple[Figures, ...]]:
    return {row: continuous_figures(method, draws, key) for row, method in rows.items()}


def _printed(table: Mapping[str, str], row: str) -> tuple[float | None, float | None]:
    if row not in table:
        return None, None
    first, second = table[row].split()
    return float(first), float(second)


def _cell(row: str, column: str, published: float | None, found: Sequence[Figures], figure: str, decimals: int) -> Cell:
    return Cell(row, column, published, Range.of([figures[figure] for figures in found]), decimals)


def _utility_and_size(row: str, published: float | None, found: Sequence[Figures]) -> list[Cell]:
    return [
        _cell(row, "2N U", published, found, DESIGNS["powers"], 0),
        _cell(row, "smallest cluster", None, found, "smallest group", 0),
    ]
