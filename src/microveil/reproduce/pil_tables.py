"""Tables 2 and 3 of the probabilistic information loss measures, on the Census file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from microveil.core.arrays import Matrix
from microveil.core.measured import Measured
from microveil.core.streams import Key
from microveil.reproduce.base import Content, compare_with_published, draw_keys, paper_table

PAPER = (
    "J. M. Mateo-Sanz, J. Domingo-Ferrer and F. Sebé, Probabilistic information loss measures in confidentiality "
    "protection of continuous microdata, 2005"
)

CORRELATIONS = {
    "PIL(Q), IL1": "0.693 0.902",
    "PIL(m1), IL2": "0.918 1.000",
    "PIL(m2), IL3": "0.531 0.977",
    "PIL(m11), IL4": "0.592 0.950",
    "PIL(r), IL5": "0.781 0.995",
    "PIL, IL": "0.824 0.955",
}
LOSSES = {
    "Rankswap7": "0 0 0 0.4540 0.5933",
    "Mic3mul7": "0.3640 0 0.4403 0.3022 0.3309",
    "Micmul3": "0.4987 0 0.7004 0.1846 0.5341",
    "Noise16": "0.4524 0.1608 0.4447 0.1342 0.4929",
    "Scal_Mic3mul7": "0.3760 0 0 0.2138 0.3309",
    "Scal_Micmul3": "0.4979 0 0 0.3631 0.5341",
    "Scal_Noise16": "0.4467 0 0 0.3271 0.4929",
}
PARTS = {
    "PIL(Q)": "quantile",
    "PIL(m1)": "mean",
    "PIL(m2)": "variance",
    "PIL(m11)": "covariance",
    "PIL(r)": "correlation",
}

KEPT = {
    "Rankswap7": ("PIL(Q)", "PIL(m1)", "PIL(m2)"),
    "Mic3mul7": ("PIL(m1)",),
    "Micmul3": ("PIL(m1)",),
    "Scal_Mic3mul7": ("PIL(m1)", "PIL(m2)"),
    "Scal_Micmul3": ("PIL(m1)", "PIL(m2)"),
    "Scal_Noise16": ("PIL(m1)", "PIL(m2)"),
}

QUANTILES = (
    "PIL(Q): the printed density rule does not give the printed values. The nearest variant takes quantiles at "
    "(n + 1) q and does not count the own record in the window around them; an empty window means no loss."
)
SEVEN = (
    "Census, 1080 records, 13 attributes, moments with divisor n. Micmul3 is MDAV with k = 3 on all attributes, "
    "standardised. Mic3mul7 is MDAV with k = 7 on the attributes 1-3, 4-6, 7-9 and 10-13 in file order."
)
OTHERS = (
    "Noise16 adds noise of 0.16 standard deviations; Rankswap7 swaps within 7 % of the ranks, paired as mu-Argus "
    "does; Scal_ moves and stretches each masked attribute to the original's mean and variance."
)
ZEROS = (
    "Zeros by construction: swapping keeps the values of every attribute, averages keep means, Scal_ keeps means and "
    "variances."
)
MASKINGS = (
    "The paper takes 109 maskings of an earlier study and does not list them. Ours are 105: noise of 0.02 to 0.20 "
    "standard deviations, rank swapping within 1 to 20 %, MDAV with k = 3 to 20 on 1, 2, 3 or all attributes at a "
    "time, and resampling with 1 to 3 samples."
)
TRIED = (
    "Tried and not used: drawing the partner of rank swapping evenly among the free ranks, whose figures lie in the "
    "same range; the printed rule and the rank rule for PIL(Q); whole numbers instead of real ones."
)
CORRELATING = (
    "IL1 to IL5 follow Table 1 of the paper (covariances without the diagonal). Each draw makes all maskings once."
)


@paper_table(
    "pil-2", "Table 2: probabilistic against earlier measures over many maskings", PAPER, draws=3, data=("census",)
)
def agreement(draws: int, key: Key) -> Content:
    """Pearson's and Spearman's correlations between the two kinds of measures."""
    ours: dict[str, list[dict[str, float]]] = {}
    frame = census()
    for one in draw_keys(key, draws, "agreement"):
        new, old = _both_measures(frame, one)
        for j, row in enumerate(CORRELATIONS):
            ours.setdefault(row, []).append(correlations_of(new[:, j], old[:, j]))
    cells = compare_with_published(CORRELATIONS, ("Pearson", "Spearman"), ours, 3)
    return Content(cells, (MASKINGS, CORRELATING, QUANTILES))


@paper_table("pil-3", "Table 3: probabilistic information loss on Census", PAPER, draws=20, data=("census",))
def losses(draws: int, key: Key) -> Content:
    """The five parts of PIL for seven maskings."""
    frame = census()
    ours: dict[str, list[dict[str, float]]] = {}
    for row, mask in seven_maskings().items():
        for one in draw_keys(key, draws if mask.random else 1, "losses", row):
            parts = _pil(frame, mask.apply(frame, seed=one)).parts
            ours.setdefault(row, []).append({column: parts[part] / 100 for column, part in PARTS.items()})
    return Content(
        compare_with_published(LOSSES, tuple(PARTS), ours, 4, KEPT), (SEVEN, OTHERS, ZEROS, QUANTILES), (TRIED,)
    )


def census() -> Any:
    """The Census file in real numbers, so that averages are not rounded back to whole ones."""
    import pyarrow as pa

    from microveil import datasets

    frame: pa.Table = datasets.load("census")
    return frame.cast(pa.schema([(name, pa.float64()) for name in frame.column_names]))


def seven_maskings() -> dict[str, Any]:
    """The maskings of Table 3."""
    from microveil import mask, partition

    by_three = mask.Microaggregation(partition=partition.MDAV(k=7), blocks=3)
    together = mask.Microaggregation(partition=partition.MDAV(k=3))
    noise = mask.UncorrelatedNoise(p=0.16)
    return {
        "Rankswap7": mask.RankSwap(p=7, pairing="argus"),
        "Mic3mul7": by_three,
        "Micmul3": together,
        "Noise16": noise,
        "Scal_Mic3mul7": mask.Rescale(mask=by_three),
        "Scal_Micmul3": mask.Rescale(mask=together),
        "Scal_Noise16": mask.Rescale(mask=noise),
    }


def many_maskings() -> Iterator[Any]:
    """The maskings over which Table 2 correlates."""
    from microveil import mask, partition

    for step in range(1, 11):
        yield mask.UncorrelatedNoise(p=0.02 * step)
    for p in range(1, 21):
        yield mask.RankSwap(p=p, pairing="argus")
    for blocks in (1, 2, 3, None):
        for k in range(3, 21):
            yield mask.Microaggregation(partition=partition.MDAV(k=k), blocks=blocks)
    for samples in (1, 2, 3):
        yield mask.Resample(samples=samples)


def _both_measures(frame: Any, key: Key) -> tuple[Matrix, Matrix]:
    """A row of PIL parts and total, and one of IL1 to IL5 and total, for each of the maskings."""
    from microveil import loss

    earlier = loss.InformationLoss(form="table")
    maskings = list(many_maskings())
    new, old = np.empty((len(maskings), 6)), np.empty((len(maskings), 6))
    for i, (mask, one) in enumerate(zip(maskings, draw_keys(key, len(maskings), "masking"), strict=True)):
        release = mask.apply(frame, seed=one)
        found, before = _pil(frame, release), earlier(frame, release)
        new[i] = [*(found.parts[part] for part in PARTS.values()), found.value]
        if isinstance(before, Measured):
            old[i] = [*(before.parts[f"IL{j}"] for j in range(1, 6)), before.value]
    return new, old


def _pil(frame: Any, release: Any) -> Any:
    from microveil import loss

    return loss.PIL(quantiles="own-record", detail="none")(frame, release)


def correlations_of(new: Matrix, old: Matrix) -> dict[str, float]:
    """Pearson's and Spearman's coefficient of two measures over the same maskings."""
    from scipy.stats import pearsonr, spearmanr

    return {"Pearson": float(pearsonr(new, old)[0]), "Spearman": float(spearmanr(new, old)[0])}
