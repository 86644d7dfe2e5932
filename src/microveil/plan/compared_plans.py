"""Plans that were compared: a table, a map and a sentence."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from types import ModuleType

from microveil.core.cards import Html, card, listed, paragraph, table
from microveil.core.numbers import format_number
from microveil.core.open_types import Json
from microveil.core.words import counted
from microveil.measure import Measure
from microveil.plan.judged import better_said, limits_said
from microveil.plan.trial import Trial, frontier

ONE_DRAW = "Each plan was run once: another draw has somewhat other figures."
NO_DRAWS = "No plan draws anything: another key gives the same files."
SEVERAL_DRAWS = "Each plan was run under the same {draws} keys: figures are means, with the lowest and highest draw."


class Comparison(tuple[Trial, ...]):
    """The trials of a comparison; printed as a table with a sentence, shown with a map in a notebook."""

    __slots__ = ()

    @property
    def sentence(self) -> str:
        """Which plan is better, in one sentence."""
        return better_said(self)

    @property
    def about_draws(self) -> str:
        """How often plans were run, in a sentence."""
        draws = max((trial.draws for trial in self), default=1)
        if self and not any(trial.is_drawn for trial in self):
            return NO_DRAWS
        return ONE_DRAW if draws == 1 else SEVERAL_DRAWS.format(draws=draws)

    @property
    def may_be_chance(self) -> bool:
        """Whether plans were run once although another key gives other files: more draws say what is chance."""
        return any(trial.is_drawn and trial.draws == 1 for trial in self)

    @property
    def about_limits(self) -> tuple[str, ...]:
        """Which plans keep the limits stated, in a sentence; none where nobody stated any."""
        return limits_said(self)

    @property
    def frontier(self) -> tuple[Trial, ...]:
        """The trials that no other beats in both loss and risk."""
        return frontier(self)

    @property
    def problems(self) -> tuple[str, ...]:
        """What kept plans from being candidates, in words."""
        found = [f"{trial.label}: {trial.problem}" for trial in self if trial.problem]
        broken = [trial for trial in self if trial.breaks_rules and not trial.problem]
        return (*found, *(f"{trial.label}: {_records(trial)} a rule of the data" for trial in broken))

    def judged_by(self, loss: str, risk: str) -> Comparison:
        """The same trials by two other figures that were taken, by the names of their measures."""
        return Comparison(trial.judged_by(loss, risk) for trial in self)

    def map(self) -> str:
        """The risk-utility map as SVG."""
        svg: str = _reports().map_of_trials(self)
        return svg

    @property
    def head(self) -> tuple[str, ...]:
        """The headings of the table: the figures are called by their measures."""
        measures = next((trial.measures for trial in self if trial.measures is not None), None)
        loss, risk = map(_heading, measures) if measures is not None else ("loss", "risk")
        return ("plan", loss, risk, *self._stated, "seconds")

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The table for people, a row for each plan."""
        return tuple(
            (
                trial.label,
                figure_said(trial, 0),
                figure_said(trial, 1),
                *(_kept(kept(trial)) for kept in self._stated.values()),
                format_number(trial.seconds, 2),
            )
            for trial in self
        )

    @property
    def _stated(self) -> dict[str, Callable[[Trial], tuple[int, int] | None]]:
        """What somebody stated that plans must keep, by the heading of its column."""
        columns: dict[str, Callable[[Trial], tuple[int, int] | None]] = {
            "limits of scenarios": lambda trial: trial.limits,
            "figures that must survive": lambda trial: trial.survive,
        }
        return {name: of for name, of in columns.items() if any(of(trial) is not None for trial in self)}

    def to_json(self) -> Json:
        """The trials and the sentence in plain JSON terms."""
        return {"sentence": self.sentence, "trials": [trial.to_json() for trial in self]}

    def to_text(self) -> str:
        """The same as JSON text."""
        return json.dumps(self.to_json(), indent=2, ensure_ascii=False)

    def __repr__(self) -> str:
        lines = [self.head, *self.rows]
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        told = [
            "  ".join(
                [label.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))]
            )
            for label, *cells in lines
        ]
        return "\n".join([*told, *self.problems, self.sentence, *self.about_limits, self.about_draws])

    def _repr_html_(self) -> str:
        figure = Html(self.map())
        said = (*self.about_limits, self.about_draws)
        told = (paragraph(text) for text in said)
        return card(self.sentence, table(self.head, self.rows), listed(self.problems), *told, figure)


def _records(trial: Trial) -> str:
    return f"{counted(trial.rules.after, 'record')} break{'s' * (trial.rules.after == 1)}"


def figure_said(trial: Trial, place: int) -> str:
    """Loss (0) or risk (1) of a trial, with the lowest and the highest of several draws."""
    value = (trial.loss, trial.risk)[place]
    found = trial.figures.get(trial.measures[place].name) if trial.measures else None
    if value is None or found is None or found.interval is None or trial.draws == 1:
        return format_number(value)
    low, high = map(format_number, found.interval)
    return format_number(value) if low == high else f"{format_number(value)} ({low} to {high})"


def _kept(found: tuple[int, int] | None) -> str:
    """In how many draws something was kept."""
    if found is None:
        return ""
    kept, draws = found
    if 0 < kept < draws:
        return f"kept in {kept} of {draws}"
    return "kept" if kept else "not kept"


def _heading(measure: Measure) -> str:
    name = measure.title or measure.name
    return f"{name}, {measure.unit}" if measure.unit else name


def _reports() -> ModuleType:
    # charts are drawn above this room; they are loaded when one is asked for
    return importlib.import_module("microveil.report")
