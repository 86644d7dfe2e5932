"""The release: what it is to be, the run that makes the package, signatures and audits."""

from __future__ import annotations

from pathlib import Path

from starlette.responses import Response

from microveil import certify
from microveil.app.paths import below, there
from microveil.app.visit import Visit, page
from microveil.core.errors import BadInput
from microveil.core.open_types import Json
from microveil.io.formats import known_formats
from microveil.package import history
from microveil.package.names import PACKAGE
from microveil.package.numbering import NUMBER, RUNS
from microveil.package.signing import sign_package
from microveil.plan import with_section
from microveil.plan.project_release import RELEASE_KINDS, release_spec

KEYS = "keys"
_KINDS = {
    "public": "public: for everybody",
    "scientific": "scientific: for research, under contract",
    "secure": "secure: in your own rooms",
}


def show(visit: Visit) -> Response:
    """The form of the release, the button, and every run so far."""
    stated, folder = visit.project.release, visit.space.folder
    jobs = visit.space.jobs
    runs = list(reversed(history(folder))) if (folder / RUNS).is_dir() else []
    audits = {job.result["package"]: job for job in reversed(jobs.all()) if job.what == "audit" and job.state == "done"}
    job = next((one for one in jobs.all() if one.what in ("run", "audit")), None)
    return visit.page(
        "release.html",
        "Release",
        stated=stated,
        kinds=[(kind, _KINDS[kind]) for kind in RELEASE_KINDS],
        formats=[(one.name, one.title) for one in known_formats().values() if one.writable],
        plan=visit.project.plan is not None,
        scenarios=bool(visit.project.scenarios),
        runs=runs,
        audits={run.number: audits.get(f"{RUNS}/{run.number}/{PACKAGE}") for run in runs},
        job=job if job is not None and (job.running or job.state != "done" or job.what == "run") else None,
        keys=_keys(folder),
        path=visit.project.path,
        signed=visit.query.get("signed", ""),
    )


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


def _describe(visit: Visit) -> Response:
    spec = release_spec(visit.project.release)
    form = visit.form
    said: Json = {
        "title": str(form.get("title", "")).strip(),
        "kind": str(form.get("kind", "")),
        "need": str(form.get("need", "")).strip(),
        "formats": [str(one) for one in form.getlist("formats")],
        "review": str(form.get("review", "")).strip(),
        "signers": [line.strip() for line in str(form.get("signers", "")).splitlines() if line.strip()],
    }
    new = {name: value for name, value in {**spec, **said}.items() if value}
    return visit.save(lambda text: with_section(text, "release", new), "what the release is to be")


def _run(visit: Visit) -> Response:
    options = ("pdf", "titles", "accept_lost")
    return visit.start("run", {name: True for name in options if visit.form.get(name)})


def _package(visit: Visit) -> Path:
    number = str(visit.form.get("number", ""))
    place = visit.space.folder / RUNS / number / PACKAGE
    if not NUMBER.fullmatch(number) or not place.is_dir():
        raise BadInput("there is no such run; load the page again")
    return below(visit.space.folder, f"{RUNS}/{number}/{PACKAGE}")


def _audit(visit: Visit) -> Response:
    named = _package(visit).relative_to(visit.space.folder).as_posix()
    keys = visit.space.folder / KEYS
    trust = {"trust": KEYS} if keys.is_dir() and any(keys.glob("*.pub")) else {}
    return visit.start("audit", {"package": named, "path": visit.project.path, **trust})


def _sign(visit: Visit) -> Response:
    """Answer for a package: nothing is signed unless every file is as its certificate says."""
    package = _package(visit)
    key = there(visit.space.folder, str(visit.form.get("key", "")))
    private = certify.read_private_key(key, str(visit.form.get("passphrase", "")))
    sign_package(package, private)
    return visit.again(signed=package.parent.name)


def _new_key(visit: Visit) -> Response:
    name = str(visit.form.get("name", "")).strip()
    file = "".join(sign if sign.isalnum() else "-" for sign in name.lower()).strip("-")
    if not file:
        raise BadInput("say who signs with the key: a name, as audits shall say it")
    if visit.form.get("passphrase") != visit.form.get("again"):
        raise BadInput("the two passphrases differ; nothing was written, say them again")
    place = below(visit.space.folder, f"{KEYS}/{file}.key")
    place.parent.mkdir(exist_ok=True, mode=0o700)
    certify.new_key(place, str(visit.form.get("passphrase", "")), name)
    return visit.again()


ROUTES = page("/release", show, save)
