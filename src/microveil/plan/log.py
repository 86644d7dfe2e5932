"""The private log as a file, and replaying it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from microveil.core.errors import BadInput
from microveil.run.log import check_log, log_of, rerun
from microveil.run.release import Release


def private_log(release: Release) -> dict[str, Any]:
    """Everything needed to run the release again: keep it where the original data are kept."""
    return log_of(release)


def save_log(release: Release, path: str | Path) -> None:
    """Write the private log, readable by its owner only.

    A key that another log of the same folder used for other data is refused: two files under one key tell together
    what each hides.
    """
    from microveil.io import write_text

    log = log_of(release)
    refuse_used_key(log["key"], log["input"]["fingerprint"], Path(path).parent)
    write_text(path, json.dumps(log, indent=2, ensure_ascii=False, default=str) + "\n", private=True)


def refuse_used_key(key: str, fingerprint: str, folder: Path) -> None:
    """An error if a log in the folder used this key for data with another fingerprint."""
    for other in sorted(folder.glob("*.json")):
        try:
            known = json.loads(other.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue  # not a log, or not ours to read
        if not isinstance(known, dict) or known.get("key") != key:
            continue
        if known.get("input", {}).get("fingerprint") != fingerprint:
            raise BadInput(
                f"the key was used for other data before ({other.name}): whoever holds both releases could compare "
                "them; leave the seed out, so that a fresh key is drawn"
            )


def load_log(path: str | Path) -> dict[str, Any]:
    """Read a private log."""
    from microveil.io import read_text

    name = Path(path).name
    try:
        log = json.loads(read_text(path))
    except json.JSONDecodeError as problem:
        raise BadInput(f"{name} is not a private log: no JSON at line {problem.lineno}") from None
    except RecursionError:
        raise BadInput(f"{name} is not a private log: it is nested too deeply") from None
    return check_log(log, name)


def replay(log: Mapping[str, Any] | str | Path, data: Any, aside: Mapping[str, Any] | None = None) -> Release:
    """Run a logged release again on the same data, and prove by its fingerprint that it is the same release.

    Other data are refused, and so is a result that differs. The log decides about roles, kinds and missing codes.
    `aside` gives other files that the run read, by the names in the log (a population frame of multiple imputation).
    """
    known = load_log(log) if isinstance(log, str | Path) else check_log(log, "this")
    return rerun(known, data, aside)
