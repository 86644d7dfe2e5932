"""The table of attacks on the console."""

from __future__ import annotations

from pathlib import Path

import pytest

from microveil.attack import RankSwapAttack
from microveil.cli.attack_table import show_attacks
from microveil.core.measured import Measured, NotApplicable
from microveil.plan.attacked import Attacked, attacked
from microveil.risk import DistanceLinkage

WORST = Measured("worst-case", 62.5, "lower", (0.0, 100.0))


def row(found: float, **more: object) -> Attacked:
    return Attacked(RankSwapAttack(), "", found, 0.25, True, True, **more)  # type: ignore[arg-type]


def test_the_headline_is_marked_and_the_rest_follows(capsys: pytest.CaptureFixture[str]) -> None:
    show_attacks([row(62.5, certain=40.0, unknown=("weight",)), row(3.0)], WORST, None)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["attack", "by", "found,", "%", "certain,", "%", "chance,", "%"]
    assert lines[2].startswith(">  Intersection of swapped ranks  one who knows all columns but weight")
    assert lines[2].split()[-3:] == ["62.5", "40", "0.25"]
    assert lines[3].startswith("   Intersection of swapped ranks  one who knows all columns ")
    assert lines[3].split()[-2:] == ["3", "0.25"]


def test_only_the_strongest_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    show_attacks([row(50.0 - n) for n in range(10)], NotApplicable("worst-case", "why"), None)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + 8 + 1
    assert lines[-1] == "  and 2 attacks that found less: see the report (--report FILE)"
    assert not any(line.startswith(">") for line in lines)
    show_attacks([row(50.0 - n) for n in range(10)], WORST, Path("page.html"))
    assert capsys.readouterr().out.splitlines()[-1] == "  and 2 attacks that found less: see page.html"
    show_attacks([], WORST, None)
    assert capsys.readouterr().out == ""


def test_who_an_attacker_is() -> None:
    figure = Measured("distance-linkage", 50.0, "lower", (0.0, 100.0), unit="%")
    whos = [
        attacked([(DistanceLinkage(), figure)], 100, None, unknown)[0].who
        for unknown in ((), ("weight", "household"), tuple("abcd"))
    ]
    assert whos == [
        "one who knows all columns",
        "one who knows all columns but weight and household",
        "one who knows all columns but 4 of them",
    ]
