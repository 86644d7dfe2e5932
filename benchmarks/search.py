"""A search of five minutes on two cores beside the good performers of the literature: loss (PIL) and worst case.

Census has 13 amounts, EIA ten, all in real numbers and taken for confidential. Performers are those of Mateo-Sanz,
Domingo-Ferrer & Sebe 2005, means over three keys. `found` is the plan with the least mean of loss and risk among those
that beat all seven in both figures, run again under keys of its own; that is how a search without limits chooses, and
the row says whether it is the recommended one. The plan of least loss may beat them by chance alone in the other
figure. Where there is none, each performer has the plan that beats it. The quick run takes one minute for each file.
Files come from MICROVEIL_DATA; what is absent there is left out.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    import microveil as mv
    from microveil.study import Study, Tried

KEYS = (1, 2, 3)
NO_AMOUNTS = ("UTILITYID", "UTILNAME", "STATE", "YEAR", "MONTH")


def run(quick: bool) -> list[dict[str, object]]:
    """Both files: the performers, and what the search found."""
    from microveil.core.errors import MicroveilError

    rows: list[dict[str, object]] = []
    for name in ("census", "eia"):
        try:
            data = amounts_of(name)
        except MicroveilError as problem:
            rows.append({"file": name, "plan": f"not measured: {problem}"})
            continue
        rows += _beside(name, data, "1 min" if quick else "5 min")
    return rows


def amounts_of(name: str) -> mv.Microdata:
    import microveil as mv

    frame = mv.datasets.load(name)
    frame = frame.select([column for column in frame.column_names if column not in NO_AMOUNTS])
    frame = frame.cast(pa.schema([(column, pa.float64()) for column in frame.column_names]))
    return mv.Microdata(frame, roles=dict.fromkeys(frame.column_names, "confidential"))


def _beside(name: str, data: mv.Microdata, budget: str) -> list[dict[str, object]]:
    import microveil as mv
    from microveil.reproduce.pil_tables import seven_maskings

    plans = {label: mv.Plan([mask]) for label, mask in seven_maskings().items()}
    theirs = {label: _figures(data, plan) for label, plan in plans.items()}
    study = mv.search(data, budget=budget, workers=2, seed=1)
    ends = [min(figures[axis] for figures in theirs.values()) for axis in (0, 1)]
    best = _beating(study, ends[0], ends[1])
    rows: list[dict[str, object]] = []
    for label, (loss, risk) in theirs.items():
        beaten = best or _beating(study, loss, risk)
        rows.append({"file": name, "plan": label, "PIL": loss, "worst case": risk,
                     "beaten by": beaten.label if beaten is not None else "none"})  # fmt: skip
    if best is not None:
        loss, risk = _figures(data, best.plan)
        found = "found and recommended" if best.text == study.best().text else "found"
        rows.append({"file": name, "plan": f"{found}: {best.label}", "PIL": loss, "worst case": risk,
                     "beaten by": "" if loss < ends[0] and risk < ends[1] else "some, by its means"})  # fmt: skip
    counts = ", ".join(f"{number} {state}" for state, number in study.counts.items())
    rows.append({"file": name, "plan": f"study: {len(study.trials)} plans in {study.seconds:.0f} s ({counts})"})
    return rows


def _figures(data: mv.Microdata, plan: mv.Plan) -> tuple[float, float]:
    import microveil as mv

    releases = [plan.run(data, seed=key) for key in KEYS]
    worst = mv.plan.WorstCase()
    return (
        fmean(mv.loss.PIL()(data, release).value for release in releases),
        fmean(worst(data, release).value for release in releases),
    )


def _beating(study: Study, loss: float, risk: float) -> Tried | None:
    """The trial with the least mean of loss and risk that is below both figures.

    Synthetic records are left out: nobody can be linked to them, so that their risk is another one.
    """
    alike = [one for one in study.trials if one.is_candidate and not one.synthetic]
    below = [one for one in alike if one.loss < loss and one.risk < risk]
    return min(below, key=lambda one: one.loss + one.risk, default=None)
