"""The search for the best plan, with a map that grows while it goes on."""

from __future__ import annotations

import json
import time
from pathlib import Path

from microveil import study
from microveil.app.calls.call import FILE, Call, Work, argument
from microveil.core.errors import MicroveilError
from microveil.core.open_types import Json
from microveil.io import write_text
from microveil.report import study_body, write_study_page
from microveil.study import Study

BODY, MAP, PLANS = "body.html", "map.svg", "plans.json"
_APART = 1.0  # seconds between two maps


def _do(work: Work) -> Json:
    stated = work.load()
    work.tell("reading the file", 1, 100)
    data = stated.read(work.home)
    place = work.home / str(work.settings["folder"])
    asked = dict(stated.search)
    said = asked.pop("budget", None)
    found = study.search(
        data,
        budget=work.settings.get("budget") or said,
        scenarios=stated.scenarios,
        utility=stated.utility,
        plans=[] if stated.plan is None else [stated.plan],
        folder=place,
        progress=work.tell,
        watch=_Watch(work.folder),
        **asked,
    )
    write_study_page(place / "study.html", found)
    write_text(work.folder / BODY, study_body(found), private=True)
    write_text(work.folder / PLANS, json.dumps(_plans(found), ensure_ascii=False) + "\n", private=True)
    return {
        "sentences": list(found.sentences()),
        "recommended": bool(found.keeping()),
        "confirmed": found.is_confirmed,
        "tried": len(found.trials),
    }


class _Watch:
    """Draws the map of what was tried so far, not more often than somebody can look."""

    def __init__(self, folder: Path) -> None:
        self._path, self._drawn = folder / MAP, 0.0

    def __call__(self, so_far: Study) -> None:
        if time.monotonic() - self._drawn < _APART or not so_far.compared:
            return
        try:
            write_text(self._path, so_far.map(), private=True)
        except MicroveilError:  # nothing to draw yet
            return
        self._drawn = time.monotonic()


def _plans(found: Study) -> list[Json]:
    """The best plans and the recommended one first, to be taken into the project."""
    chosen = found.best() if found.keeping() else None
    best = sorted(found.frontier, key=lambda trial: trial is not chosen)
    told = {id(trial): row for trial, row in zip(found.frontier, found.rows, strict=True)}
    return [
        {
            "label": trial.label,
            "loss": told[id(trial)][1],
            "risk": told[id(trial)][2],
            "remark": told[id(trial)][3],
            "recommended": trial is chosen,
            "plan": trial.plan.to_mapping(),
        }
        for trial in best
    ]


def _command(project: Path, settings: Json) -> tuple[str, ...]:
    time_said = ("--budget", str(settings["budget"])) if settings.get("budget") else ()
    resume = ("--resume",) if settings.get("resume") else ()
    return ("microveil", "search", argument(project.name), "--folder", str(settings["folder"]), *time_said, *resume)


SEARCH = Call("search", "Search for the best plan", _do, _command, (*FILE, "scenarios", "utility", "search"))
