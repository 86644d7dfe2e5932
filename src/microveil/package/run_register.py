"""What the register that a project names says of its runs: whether one was revoked since."""

from __future__ import annotations

from pathlib import Path

from microveil.certify.statement import Statement
from microveil.core.errors import MicroveilError
from microveil.core.printable import one_line
from microveil.io import read_text, read_yaml
from microveil.package.names import INSIDE, PROJECT
from microveil.package.register import hash_of_statement, lock_of, read_register
from microveil.package.register_entries import Entry
from microveil.plan.project import Project
from microveil.plan.release_plan import ReleasePlan


def entry_of(run: Path, statement: Statement) -> tuple[Entry | None, str]:
    """The present line of a run in the register that its project names, where runs stand beside it; None without one.

    And why nobody can say whether the run was revoked since: lines may be missing from a register that is broken, and
    all of them from one that is gone.
    """
    try:
        named = _named(run)
    except MicroveilError as problem:
        return None, f"the project of the run, which names the register, cannot be read: {one_line(str(problem))}"
    path = run.resolve().parent.parent / (named or ReleasePlan.register)
    try:
        register = read_register(path)
    except MicroveilError as problem:
        return None, f"the register {path.name} cannot be read: {one_line(str(problem))}"
    if register.faults:
        why = f"the register {path.name} is broken: {one_line('; '.join(register.faults))}"
    else:
        why = "" if path.exists() else _missed(path, named is not None)
    return register.find(hash_of_statement(statement)), why


def _missed(path: Path, is_named: bool) -> str:
    """Why a register that is not there should be; where nobody named one and none was ever written, none is missed."""
    if lock_of(path).exists():
        return f"the register {path.name} is not there, and {lock_of(path).name}, which was made to write it, is"
    return f"the register {path.name}, which the project of the run names, is not there" if is_named else ""


def _named(run: Path) -> str | None:
    """The register that the project of a run states; None where it leaves that to the default."""
    stated = run / INSIDE / PROJECT
    return _stated(Project.from_text(read_text(stated))) if stated.is_file() else None


def _stated(project: Project) -> str | None:
    content = read_yaml(project.written, "the project")
    release = content.get("release") if isinstance(content, dict) else None
    return project.release.register if isinstance(release, dict) and "register" in release else None


def tell_no_register(project: Project, folder: Path) -> tuple[str, ...]:
    """That the register which a project names is not there: it begins with its first entry, or its path is wrong."""
    named = _stated(project)
    if named is None or (folder / named).exists():
        return ()
    known = "no earlier release of these data is known by it. If there are any, correct register under release"
    told = f"The project names {one_line(named)} as its register, which is not there: {known};"
    return (f"{told} microveil register add begins one.",)
