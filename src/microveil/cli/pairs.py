"""An original file and its protected version, as the commands read them: with a private log, or by what is stated."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from microveil.cli.file_options import FileOptions, read_facts
from microveil.cli.reading import read_stated
from microveil.core.edits import parse_edits
from microveil.core.errors import BadInput, FileProblem, MicroveilError
from microveil.data.schema import KINDS

if TYPE_CHECKING:
    from microveil.data import Microdata
    from microveil.measure import Scenario
    from microveil.plan import Project

ROWS = ("auto", "aligned", "unknown")
_MOST_NAMES = 12  # of one kind


def check_rows(rows: str) -> None:
    """Refuse a word that `--rows` does not know."""
    if rows not in ROWS:
        raise BadInput(f"--rows {rows!r} is not one of {list(ROWS)}")


def read_pair(
    original: Path, protected: Path, stated: Stated, rows: str, log: Path | None, missing: list[Any]
) -> Files:
    """Both files; with a log, the release that it proves the protected file to hold."""
    if log is not None:
        return _logged(log, original, protected, stated)
    return _read(original, protected, stated, rows, missing)


class Files(NamedTuple):
    """What is compared: the original, the protected file or the release it was written from, and their link.

    `scenarios` are those to judge by: the project's, else those of the log.
    """

    before: Microdata
    after: Any
    linked: Any
    notes: list[str]
    scenarios: tuple[Scenario, ...]


class Stated(NamedTuple):
    """What the options say about the columns, and the words in which they say it."""

    known: dict[str, Any]
    where: str
    project: Project | None = None
    project_name: str = ""

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """The scenarios of the project, if there is one."""
        return () if self.project is None else self.project.scenarios


def gather_facts(project: Path | None, about: FileOptions) -> Stated:
    """What a project and the options state about the columns; an option counts more."""
    from microveil.plan import Project

    loaded = Project.load(project) if project is not None else None
    known = read_facts(loaded, about)
    options = {
        "--role": about.role,
        "--kind": about.kind,
        "--na": about.na,
        "--edit": about.edit,
        "--hierarchy": about.hierarchy,
    }
    name = project.name if project is not None else ""
    where = [*([name] if name else []), *(option for option, given in options.items() if given)]
    return Stated(known, " and ".join(where), loaded, name)


def _logged(log: Path, original: Path, protected: Path, stated: Stated) -> Files:
    """The release of the log, proven to be the one that the protected file holds: the log decides about everything."""
    from microveil import io
    from microveil.plan import find_writing, load_log, replay, scenarios_in

    known = load_log(log)
    release = replay(known, data_of_log(known, log, original, stated))
    find_writing(release, io.sha256_of(protected))
    notes = ["Which rows belong together, and what the columns are, is known from the private log."]
    for what, names_of in _stated_otherwise(release.original, stated.known).items():
        notes.append(f"{stated.where} states other {what} for {', '.join(names_of)}; the log decides.")
    before = release.original
    logged = {edit.meaning for edit in before.edits}
    more = [edit for edit in parse_edits(stated.known["edits"]) if edit.meaning not in logged]
    if more:
        before = before.with_(edits=[*map(str, before.edits), *map(str, more)])
        rules = ", ".join(repr(str(edit)) for edit in more)
        notes.append(f"{stated.where} states rules that the release did not know, and that are counted too: {rules}.")
    judged_by = scenarios_in(known)
    if stated.scenarios and stated.scenarios != judged_by:
        notes.append(f"{stated.project_name} states other scenarios than the log; the project decides the limits.")
    return Files(before, release, True, notes, stated.scenarios or judged_by)


def data_of_log(known: Mapping[str, Any], log: Path, original: Path, stated: Stated) -> Microdata:
    """The original file read as the log says; one whose columns are others is another file."""
    from microveil.io.formats import reading_options
    from microveil.plan import read_logged

    text = {name: stated.known[name] for name in reading_options() if name in stated.known}
    try:
        return read_logged(known, original, **text)
    except FileProblem:
        raise
    except MicroveilError as problem:
        raise BadInput(
            f"{original.name} cannot be read as {log.name} says: {problem}; it is another file, or it changed since: "
            "give the original as it was when it was protected"
        ) from None


def _stated_otherwise(known: Microdata, stated: dict[str, Any]) -> dict[str, list[str]]:
    """The columns for which somebody states other roles, kinds or missing codes than the log."""
    found: dict[str, list[str]] = {}
    for name, column in known.schema.items():
        numeric = known.narwhal.get_column(name).dtype.is_numeric()
        missing = {str(code) for code in _codes_of(stated, name) if isinstance(code, str) != numeric}
        for what, differs in {
            "roles": stated["roles"].get(name, column.role) != column.role,
            "kinds": stated["kinds"].get(name, column.kind) != column.kind,
            "missing codes": bool(missing - set(map(str, column.missing))),
            "hierarchies": _has_other_hierarchy(known, name, stated),
        }.items():
            if differs:
                found.setdefault(what, []).append(str(name))
    return found


def _has_other_hierarchy(known: Microdata, name: str, stated: dict[str, Any]) -> bool:
    given = stated.get("hierarchies", {}).get(name)
    if given is None:
        return False
    return known.with_(hierarchies={name: given}).schema[name].hierarchy != known.schema[name].hierarchy


def _codes_of(stated: dict[str, Any], name: str) -> list[Any]:
    """The codes for missing values that somebody states for a column, or for all."""
    missing = stated.get("missing") or ()
    return list(missing.get(name, ()) if isinstance(missing, dict) else missing)


def _read(original: Path, protected: Path, stated: Stated, rows: str, missing: list[Any]) -> Files:
    before = read_stated(original, stated.project, stated.known)
    after = read_protected(before, protected, missing)
    linked, note = link_rows(before, after, rows)
    return Files(before, after, linked, [note, *guessed_kinds(before, after, stated)], stated.scenarios)


def guessed_kinds(before: Microdata, after: Any, stated: Stated) -> list[str]:
    """Which columns are measured as amounts or categories although nobody said what they are, and how to say it."""
    from microveil.measure import Pair

    shown = Pair.of(before, after).columns
    guessed = [name for name in shown if name not in stated.known["kinds"]]
    by_kind = {kind: [str(name) for name in guessed if before.kinds[name] == kind] for kind in KINDS}
    told = "; ".join(f"{kind}: {_some(names)}" for kind, names in by_kind.items() if names)
    if not told:
        return []
    guess = f"Kinds of columns were guessed from what they hold ({told}), and other kinds give other figures."
    return [f"{guess} State them by --kind NAME=KIND, by --project PROJECT, or give --log LOG."]


def _some(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= _MOST_NAMES else f"{', '.join(names[:_MOST_NAMES])} and others"


def read_protected(before: Microdata, path: Path, missing: list[Any]) -> Any:
    """A protected file, which has columns in common with the original."""
    from microveil import io

    after = io.read(path, missing=missing)
    absent = [name for name in after.columns if name not in before.columns]
    if len(absent) == len(after.columns):
        raise BadInput(f"the two files share no column: {list(before.columns)[:6]} and {list(after.columns)[:6]}")
    return after.frame


def link_rows(before: Microdata, after: Any, rows: str) -> tuple[bool, str]:
    """Whether rows of both files belong together, and how that is known."""
    from microveil.measure import Pair
    from microveil.plan import rows_seem_to_correspond

    other = Pair.of(before, after).after
    if rows == "unknown":
        return False, "Which rows belong together is not known; measures that need it do not apply."
    if rows == "aligned":
        if before.n != other.n:
            raise BadInput(f"rows cannot be aligned: {before.n} original and {other.n} protected records")
        return True, "Rows are taken to correspond, as stated."
    if before.n == other.n and rows_seem_to_correspond(before, other):
        return True, "Rows seem to correspond (values agree far beyond chance); --rows unknown if they do not."
    return False, (
        "Rows do not seem to correspond, so measures that need it do not apply; give --log PRIVATE_LOG, "
        "or --rows aligned if they do."
    )
