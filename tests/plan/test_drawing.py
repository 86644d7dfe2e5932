"""Decisions behind a plan: drawing by them gives the very plan, so that a sampler learns from plans it did not draw."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import microveil as mv
from microveil.core.registry import registered
from microveil.core.streams import Key, Streams
from microveil.plan.catalogue import example_of
from microveil.plan.drawing import ByStreams, Decision, decisions_for, draw_member
from microveil.plan.grid import grid_points
from microveil.run.method import Method


@dataclass(frozen=True)
class Decided:
    """Chance that decides as it is told; what nobody told does not matter."""

    told: dict[tuple[str | int, ...], Decision]
    path: tuple[str | int, ...] = ()

    def at(self, *parts: str | int) -> Decided:
        return Decided(self.told, (*self.path, *parts))

    def share(self) -> float:
        known = self.told.get(self.path)
        return 0.0 if known is None else known.share

    def pick(self, options: int) -> int:
        chosen, of = self.told[self.path].choice
        assert of == options
        return chosen


def _redrawn(member: Method, base: Method) -> Method:
    return draw_member(base, Decided({one.path: one for one in decisions_for(member)}))


@pytest.mark.parametrize("number", range(6))
def test_what_was_drawn_is_drawn_again_by_its_decisions(number: int):
    for cls in registered(Method):
        base = example_of(cls)
        drawn = draw_member(base, ByStreams(Streams(Key.of("draws")).at(cls.name, number)))
        assert _redrawn(drawn, base) == drawn


def test_points_of_grids_within_the_intervals_are_drawn_by_their_decisions():
    for p in (2.0, 7.0, 15.0):
        assert _redrawn(mv.mask.RankSwap(p=p), mv.mask.RankSwap()) == mv.mask.RankSwap(p=p)
    hybrid = mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=50))
    assert _redrawn(hybrid, mv.hybrid.MicroHybrid()) == hybrid
    assert all(isinstance(one, Decision) for member in grid_points(mv.mask.Pram) for one in decisions_for(member))


def test_by_hand():
    # p is searched from 1 to 20 by orders of magnitude
    (number, choice) = (one for one in decisions_for(mv.mask.RankSwap(p=20**0.5)) if one.path[0] == "p")
    assert number.path == ("p", "number")
    assert number.share == pytest.approx(0.5)
    assert choice == Decision(("p", "choice"), choice=(0, 1))
    beyond = [one for one in decisions_for(mv.mask.RankSwap(p=90)) if one.path[0] == "p"]
    assert beyond == []  # no draw goes so far
