"""The map that a reader walks through: drawn still for paper and without script, alive by one small script of ours.

The script draws what is told in the page and nothing else: it loads nothing, and text comes into the page as text.
A page that holds the map states by its policy that this one script may run and no other, and that nothing is fetched.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import isfinite

from microveil.core.words import counted
from microveil.report.chart_map import MapPoint, risk_utility_map
from microveil.report.mapped import Mapped, PlanMap
from microveil.report.parts import Cell, Chart, Column, Part, Row, Table, Words
from microveil.report.templating import template

_DIAMOND = "◇"
_MOST_ROWS = 15


@dataclass(frozen=True)
class PlanLine:
    """A line of the table below the map; `best` is one on the frontier, chosen, or the unprotected file."""

    mark: str
    label: str
    words: str
    loss: str
    risk: str
    remark: str
    best: bool


def live_map(shown: PlanMap, name: str = "map") -> str:
    """The map as a figure of a page, which needs `map_script` once at its end; no two maps of a page share a name."""
    loss, risk = shown.axis(shown.loss), shown.axis(shown.risk)
    rows = _rows(shown)
    first = [row for row in rows if row.best] if len(rows) > _MOST_ROWS else rows
    text: str = template("map.html").render(
        name=name,
        still=still_map(shown),
        shown=sum(not point.reference for point in shown.placed),
        placeless=sum(not point.reference and not shown.has_place(point) for point in shown.points),
        original=any(point.reference for point in shown.placed),
        loss=loss.heading,
        risk=risk.heading,
        loss_title=loss.title,
        risk_title=risk.title,
        first=first,
        further=[row for row in rows if row not in first],
        told=_in_script(_told(shown)),
    )
    return text


def paper_map(shown: PlanMap) -> tuple[Part, ...]:
    """The same for paper: the still map, and every plan by its number."""
    loss, risk = shown.axis(shown.loss), shown.axis(shown.risk)
    head = (
        Column("no."),
        Column("plan"),
        Column(loss.heading, number=True),
        Column(risk.heading, number=True),
        Column("remark"),
    )
    rows = tuple(
        Row((row.mark, Cell((row.label, Words(row.words, "below")), "name"), row.loss, row.risk, row.remark))
        for row in _rows(shown)
    )
    return Chart(still_map(shown)), Table(head, rows, "tight")


def still_map(shown: PlanMap) -> str:
    """The same map as SVG, by the axes that it begins with."""
    loss, risk = shown.axis(shown.loss), shown.axis(shown.risk)
    side, height = ("right" if loss.better == "higher" else "left"), ("upper" if risk.better == "higher" else "lower")
    # steps go across and then down, which is the border only where less loss is better
    edge = [(point.values[shown.loss], point.values[shown.risk]) for point in shown.frontier]
    return risk_utility_map(
        [_point(point, mark, shown) for mark, point in _marked(shown) if shown.has_place(point)],
        edge if loss.better == "lower" else None,
        loss_name=loss.heading,
        risk_name=risk.heading,
        better=f"{height} {side} is better",
        limits=(loss.limit, risk.limit),
    )


@cache
def map_script() -> str:
    """The script of the map."""
    return files("microveil.report").joinpath("templates/map.js").read_text(encoding="utf-8")


@cache
def map_policy() -> str:
    """What a page with the map allows itself: this script, its own styles, nothing from elsewhere."""
    mark = base64.b64encode(hashlib.sha256(map_script().encode("utf-8")).digest()).decode("ascii")
    nothing = "default-src 'none'; base-uri 'none'; form-action 'none'"
    return f"{nothing}; script-src 'sha256-{mark}'; style-src 'unsafe-inline'"


def _point(point: Mapped, mark: str, shown: PlanMap) -> MapPoint:
    return MapPoint(
        point.label,
        point.values[shown.loss],
        point.values[shown.risk],
        point.reference,
        point.chosen,
        point.impossible,
        point.passed_over,
        mark,
        (point.spread.get(shown.loss), point.spread.get(shown.risk)),
        point.draws,
    )


def _marked(shown: PlanMap) -> list[tuple[str, Mapped]]:
    """Every point with its number, after the unprotected file, which has a sign."""
    originals = [(_DIAMOND, point) for point in shown.points if point.reference]
    return [*originals, *((str(number), point) for number, point in enumerate(shown.numbered, start=1))]


def _rows(shown: PlanMap) -> list[PlanLine]:
    best = {id(point) for point in shown.frontier}
    rows = []
    for mark, point in _marked(shown):
        loss, risk = (point.told(shown.axis(name)) for name in (shown.loss, shown.risk))
        on_edge = id(point) in best
        stands_out = on_edge or point.chosen or point.reference
        rows.append(PlanLine(mark, point.label, point.words, loss, risk, _remark(point, on_edge), stands_out))
    return rows


def _remark(point: Mapped, best: bool) -> str:
    said = ["chosen"] if point.chosen else []
    said += ["not protected"] if point.reference else []
    said += ["on the frontier"] if best else []
    if point.impossible and not point.problem:
        said.append(f"{counted(point.impossible, 'record')} break{'s' * (point.impossible == 1)} a rule of the data")
    said += [text for text in dict.fromkeys((point.problem, point.passed_over, point.remark)) if text]
    return "; ".join(said)


def _told(shown: PlanMap) -> dict[str, object]:
    """What the script is told: axes, and points with their figures as numbers and for people."""
    axes = [
        {
            "name": axis.name,
            "title": axis.title,
            "heading": axis.heading,
            "short": axis.short or axis.title,
            "group": axis.group,
            "about": axis.about,
            "part": axis.part,
            "better": axis.better,
            "limit": axis.limit,
        }
        for axis in shown.axes
    ]
    points = [
        {
            "id": place,
            "mark": mark,
            "label": point.label,
            "words": point.words,
            "values": {name: _number(value) for name, value in point.values.items()},
            "told": {name: point.told(shown.axis(name)) for name in point.values},
            "spread": {name: ends for name, ends in point.spread.items() if ends[0] < ends[1] and isfinite(ends[1])},
            "reference": point.reference,
            "chosen": point.chosen,
            "candidate": point.is_candidate,
            "impossible": point.impossible,
            "remark": _remark(point, best=False),
        }
        for place, (mark, point) in enumerate(_marked(shown))
        if point.values
    ]
    return {"axes": axes, "points": points, "loss": shown.loss, "risk": shown.risk}


def _number(value: float) -> float | None:
    """JSON has no infinity: such a figure is told in words and has no place on the map."""
    return value if value - value == 0 else None


def _in_script(content: object) -> str:
    """JSON that no text in it can end early."""
    text = json.dumps(content, ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
