"""What is said in the certificates of a package: the public one, and the one that stays inside."""

from __future__ import annotations

import hashlib
import platform
import re
from importlib.metadata import requires, version
from pathlib import Path

from microveil.core.open_types import Json
from microveil.plan.log import private_log
from microveil.plan.plan import Plan
from microveil.plan.verdict import Verdict
from microveil.report.external import kept_exactly, public_steps
from microveil.run.release import Release

_STATES = {"kept": "kept", "doubtful": "kept", "not stated": "not stated"}


def public_predicate(
    release: Release, columns: list[str], verdict: Verdict, *, title: str, date: str, review: str, tell_settings: bool
) -> Json:
    """What anybody may know: no figure of risk, no hash of the input, no key, no path."""
    said: Json = {
        "title": title,
        "date": date,
        "records": len(release),
        "columns": columns,
        "methods": [_filled(step) for step in public_steps(release, tell_settings)],
        "kept": kept_exactly(release),
        "limits": _STATES[verdict.state],
        "software": _software(),
    }
    return {**said, "review": review} if review else said


def internal_predicate(release: Release, verdict: Verdict, package: dict[str, str], *, date: str, review: str) -> Json:
    """Everything that the office answers for: the input, the plan, the key by its hash, promises, verdict."""
    log = private_log(release)
    plan = Plan([record.step for record in release.steps]).to_text()
    source = release.original.codebook.source if release.original.codebook is not None else None
    return {
        "date": date,
        "review": review,
        "input": {
            "sha256": _hash_of(source),
            "fingerprint": log["input"]["fingerprint"],
            "records": release.original.n,
        },
        "plan": {"text": plan, "sha256": hashlib.sha256(plan.encode()).hexdigest()},
        "key": {"sha256": hashlib.sha256(release.key.hex.encode()).hexdigest(), "strong": release.key.strong},
        "promises": [
            {"text": str(promise), "columns": list(map(str, promise.claim.columns)), "holds": bool(found.holds)}
            for promise, found in release.verdicts()
        ],
        "given_up": list(release.lost),
        "verdict": {"state": verdict.state, "line": verdict.line, "because": list(verdict.because)},
        "package": package,
        "software": _software(),
    }


def _filled(step: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in step.items() if value and name != "what"}


def _software() -> dict[str, str]:
    """The versions of this package and of all that it always needs."""
    needed = [re.split(r"[^\w.-]", one)[0] for one in requires("microveil") or () if "extra ==" not in one]
    return {"python": platform.python_version(), **{name: version(name) for name in sorted({"microveil", *needed})}}


def _hash_of(source: Path | None) -> str:
    from microveil.io import sha256_of

    return sha256_of(source) if source is not None and source.is_file() else ""
