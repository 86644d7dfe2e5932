"""Plans on the data of the project: one of them tried, or two side by side. Nothing is released."""

from __future__ import annotations

from pathlib import Path

from microveil import plan
from microveil.app.calls.call import FILE, Call, Work, argument
from microveil.core.open_types import Json
from microveil.core.streams import Key
from microveil.io import write_text
from microveil.plan.evaluation import QUICK, choose_measures
from microveil.plan.labelled import label_plans
from microveil.report import beside, comparison_body, limits_kept, limits_of_scenarios

BODY, FIGURES = "body.html", "comparison.json"


def _do(work: Work) -> Json:
    """Each plan is run and measured on the same data under the same key."""
    stated = work.load()
    plans = label_plans([work.home / path for path in work.settings["plans"]])  # they may change while it reads
    work.tell("reading the file", 1, 4)
    data = stated.read(work.home)
    key = Key.fresh()
    found = plan.compare(
        data,
        plans,
        measures=choose_measures(QUICK, stated.scenarios),
        scenarios=stated.scenarios,
        utility=stated.utility,
        draws=int(work.settings.get("draws", 1)),
        seed=key,
        progress=lambda label, number, total: work.tell(f"running and measuring {label}", number, total + 1),
    )
    work.tell("drawing", len(plans) + 1, len(plans) + 1)
    limits = limits_of_scenarios(stated.scenarios)
    own = (one.expression for one in stated.utility if one.expression)
    shown = beside(data, found, key, tuple(dict.fromkeys((*work.settings.get("indicators", ()), *own))))
    write_text(work.folder / BODY, comparison_body(found, side_by_side=shown, limits=limits), private=True)
    write_text(work.folder / FIGURES, found.to_text() + "\n", private=True)
    judged = [str(one) for one in limits_kept(found, limits)] if limits or found.about_limits else []
    return {"sentence": found.sentence, "judged": judged, "problems": list(found.problems)}


def _command(project: Path, settings: Json) -> tuple[str, ...]:
    said = [word for one in settings.get("indicators", ()) for word in ("--indicator", one)]
    where = ("--data", str(settings["path"]), "--project", project.name, "--page", "comparison.html", "--json", FIGURES)
    draws = ("--draws", str(settings["draws"])) if settings.get("draws", 1) != 1 else ()
    return ("microveil", "compare", *map(argument, settings["plans"]), *where, *draws, *said)


COMPARE = Call("compare", "Try plans on the data", _do, _command, (*FILE, "scenarios", "utility"))
