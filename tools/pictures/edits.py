"""Pictures of the page about edits: a move, what rules forbid, and what keeping them costs."""

from __future__ import annotations

import numpy as np

from microveil import Microdata, Plan, loss, partition, risk, synth
from microveil.cli.demo_data import demo_data
from microveil.core.arrays import Floats
from microveil.hybrid import MicroHybrid
from microveil.plan import compare, frontier
from microveil.report.chart_map import MapPoint, risk_utility_map
from microveil.report.chart_svg import at, line, rectangle, text
from tools.pictures.paper import FONT, WIDE, paper


def one_move() -> str:
    """The values of three records as they are turned, and the angles at which one would fall below 0."""
    records = np.array([70.0, 22.0, 4.0])
    middle = records.mean()
    x, y = (2 * records[0] - records[1] - records[2]) / 3, (records[1] - records[2]) / np.sqrt(3)
    radius, begin = np.hypot(x, y), np.arctan2(y, x)
    angles = np.linspace(0, 2 * np.pi, 241)
    shifts = (0.0, -2 * np.pi / 3, 2 * np.pi / 3)
    curves = [middle + radius * np.cos(begin + angles + shift) for shift in shifts]
    left, right, top, zero, scale = 60.0, WIDE - 20.0, 40.0, 250.0, 2.6

    def across(angle: float) -> float:
        return left + (right - left) * angle / (2 * np.pi)

    forbidden = np.min(curves, axis=0) < 0
    step = angles[1]
    parts = [
        rectangle(across(angle - step / 2), top, across(step) - left, 270 - top + 30, "mv-up", opacity=0.16)
        for angle in angles[forbidden]
    ]
    parts += [line(left, zero, right, zero, "mv-axis"), text(left - 8, zero + 4, "0", "mv-small", "end")]
    parts += [line(left, top, left, 300, "mv-axis"), text(left, 22, "value of the three records", "mv-small")]
    for share, name in ((0, "as they are"), (1 / 3, "places changed"), (2 / 3, "places changed"), (1, "")):
        parts.append(line(across(2 * np.pi * share), top, across(2 * np.pi * share), 300, "mv-grid"))
        parts.append(
            text(
                across(2 * np.pi * share),
                322,
                ("0", "⅓ turn", "⅔ turn", "1 turn")[round(3 * share)],
                "mv-small",
                "middle",
            )
        )
        parts.append(text(across(2 * np.pi * share) + 4, 340, name, "mv-soft mv-small", "middle" if share else "start"))
    for curve, style in zip(curves, ("#2f6fb7", "#3f8f5f", "#8a5fb0"), strict=True):
        path = "M" + "L".join(f"{at(across(a))} {at(zero - scale * v)}" for a, v in zip(angles, curve, strict=True))
        parts.append(f'<path d="{path}" fill="none" stroke="{style}" stroke-width="2"/>')
    said = "The values of three records for every angle of a turn; at shaded angles one of them would be below 0."
    return paper("One move", said, 352, parts, WIDE)


def possible_values() -> str:
    """Two amounts of 200 enterprises, redrawn in groups with exact moments, without rules and with them."""
    draws = np.random.default_rng(4)
    size = draws.normal(size=200)
    X = np.exp(3 + np.column_stack([0.9 * size, 0.7 * size]) + 0.9 * draws.normal(size=(200, 2)))
    import pandas as pd

    frame = pd.DataFrame(X, columns=["home", "abroad"])
    groups = partition.MDAV(k=40)
    free, inside = (
        MicroHybrid(partition=groups, synthesiser=way).apply(
            Microdata(frame, edits=["home >= 0", "abroad >= 0"], integers="keep exact"), seed=3
        )
        for way in (synth.Ipso(), None)
    )
    panels = {
        "original": X,
        "exact moments": pd.DataFrame(free.frame).to_numpy(),
        "exact moments inside the rules": pd.DataFrame(inside.frame).to_numpy(),
    }
    high = np.quantile(X, 0.97)
    low = -0.5 * high
    parts: list[str] = []
    for number, (name, rows) in enumerate(panels.items()):
        parts += _panel(20 + number * 315, name, rows, low, high)
    said = "Three clouds of points with equal means and covariances; only the middle one has points below 0."
    return paper("Possible values", said, 340, parts, WIDE)


def map_with_rules() -> str:
    """The demo's file in groups of 3 to 20, redrawn with exact moments inside its rules and without."""
    data = demo_data(1500)
    released = data.names("key", "confidential")
    plans = {
        f"k = {k}, {name}": Plan([(MicroHybrid(partition=partition.MDAV(k=k), synthesiser=way), released)])
        for name, way in (("rules kept", None), ("no rules", synth.Ipso()))
        for k in (3, 5, 10, 20)
    }
    trials = compare(data, plans, loss.PIL(), risk.GlobalLinkage(), seed="map")
    points = [
        MapPoint(one.label, one.loss, one.risk, impossible=one.rules.after)
        for one in trials
        if one.loss is not None and one.risk is not None
    ]
    edge = [(one.loss, one.risk) for one in frontier(trials) if one.loss is not None and one.risk is not None]
    drawn = risk_utility_map(points, edge, loss_name="probabilistic information loss, %", risk_name="linked, %")
    inside = drawn.index("</desc>") + len("</desc>")
    return f'{drawn[:inside]}<rect width="100%" height="100%" fill="#fff"/>{FONT}{drawn[inside:]}'


def _panel(left: float, name: str, rows: Floats, low: float, high: float) -> list[str]:
    width, top = 285.0, 40.0

    def place(value: float) -> float:
        return width * (value - low) / (high - low)

    x0, y0 = left + place(0), top + width - place(0)
    impossible = int((rows < 0).any(axis=1).sum())
    told = f"{name}: {impossible} impossible (red)" if impossible else name
    parts = [text(left, 22, told, "mv-small")]
    parts += [line(x0, top, x0, top + width, "mv-axis"), line(left, y0, left + width, y0, "mv-axis")]
    parts += [text(left + width, y0 + 16, "sales at home", "mv-small", "end")]
    parts += [text(x0 + 6, top + 10, "sales abroad", "mv-small")]
    for x, y in rows[((rows < high) & (rows > low)).all(axis=1)]:
        style = "mv-up" if min(x, y) < 0 else "mv-after"
        spot = f'cx="{at(left + place(x))}" cy="{at(top + width - place(y))}"'
        parts.append(f'<circle class="{style}" {spot} r="2.6" fill-opacity=".7"/>')
    return parts
