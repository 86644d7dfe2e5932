"""The engine `memory` for scanned files: all records at once, and the same folder of files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.errors import BadInput
from microveil.core.streams import Key
from microveil.data.fingerprint import fingerprint
from microveil.engines.file_release import FileRelease
from microveil.engines.linking import Linking
from microveil.engines.part_files import check_folder, staged, write_parts
from microveil.engines.scanning import Scan
from microveil.io.cleaning import clean
from microveil.io.permitting import WEAK_SEED, refuse_unprotected
from microveil.io.rounding import promises_but_for_rounding
from microveil.run.contract import Step
from microveil.run.engine import Engine
from microveil.run.state import Path as StreamPath
from microveil.run.steps import Progress, run_steps


def run_in_memory(
    source: Scan,
    steps: Sequence[Step],
    key: Key,
    into: Path,
    engine: Engine,
    *,
    paths: Sequence[StreamPath] | None = None,
    reproducible: bool = False,
    progress: Progress | None = None,
) -> FileRelease:
    """Run the steps on all records in memory and write the release as the engine `blocks` does."""
    check_folder(into)
    if not key.strong and not reproducible:
        raise BadInput(WEAK_SEED)
    source.files.refuse_changed()
    release = run_steps(source.read(), steps, key, paths=paths, engine=engine, progress=progress)
    refuse_unprotected(release, reproducible)
    table = clean(release, release.streams, shuffle=True, keep_identifiers=False, titles=False)
    mark = fingerprint(release.data)  # what it refuses is refused before a file is there
    source.files.refuse_changed()
    with staged(into) as stage:
        parts = write_parts(stage.new, [table.table], table.table.num_rows)
    return FileRelease(
        source,
        into,
        tuple(parts),
        len(release),
        mark,
        release.steps,
        release.promises,
        release.given_up,
        (),
        release.unchanged.steps,
        tuple(release.changed),
        (*source.files.notes, *release.notes, *table.notes),
        key,
        "memory",
        lambda _: release.verdicts(),
        reproducible,
        Linking(
            release.streams, len(release), partial(_rows_of, release.origin), into, bool((release.origin < 0).all())
        ),
        rounded=promises_but_for_rounding(release),
    )


def _rows_of(origin: Ints, places: Ints, beside: Path) -> Ints:
    """Which released record each of some records of the source became, -1 for none; nothing is put `beside` it."""
    del beside
    found = np.full(int(origin.max(initial=-1)) + 2, -1, dtype=np.int64)
    own = np.flatnonzero(origin >= 0)
    found[origin[own]] = own
    return found[np.minimum(places, len(found) - 1)]
