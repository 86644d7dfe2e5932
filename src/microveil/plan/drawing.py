"""Random parameters of a method that its declarations allow: grids, intervals to search, choices, and conditions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol, TypeVar, get_args

from microveil.core.parameters import Parameter
from microveil.core.registry import Value
from microveil.core.streams import Streams
from microveil.plan.grid import choices_to_draw

V = TypeVar("V", bound=Value)

Intervals = Mapping[str, tuple[float, float]]


class Chance(Protocol):
    """Who decides where something is open: random streams, or a sampler that learns from what was tried."""

    def at(self, *parts: str | int) -> Chance:
        """The same for a decision one or more levels further down."""

    def share(self) -> float:
        """A number of the unit interval: how far into an interval."""

    def pick(self, options: int) -> int:
        """One of so many options."""


@dataclass(frozen=True)
class ByStreams:
    """Chance by random streams: the same streams decide alike."""

    streams: Streams

    def at(self, *parts: str | int) -> ByStreams:
        """The streams further down."""
        return ByStreams(self.streams.at(*parts))

    def share(self) -> float:
        """A uniform number."""
        return float(self.streams.uniforms(0, 1)[0, 0])

    def pick(self, options: int) -> int:
        """Each option with the same probability."""
        return int(self.share() * options)


def draw_member(member: V, chance: Chance, within: Intervals | None = None) -> V:
    """The same method with other parameters, drawn at random; those of which nothing says what to try stay.

    A parameter follows those that its conditions name: where these do not allow a value it is not drawn, and where
    they allow none but the default, the default is taken. Methods among the parameters are drawn alike. `within`
    holds intervals of numbers to draw from in place of those that the parameters state.
    """
    settings = {parameter.name: getattr(member, parameter.name) for parameter in member.parameters()}
    for parameter in _conditions_first(member.parameters()):
        interval = (within or {}).get(parameter.name) or (parameter.range.searched if parameter.range else None)
        settings[parameter.name] = _draw(parameter, settings, interval, chance.at(parameter.name))
    return type(member)(**settings)


@dataclass(frozen=True)
class Decision:
    """What chance would have had to decide for a plan to be drawn: a share of an interval, or one of some options."""

    path: tuple[str | int, ...]
    share: float | None = None
    choice: tuple[int, int] | None = None  # which one, of how many


def decisions_for(
    wanted: Value, path: tuple[str | int, ...] = (), within: Intervals | None = None
) -> Iterator[Decision]:
    """The decisions by which `draw_member` would draw this very member; none for a value that it never draws.

    So a sampler learns from plans that it did not draw itself, such as those of grids.
    """
    settings = {parameter.name: getattr(wanted, parameter.name) for parameter in wanted.parameters()}
    for parameter in _conditions_first(wanted.parameters()):
        value, here = settings[parameter.name], (*path, parameter.name)
        interval = (within or {}).get(parameter.name) or (parameter.range.searched if parameter.range else None)
        options = list(parameter.grid or choices_to_draw(parameter.annotation))
        if interval is not None:
            options = [one for one in options if not _is_number(one)]
            if _is_number(value) and interval[0] <= value <= interval[1]:
                options.append(value)
                yield Decision((*here, "number"), share=_share_of(parameter, interval, float(value)))
            else:
                options.append(interval[0])  # whatever number would have been drawn and not chosen
        allowed = [one for one in options if _is_allowed(parameter, one, settings)]
        place = _place_of(value, allowed)
        if place is None:
            continue
        yield Decision((*here, "choice"), choice=(place, len(allowed)))
        if isinstance(value, Value):
            yield from decisions_for(value, (*here, value.name), parameter.within)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _place_of(value: object, options: Sequence[object]) -> int | None:
    """Which option a value is; of methods one of the same class, since settings are decided further down."""
    if value in options:
        return options.index(value)
    alike = [number for number, one in enumerate(options) if isinstance(one, Value) and type(one) is type(value)]
    return alike[0] if alike else None


def _conditions_first(parameters: Sequence[Parameter]) -> Iterator[Parameter]:
    """Parameters in an order in which each comes after those that its conditions name."""
    waiting, done = list(parameters), set[str]()
    while waiting:
        ready = next(one for one in waiting if {name for when in one.conditions for name, _ in when.others} <= done)
        waiting.remove(ready)
        done.add(ready.name)
        yield ready


def _draw(
    parameter: Parameter, settings: Mapping[str, Any], interval: tuple[float, float] | None, chance: Chance
) -> Any:
    options = list(parameter.grid or choices_to_draw(parameter.annotation))
    if interval is not None:  # one number of it stands for all those of the grid
        options = [value for value in options if not _is_number(value)]
        options.append(_number(parameter, interval, chance.at("number")))
    allowed = [value for value in options if _is_allowed(parameter, value, settings)]
    if not allowed:
        kept = settings[parameter.name]
        return kept if _is_allowed(parameter, kept, settings) else parameter.default
    chosen = allowed[chance.at("choice").pick(len(allowed))]
    return draw_member(chosen, chance.at(chosen.name), parameter.within) if isinstance(chosen, Value) else chosen


def _is_allowed(parameter: Parameter, value: Any, settings: Mapping[str, Any]) -> bool:
    return all(
        not condition.concerns(value, parameter.default) or condition.unmet(settings) is None
        for condition in parameter.conditions
    )


def _number(parameter: Parameter, interval: tuple[float, float], chance: Chance) -> float:
    """A number of the interval, whole where the parameter takes whole ones, else of three digits."""
    low, high = _ends(parameter, interval)
    share = chance.share()
    found = low * math.exp(share * math.log(high / low)) if _is_log(parameter, low) else low + share * (high - low)
    return math.floor(found) if _is_whole(parameter) else min(max(float(f"{found:.3g}"), low), high)


def _share_of(parameter: Parameter, interval: tuple[float, float], value: float) -> float:
    """How far into its interval a number lies, a whole number in the middle of its share."""
    low, high = _ends(parameter, interval)
    middle = value + 0.5 if _is_whole(parameter) else value
    if high == low:
        return 0.0
    return math.log(middle / low) / math.log(high / low) if _is_log(parameter, low) else (middle - low) / (high - low)


def _ends(parameter: Parameter, interval: tuple[float, float]) -> tuple[float, float]:
    # each whole number has its share, the last one too
    return interval[0], interval[1] + 1 if _is_whole(parameter) else interval[1]


def _is_whole(parameter: Parameter) -> bool:
    return float not in (parameter.annotation, *get_args(parameter.annotation))


def _is_log(parameter: Parameter, low: float) -> bool:
    return parameter.range is not None and parameter.range.log and low > 0
