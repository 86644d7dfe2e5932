"""From the project to a package, and the audit of a package."""

from __future__ import annotations

from pathlib import Path

from microveil import certify, io, package
from microveil.app.calls.call import Call, Work, argument
from microveil.core.open_types import Json
from microveil.package.names import INSIDE

LOG = "log.json"


def _run(work: Work) -> Json:
    made = package.run_project(
        work.project,
        pdf=bool(work.settings.get("pdf")),
        titles=bool(work.settings.get("titles")),
        accept_lost=bool(work.settings.get("accept_lost")),
        progress=work.tell,
    )
    audited = (made.package.internal / "audit.txt").read_text(encoding="utf-8").splitlines()
    return {
        "number": made.package.public.parent.name,
        "verdict": repr(made.verdict),
        "state": made.verdict.state,
        "notes": list(made.release.notes),
        "told": [*made.told, *made.release.told(), *(one.said for one in made.reached)],
        "audit": audited[-1],
    }


def _run_command(project: Path, settings: Json) -> tuple[str, ...]:
    options = {"pdf": "--pdf", "titles": "--tell-titles", "accept_lost": "--accept-lost"}
    return ("microveil", "run", argument(project.name), *(word for name, word in options.items() if settings.get(name)))


def certificate_of(folder: Path) -> str:
    """What tells the certificate of a package from any other; empty where there is none.

    An audit holds for the certificate that it saw: one of another is not shown as if it were of this one.
    """
    path = folder / certify.CERTIFICATE
    return io.sha256_of(path) if path.is_file() else ""


def _audit(work: Work) -> Json:
    """Reopen the files as strangers do, with everything that the project knows of them."""
    stated = work.load()
    folder = work.home / str(work.settings["package"])
    log = folder.parent / INSIDE / LOG
    trust = work.settings.get("trust")
    work.tell("opening the files as a stranger would", 1, 2)
    seen = certificate_of(folder)
    found = package.audit(
        folder,
        trusted=None if not trust else certify.read_trusted(work.home / trust),
        project=work.project,
        log=log if log.is_file() else None,
        original=work.home / stated.path,
    )
    return {
        "ok": found.ok,
        "line": found.line,
        "findings": [(one.state, one.line) for one in found.findings],
        "package": str(work.settings["package"]),
        "certificate": seen,
    }


def _audit_command(project: Path, settings: Json) -> tuple[str, ...]:
    folder = str(settings["package"])
    log = f"{folder.rsplit('/', 1)[0]}/{INSIDE}/{LOG}"
    trust = ("--trust", str(settings["trust"])) if settings.get("trust") else ()
    known = ("--original", str(settings["path"]), "--project", project.name, "--log", log)
    return ("microveil", "audit", folder, *known, *trust)


RUN = Call("run", "Make the package", _run, _run_command)
AUDIT = Call("audit", "Audit a package", _audit, _audit_command)
