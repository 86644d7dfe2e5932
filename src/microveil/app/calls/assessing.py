"""The risk of the file as it is."""

from __future__ import annotations

from pathlib import Path

from microveil import plan
from microveil.app.calls.call import FILE, Call, Work, argument
from microveil.core.open_types import Json
from microveil.io import write_text
from microveil.report import risk_body, write_risk_page

BODY, FIGURES, PAGE = "body.html", "risk.json", "risk.html"


def _do(work: Work) -> Json:
    stated = work.load()
    work.tell("reading the file", 1, 6)
    data = stated.read(work.home)
    found = plan.assess(data, scenarios=stated.scenarios, progress=work.tell)
    write_text(work.folder / FIGURES, found.to_text() + "\n", private=True)
    write_risk_page(work.folder / PAGE, found, title=f"Risk of {Path(stated.path).name} as it is")
    write_text(work.folder / BODY, risk_body(found), private=True)
    return {"over": list(found.over_limit)}


def _command(project: Path, settings: Json) -> tuple[str, ...]:
    outputs = ("--report", PAGE, "--json", FIGURES)
    return ("microveil", "risk", argument(str(settings["path"])), "--project", project.name, *outputs)


RISK = Call("risk", "Measure the risk of the file as it is", _do, _command, (*FILE, "scenarios"))
