"""The release: what it is to be, the run that makes the package, signatures and audits."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from starlette.datastructures import FormData
from starlette.responses import Response

from microveil import certify
from microveil.app.calls.call import argument
from microveil.app.calls.releasing import certificate_of
from microveil.app.left_alone import untouched_columns
from microveil.app.paths import below, runs_below, there
from microveil.app.visit import Visit, page
from microveil.core.errors import BadInput, MicroveilError
from microveil.core.numbers import format_number
from microveil.core.open_types import Json
from microveil.core.words import counted, list_all
from microveil.io import read_text
from microveil.io.formats import known_formats
from microveil.package import PastRun, history
from microveil.package.names import DATA, INSIDE, LOG, PACKAGE, PROJECT
from microveil.package.numbering import NUMBER, RUNS
from microveil.package.signing import sign_package
from microveil.plan import Project, with_section
from microveil.plan.project_release import RELEASE_KINDS, release_spec
from microveil.plan.release_plan import ReleasePlan

KEYS = "keys"
_LONGEST = 80  # signs of the name of a file
_OPTIONS = ("pdf", "titles", "accept_lost")
_WHY = "what the release is to be"
_KINDS = {
    "public": "public: for everybody",
    "scientific": "scientific: for research, under contract",
    "secure": "secure: in your own rooms",
}


def show(visit: Visit) -> Response:
    """The form of the release, the button, and every run so far."""
    folder = visit.space.folder
    jobs = visit.space.jobs
    runs = list(reversed(history(folder))) if runs_below(folder) else []
    audits = {job.result["package"]: job for job in reversed(jobs.all()) if job.what == "audit" and job.state == "done"}
    job = next((one for one in jobs.all() if one.what in ("run", "audit")), None)
    shown = job if job is not None and (job.running or job.state != "done" or job.what == "run") else None
    of_run = Path(str(shown.settings["package"])).parent.name if shown is not None and shown.what == "audit" else ""
    return visit.page(
        "release.html",
        "Release",
        kinds=[(kind, _KINDS[kind]) for kind in RELEASE_KINDS],
        formats=[(one.name, one.title) for one in known_formats().values() if one.writable],
        plan=visit.project.plan is not None,
        scenarios=bool(visit.project.scenarios),
        runs=runs,
        audits={run.number: audits.get(f"{RUNS}/{run.number}/{PACKAGE}") for run in runs},
        anew={
            number: visit.written_anew(audits.get(f"{RUNS}/{number}/{PACKAGE}"))
            for number in (run.number for run in runs)
        },
        job=shown,
        audited=of_run if of_run in {run.number for run in runs} else "",
        keys=_keys(folder),
        again={run.number: again(run, visit.project.path) for run in runs},
        signed=visit.query.get("signed", ""),
        figures={run.number: figures_of(run) for run in runs},
        certificates={run.number: certificate_of(run.folder / PACKAGE) for run in runs},
        signed_by={run.number: _signed_by(folder, run) for run in runs},
        drawn=visit.query.get("drawn", "") if visit.query.get("drawn", "") in _keys(folder) else "",
        untouched=_unstated(visit),
        **_sent(visit),
    )


def again(run: PastRun, path: str) -> tuple[str, ...]:
    """The command that makes the data of a run again: of the file that it was made of, in a format that it has.

    `path` is the file of the project as it is now, for a run that does not say its own.
    """
    ending = next((Path(name).suffix for name in run.files if Path(name).stem == DATA), ".csv")
    with suppress(MicroveilError):
        path = Project.from_text(read_text(run.folder / INSIDE / PROJECT)).path
    log = f"{RUNS}/{run.number}/{INSIDE}/{LOG}"
    return ("microveil", "replay", log, argument(path), "-o", f"again{ending}")


def _sent(visit: Visit) -> Json:
    """What a form that was refused said: nobody has to choose twice."""
    form, act = visit.form, str(visit.form.get("act", ""))
    return {
        "stated": visit.project.release if not form.get("described") else _as_sent(form, visit.project.release),
        "sent_options": [name for name in _OPTIONS if form.get(name)],
        "signing": str(form.get("number", "")) if act == "sign" else "",
        "chosen_key": str(form.get("key", "")),
        "drawing": str(form.get("name", "")) if act == "key" else "",
    }


def _as_sent(form: FormData, stated: ReleasePlan) -> Json:
    said = _described(form)
    return {**said, "title": said["title"] or stated.title}


def figures_of(run: PastRun) -> str:
    """Loss and risk of a run in a sentence: neither loss stands for the other."""
    losses = {"amounts": run.loss, "categories": run.loss_of_categories}
    lost = ", ".join(f"of {what} {format_number(value)} %" for what, value in losses.items() if value is not None)
    found = "not measured" if run.worst is None else f"{format_number(run.worst)} % of the records found"
    return f"Loss {lost or 'not measured'}; worst case {found} (internal figures)."


def _signed_by(folder: Path, run: PastRun) -> str:
    """Who signed, by the keys that lie in the folder; a signature of another key is one of a stranger."""
    if not run.signatures or not any((folder / KEYS).glob("*.pub")):
        return str(run.signatures)
    try:
        found = certify.read_certificate(run.folder / PACKAGE, certify.read_trusted(folder / KEYS))
    except MicroveilError:
        return f"{run.signatures}, none of them by a key in {KEYS}"
    names = [one.called for one in found.signed_by]
    strangers = [counted(len(found.strangers), "stranger")] if found.strangers else []
    return list_all([*names, *strangers])


def _keys(folder: Path) -> list[str]:
    """The private keys below the folder, by where they should be."""
    place = folder / KEYS
    found = place.glob("*.pub") if place.is_dir() else ()
    return sorted(f"{KEYS}/{path.stem}" for path in found if (place / path.stem).is_file())


def save(visit: Visit) -> Response:
    """Keep what the release is to be, or act on it."""
    acts = {"describe": _describe, "run": _run, "audit": _audit, "sign": _sign, "key": _new_key}
    act = acts.get(str(visit.form.get("act", "")))
    if act is None:
        raise BadInput("this button is not known; load the page again")
    return act(visit)


def _described(form: FormData) -> Json:
    """What the form says of the release."""
    return {
        "title": str(form.get("title", "")).strip(),
        "kind": str(form.get("kind", "")),
        "need": str(form.get("need", "")).strip(),
        "formats": [str(one) for one in form.getlist("formats")],
        "review": str(form.get("review", "")).strip(),
        "signers": [line.strip() for line in str(form.get("signers", "")).splitlines() if line.strip()],
    }


def _new_section(visit: Visit) -> Json:
    """The section of the release with what the form says; what has no field in it stays."""
    spec = {**release_spec(visit.project.release), **_described(visit.form)}
    return {name: value for name, value in spec.items() if value}


def _describe(visit: Visit) -> Response:
    new = _new_section(visit)
    return visit.save(lambda text: with_section(text, "release", new), _WHY)


def _run(visit: Visit) -> Response:
    """Save what was written, and make the package: no word of the form is lost by pressing the other button."""
    names = _unstated(visit)
    if names and not visit.form.get("as_they_are"):
        raise BadInput(
            f"no step of the plan changes {list_all(names)}, so that everybody would get these values as in the file; "
            "add the column to a step, give it another role, or tick the box if it is to leave so"
        )
    below(visit.space.folder, RUNS)  # packages are written there, and not where a link leads
    visit.space.jobs.check_free()  # a refused form changed nothing
    if visit.form.get("described") or names:
        new = _new_section(visit) if visit.form.get("described") else release_spec(visit.project.release)
        if names:
            new = {**new, "as_they_are": [*visit.project.release.as_they_are, *names]}
        visit.space.save(lambda text: with_section(text, "release", new), str(visit.form.get("base", "")), _WHY)
    return visit.start("run", {name: True for name in _OPTIONS if visit.form.get(name)})


def _unstated(visit: Visit) -> list[str]:
    """Columns that no step changes and of which nobody decided that they leave so."""
    return [name for name in untouched_columns(visit.project) if name not in visit.project.release.as_they_are]


def _package(visit: Visit) -> Path:
    number = str(visit.form.get("number", ""))
    place = visit.space.folder / RUNS / number / PACKAGE
    if not NUMBER.fullmatch(number) or not place.is_dir():
        raise BadInput("there is no such run; load the page again")
    return below(visit.space.folder, f"{RUNS}/{number}/{PACKAGE}")


def _audit(visit: Visit) -> Response:
    package = _package(visit)
    named = package.relative_to(visit.space.folder).as_posix()
    keys = visit.space.folder / KEYS
    signed = any(run.signatures for run in history(visit.space.folder) if run.folder == package.parent)
    # whose signature holds is asked once somebody has signed: a package that waits for it is no broken one
    trust = {"trust": KEYS} if signed and keys.is_dir() and any(keys.glob("*.pub")) else {}
    return visit.start(
        "audit", {"package": named, "path": visit.project.path, **trust}, at=f"run-{package.parent.name}"
    )


def _sign(visit: Visit) -> Response:
    """Answer for a package: nothing is signed unless every file is as its certificate says."""
    package = _package(visit)
    key = there(visit.space.folder, str(visit.form.get("key", "")))
    private = certify.read_private_key(key, str(visit.form.get("passphrase", "")))
    sign_package(package, private)
    return visit.again(at=f"run-{package.parent.name}", signed=package.parent.name)


def _new_key(visit: Visit) -> Response:
    name = str(visit.form.get("name", "")).strip()
    file = "-".join(re.findall(r"[^\W_]+", name.lower()))
    if not file:
        raise BadInput("say who signs with the key: a name, as audits shall say it")
    if visit.form.get("passphrase") != visit.form.get("again"):
        raise BadInput("the two passphrases differ; nothing was written, say them again")
    named = f"{KEYS}/{file[:_LONGEST]}.key"
    place = below(visit.space.folder, named)
    if place.exists():
        raise BadInput(f"the key {named} is there already, and a key is never replaced; choose another name")
    place.parent.mkdir(exist_ok=True, mode=0o700)
    certify.new_key(place, str(visit.form.get("passphrase", "")), name)
    return visit.again(at="keys", drawn=named)


ROUTES = page("/release", show, save)
