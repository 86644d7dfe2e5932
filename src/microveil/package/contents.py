"""What is said in the certificates of a package: the public one, and the one that stays inside."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from microveil.core.open_types import Json
from microveil.measure import Scenario
from microveil.package.software import installed, versions
from microveil.plan.log import private_log
from microveil.plan.plan import Plan
from microveil.plan.release_plan import ReleasePlan
from microveil.plan.verdict import Verdict
from microveil.report.external import kept_exactly, public_steps
from microveil.run.release import Release

# what a certificate says of limits: a release that does not keep them is not written
STATES = {"kept": "kept", "doubtful": "kept, with doubts", "not stated": "not stated"}


def public_predicate(
    release: Release,
    columns: list[str],
    verdict: Verdict,
    *,
    stated: ReleasePlan,
    date: str,
    tell_settings: bool,
    used: Sequence[str] = (),
) -> Json:
    """What anybody may know: no figure of risk, no hash of the input, no key, no path; `used` are extras."""
    said: Json = {
        "title": stated.title,
        "kind": stated.kind,
        "date": date,
        "records": len(release),
        "columns": columns,
        "methods": [_filled(step) for step in public_steps(release, tell_settings)],
        "kept": kept_exactly(release, tell_settings),
        "limits": STATES[verdict.state],
        "software": versions(*used),
    }
    return {**said, "review": stated.review} if stated.review else said


def internal_predicate(
    release: Release,
    verdict: Verdict,
    package: dict[str, str],
    statement: str,
    *,
    stated: ReleasePlan,
    date: str,
    scenarios: Sequence[Scenario] = (),
    used: Sequence[str] = (),
) -> Json:
    """Everything that the office answers for: the input, the plan, the key by its hash, promises, every verdict.

    `package` are the files that are given away by their hashes, `statement` the hash of what is said of them.
    """
    log = private_log(release)
    plan = Plan([record.step for record in release.steps]).to_text()
    source = release.original.codebook.source if release.original.codebook is not None else None
    return {
        "date": date,
        "review": stated.review,
        "release": asdict(stated),
        "input": {
            "sha256": hash_of_source(source),
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
        "scenarios": [scenario.to_spec() for scenario in scenarios],
        "verdict": {"state": verdict.state, **verdict.to_json()},
        "guarantee": [str(statement) for statement in release.guarantee.statements],
        "package": package,
        "statement": statement,
        "software": versions(*used),
        "installed": installed(*used),
    }


def _filled(step: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in step.items() if value and name != "what"}


def hash_of_source(source: Path | None) -> str:
    """The hash of the file that the data came from; empty where they came from none, or it is gone."""
    from microveil.io import sha256_of

    return sha256_of(source) if source is not None and source.is_file() else ""
