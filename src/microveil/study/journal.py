"""The journal of a study: a line of JSON for every trial, so that a study that was stopped goes on where it was.

The first line says what the study is about. Neither key nor seed is in it, only a mark by which another seed is
noticed; a plan has the place of its streams, which is a hash of its text. It holds risk figures and a fingerprint of
the data.
"""

from __future__ import annotations

import hashlib
import json
from math import inf, isfinite
from pathlib import Path
from typing import NamedTuple, get_args

from microveil.core.errors import MicroveilError
from microveil.core.measured import Measured
from microveil.core.open_types import Json
from microveil.data.fingerprint import fingerprint
from microveil.data.microdata import Microdata
from microveil.plan.plan import Plan
from microveil.plan.space import canonical_text
from microveil.plan.worst_case import NAME as WORST
from microveil.study.lines import Lines, peek
from microveil.study.tried import Found, State, Survived, figure_of

NAME = "journal.jsonl"
VERSION = 1
_DIFFERS = {
    "study": "is of another version of studies",
    "data": "is about other data, or other roles, kinds, rules, levels, hierarchies or codes of missing values",
    "aims": "is about other objectives, limits, scenarios or promises",
    "space": "is about other columns or methods, or was begun with other plans and has not tried that given now",
    "key": "has another seed, or was begun with a seed where none is given now, or without one",
}


def mark_of_data(data: Microdata) -> str:
    """A fingerprint of the records and of what is known about their columns."""
    facts = [dict(data.roles), dict(data.kinds), [str(edit) for edit in data.edits], data.integers, *_read_by(data)]
    return hashlib.sha256(f"{fingerprint(data)}{json.dumps(facts, sort_keys=True)}".encode()).hexdigest()


def _read_by(data: Microdata) -> list[list[str]]:
    """What the values of columns are read by, where somebody stated it: order, codes of missing values, hierarchies."""
    stated = {
        name: (column.levels or (), column.missing, sorted(map(repr, (column.hierarchy or {}).items())))
        for name, column in data.schema.items()
    }
    return [[name, *map(repr, facts)] for name, facts in stated.items() if any(facts)]


def place_of(text: str) -> str:
    """The hash of the path at which the streams of a plan begin."""
    return hashlib.sha256(f"trial {text}".encode()).hexdigest()[:16]


class Begun(NamedTuple):
    """The plans that a study was begun with, and the texts of all plans that it knows."""

    plans: tuple[Plan, ...]
    known: frozenset[str]


def begun_before(folder: Path) -> Begun | None:
    """What the journal of a folder was begun with; None where there is none, or none that can be read."""
    found = list(peek(folder / NAME))
    try:
        plans = tuple(Plan.from_mapping(one) for one in found[0]["space"]["plans"])
    except (IndexError, KeyError, TypeError, AttributeError, MicroveilError):
        return None
    tried = (_text_of(fields) for fields in found[1:] if "plan" in fields)
    return Begun(plans, frozenset((*map(canonical_text, plans), *tried)))


class Journal:
    """What was tried before, and where to note what is tried now; without a folder nothing is noted."""

    def __init__(self, folder: Path | None, head: Json) -> None:
        self.trials: list[tuple[str, Found]] = []
        self.draws: dict[tuple[str, int], Found] = {}  # confirmations of a plan, by its text and their number
        self._lines = None if folder is None else Lines(folder / NAME, head, _DIFFERS, _is_about_a_plan, _about)
        for fields in () if self._lines is None else self._lines.found:
            text = _text_of(fields)
            if "draw" in fields:
                self.draws[text, int(fields["draw"])] = Found.from_json(fields)
            else:
                self.trials.append((text, Found.from_json(fields)))

    def note_trial(self, text: str, found: Found) -> None:
        """A trial was measured."""
        self.trials.append((text, found))
        self._add({"plan": json.loads(text), "place": place_of(text), **found.to_json()})

    def note_draw(self, text: str, number: int, found: Found) -> None:
        """A plan was run once more, to confirm it."""
        self.draws[text, number] = found
        self._add({"plan": json.loads(text), "draw": number, "place": place_of(text), **found.to_json()})

    def _add(self, fields: Json) -> None:
        if self._lines is not None:
            self._lines.add(fields)


def _text_of(fields: Json) -> str:
    return json.dumps(fields["plan"], sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _is_about_a_plan(fields: Json) -> bool:
    """Whether a line tells of a plan, with all fields as they were written and figures that their measures can be."""
    try:
        found = Found.from_json(fields)
        figures = [figure_of(one) for one in found.figures.values()]
        reached = [Survived.from_json(one).found for one in found.reached.values()]
        steps = len(fields["plan"]["steps"])
        return (
            found.state in get_args(State)
            and isinstance(fields.get("draw", 0), int)
            and len(found.acted_on) in (0, steps)
            and all(one.bounds[0] <= one.value <= one.bounds[1] for one in figures)
            and all(_is_sound(one) for one in figures if one.name == WORST)
            and all(0 <= share <= 100 for share in found.scenarios.values())
            and all(one is None or isfinite(one) for one in (*reached, found.at_least))
            and 0 <= found.seconds < inf
            and found.left_out >= 0
        )
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError):
        return False


def _is_sound(worst: Measured) -> bool:
    """Whether a worst case is the highest of its parts, as limits of scenarios are judged by these."""
    return all(-100 <= one <= worst.value for one in worst.parts.values()) and worst.value in worst.parts.values()


def _about(fields: Json) -> str:
    """The plan that a line is about, and which draw of it."""
    return f"{_text_of(fields)} {fields.get('draw', '')}"
