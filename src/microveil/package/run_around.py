"""Which run a folder lies in: told from its place by every name that leads there, whatever was moved or linked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from microveil.certify import CERTIFICATE
from microveil.package.names import INSIDE, LOG, PACKAGE, PROJECT, STAGES_FILE, SUMMARY
from microveil.package.numbering import NUMBER, RUNS

_PAPERS = (SUMMARY, LOG, STAGES_FILE)
_MOST_LINKS = 40  # as many as systems follow


def ways_to(folder: Path) -> Iterator[Path]:
    """The place that is named, then that of each link after it, the folder itself last."""
    place = _with_a_name(folder.absolute())
    for _ in range(_MOST_LINKS):
        yield place
        real = place.parent.resolve() / place.name
        if real != place:  # the folder around it has another name too
            yield real
        if not real.is_symlink():
            return
        place = _with_a_name(real.parent / real.readlink())


def _with_a_name(place: Path) -> Path:
    """Steps up stay as they are: behind a link they lead elsewhere than their text says."""
    return place.resolve() if place.name == ".." else place


def run_around(place: Path) -> Path | None:
    """The folder of the run that a place lies in, at whatever depth; None outside of runs."""
    run = place.parent
    if os.path.lexists(run / INSIDE) or any((run / name).is_file() for name in _PAPERS):
        return run
    if place.name == PACKAGE and NUMBER.fullmatch(run.name):
        return run
    return next((one for one in place.parents if _keeps_papers(one) or _holds_runs(one.parent)), None)


def _keeps_papers(folder: Path) -> bool:
    return os.path.lexists(folder / INSIDE / CERTIFICATE)


def _holds_runs(folder: Path) -> bool:
    """Whether a folder is that of the runs of a project, and not just called so."""
    if folder.name != RUNS or not folder.is_dir():
        return False
    return (folder.parent / PROJECT).is_file() or any(NUMBER.fullmatch(one.name) for one in folder.iterdir())
