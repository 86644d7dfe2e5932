"""Figures of one plan under several keys: means, with the lowest and the highest draw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from microveil.core.measured import Measured
from microveil.core.numbers import format_number


def mean_figure(draws: Sequence[Measured]) -> Measured:
    """One figure over several draws: its mean, with the lowest and the highest as interval; of one draw as it is."""
    first = draws[0]
    if len(draws) == 1:
        return first
    values = [one.value for one in draws]
    mean = sum(values) / len(values)
    reading = f"{format_number(mean)} {first.unit}".strip() + f" on average over {len(values)} draws."
    parts = mean_values([one.parts for one in draws])
    return replace(first, value=mean, interval=(min(values), max(values)), reading=reading, parts=parts, domains={})


def mean_values(draws: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The means of what every draw has, by name.

    >>> mean_values([{"a": 1.0, "b": 2.0}, {"a": 3.0}])
    {'a': 2.0}
    """
    return {name: sum(draw[name] for draw in draws) / len(draws) for name in in_every_draw(draws)}


def ranges_of(draws: Sequence[Mapping[str, float]]) -> dict[str, tuple[float, float]]:
    """The lowest and the highest of what every draw has, by name; nothing where there is one draw."""
    if len(draws) < 2:
        return {}
    return {
        name: (min(draw[name] for draw in draws), max(draw[name] for draw in draws)) for name in in_every_draw(draws)
    }


def in_every_draw(draws: Sequence[Mapping[str, object]]) -> Iterable[str]:
    """The names that every draw has, in the order of the first."""
    return [name for name in draws[0] if all(name in draw for draw in draws)] if draws else []
