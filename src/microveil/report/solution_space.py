"""The section of the report on other levels of generalisation: a map of their loss and average risk."""

from __future__ import annotations

from dataclasses import replace

from microveil.core.parameters import FrozenDict
from microveil.mask import Lattice
from microveil.report.chart_map import MapPoint, risk_utility_map
from microveil.report.section import Charts, Section, Told
from microveil.run.release import Release

_SHOWN = 12
_NODES = 5_000  # a report looks no longer than that: what it shows is there to compare with


def _draw(told: Told) -> Charts:
    release = told.release
    if release is None or not _is_searched(release):
        return Charts()
    record = release.steps[0]
    method = record.method
    assert isinstance(method, Lattice)
    free = replace(method, levels=FrozenDict(), nodes=min(method.nodes or _NODES, _NODES), seconds=None)
    beside = release.aside.get("register")
    solutions = free.explore(release.original, on=record.columns, best=_SHOWN, register=beside)
    shown = {tuple(node.levels.values()): node for node in solutions}
    if method.levels:
        chosen = replace(method, seconds=None).explore(release.original, on=record.columns, best=1, register=beside)[0]
    else:
        chosen = solutions[0]
    shown[tuple(chosen.levels.values())] = chosen
    points = [
        MapPoint(" ".join(map(str, levels)), node.loss, node.average_risk, chosen=node is chosen)
        for levels, node in shown.items()
    ]
    keys = ", ".join(map(str, record.columns))
    drawn = risk_utility_map(
        points, None, loss_name=f"loss ({method.loss})", risk_name="average risk", better="lower left is better"
    )
    return Charts((drawn,), f"Labels are the levels of {keys}. {solutions.head}")


def _is_searched(release: Release) -> bool:
    """Whether a search over all records of the original made the release's first step."""
    first = release.steps[0] if release.steps else None
    return first is not None and isinstance(first.method, Lattice) and not first.step.by


SOLUTION_SPACE = Section(
    "Other levels of generalisation",
    _draw,
    "Combinations of levels at which the model holds, the best by their loss; the ring is what was released.",
)
