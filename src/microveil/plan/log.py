"""The private log as a file, and replaying it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, overload

from microveil.core.errors import BadInput
from microveil.core.open_types import Json, Stated
from microveil.data.fingerprint import fingerprint
from microveil.data.microdata import AnyData, Microdata
from microveil.measure import Scenario
from microveil.plan.plan import is_scan
from microveil.run.log import check_log, facts_in, log_of, log_with, rerun
from microveil.run.release import Release

if TYPE_CHECKING:
    from microveil.engines import BlockEngine, FileRelease, Scan, SparkEngine

_LARGEST_LOG = 1 << 24


def private_log(release: Release | FileRelease, scenarios: Sequence[Scenario] = ()) -> Json:
    """Everything needed to run the release again, and the scenarios it was judged by: keep it with the original."""
    judged_by = [scenario.to_spec() for scenario in scenarios]
    return log_of(release, judged_by) if isinstance(release, Release) else log_with(release.logged, judged_by)


def save_log(release: Release | FileRelease, path: str | Path, scenarios: Sequence[Scenario] = ()) -> None:
    """Write the private log, readable by its owner only; `scenarios` are those that the release was judged by.

    A key that another log of the same folder used for other data, or for other steps on the same data, is refused: two
    files under one key tell together what each hides.
    """
    from microveil.io import write_text

    log = private_log(release, scenarios)
    refuse_used_key_of(release, Path(path).parent)
    write_text(path, json.dumps(log, indent=2, ensure_ascii=False, default=str) + "\n", private=True)


def refuse_used_key_of(release: Release | FileRelease, folder: Path) -> None:
    """An error if a log in the folder used the key of a release for something else."""
    steps = [record.step.to_mapping() for record in release.steps]
    mark = fingerprint(release.original) if isinstance(release, Release) else release.source.mark
    refuse_used_key(release.key.hex, mark, steps, folder)


def refuse_used_key(key: str, input_mark: str, steps: Sequence[Stated], folder: Path) -> None:
    """An error if a log in the folder used this key for data with another fingerprint (`input_mark`) or other steps."""
    for other in sorted(folder.glob("*")):
        known = _log_in(other)
        if known.get("key") != key:
            continue
        ran = [{name: value for name, value in step.items() if name != "streams"} for step in known.get("steps", [])]
        same_data = known.get("input", {}).get("fingerprint") == input_mark
        if not same_data or ran != json.loads(json.dumps(list(steps))):
            what = "for other steps on these data" if same_data else "for other data"
            raise BadInput(
                f"the key was used {what} before ({other.name}): whoever holds both releases could compare them and "
                "undo both; leave the seed out, so that a fresh key is drawn"
            )


def _log_in(path: Path) -> Json:
    """The log that a file holds; empty for anything else."""
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST_LOG:
            return {}
        known = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}  # not a log, or not ours to read
    return known if isinstance(known, dict) else {}


def load_log(path: str | Path) -> Json:
    """Read a private log."""
    from microveil.io import read_text

    name = Path(path).name
    try:
        log = json.loads(read_text(path))
    except json.JSONDecodeError as problem:
        raise BadInput(f"{name} is not a private log: no JSON at line {problem.lineno}") from None
    except RecursionError:
        raise BadInput(f"{name} is not a private log: it is nested too deeply") from None
    except ValueError:
        raise BadInput(f"{name} is not a private log: it holds a whole number of thousands of digits") from None
    return check_log(log, name)


def read_logged(log: Stated, path: str | Path, **stated: str) -> Microdata:
    """The data of a log from their file, read as for the release; `stated` options of `mv.read` count more."""
    from microveil.io import options_for, read

    facts, reading = facts_in(log), dict(log["input"].get("reading", {}))
    words = reading.pop("missing", {})
    facts["missing"] = {
        name: [*facts["missing"].get(name, ()), *words.get(name, ())] for name in {*facts["missing"], *words}
    }
    return read(path, **facts, **{**options_for(Path(path), reading), **stated})


def scenarios_in(log: Stated) -> tuple[Scenario, ...]:
    """The scenarios that the release of a log was judged by; none where nobody stated any."""
    return tuple(map(Scenario.from_spec, log.get("scenarios", ())))


@overload
def replay(
    log: Stated | str | Path,
    data: Scan,
    *,
    into: str | Path,
    engine: Literal["memory", "blocks", "spark"] | BlockEngine | SparkEngine = "memory",
) -> FileRelease: ...


@overload
def replay(log: Stated | str | Path, data: AnyData, aside: Mapping[str, AnyData] | None = None) -> Release: ...


def replay(
    log: Stated | str | Path,
    data: AnyData | Scan,
    aside: Mapping[str, AnyData] | None = None,
    *,
    into: str | Path | None = None,
    engine: Literal["memory", "blocks", "spark"] | BlockEngine | SparkEngine = "memory",
) -> Release | FileRelease:
    """Run a logged release again on the same data, and prove by its fingerprint that it is the same release.

    Other data are refused, and so is a result that differs. The log decides about roles, kinds and missing codes.
    `aside` gives other files that the run read, by the names in the log (a population frame of multiple imputation).
    Scanned files are protected into the folder `into` by the `engine` named; any engine replays the log of any.
    """
    known = load_log(log) if isinstance(log, str | Path) else check_log(log, "this")
    if not isinstance(data, Microdata) and is_scan(data):
        from microveil.engines.running import replay_scan

        return replay_scan(known, cast("Scan", data), into, engine)
    if into is not None or engine != "memory":
        raise BadInput("into and engine are for files that were scanned; scan the files, or leave both out")
    return rerun(known, cast("AnyData", data), aside)
