"""A release whose records are in files: what is promised about it, and what was written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from microveil.claims import Claim, Verdict
from microveil.core.errors import BadInput, BrokenPromise, FileProblem
from microveil.core.streams import Key
from microveil.core.words import counted
from microveil.data.microdata import Microdata
from microveil.engines.files import Files
from microveil.engines.linking import Linking
from microveil.engines.pair_of_files import PairOfFiles, Working, working_here
from microveil.engines.part_files import PartFile
from microveil.io.atomic import sha256_of
from microveil.measure import PublicPlan
from microveil.measure.pair import columns_alike
from microveil.run.contract import StepRecord
from microveil.run.log import Logged
from microveil.run.promises import Lost, Promise
from microveil.run.unchanged import Unchanged
from microveil.run.written import WriteOptions

if TYPE_CHECKING:
    from microveil.engines.scanning import Scan


def pair_with(source: Scan, release: FileRelease, columns: Sequence[str] | None) -> PairOfFiles:
    """Scanned files beside the release that was made of them."""
    if source.mark != release.source.mark:
        raise BadInput("the release was made of other files than these; scan those that it was made of, unchanged")
    source.files.refuse_changed()
    release.refuse_changed()
    known = {
        "perturbed": release.perturbed,
        "alike": columns_alike(release.claims),
        "plan": PublicPlan.of(release),
    }
    return PairOfFiles.of(source, Files.of_paths(release.files), columns, release.linking, known, release.working)


@dataclass(frozen=True)
class FileRelease:
    """What `plan.run(source, into=...)` returns: the files, and what is promised about them.

    There is no frame: the records are in `files`, in random order, identifiers left out. `steps`, the key and all that
    links the files to the source are private. `unchecked` lists what the methods promise and blocks do not tell; it is
    in no other list.
    """

    source: Scan = field(repr=False)
    folder: Path
    parts: tuple[PartFile, ...]
    records: int
    fingerprint: str = field(repr=False)
    steps: tuple[StepRecord, ...] = field(repr=False)
    promises: tuple[Promise, ...]
    given_up: tuple[Lost, ...]
    unchecked: tuple[Promise, ...]
    unchanged: tuple[Unchanged, ...] = field(repr=False)
    changed: tuple[str, ...]
    notes: tuple[str, ...]
    key: Key = field(repr=False)
    engine: str
    # by whoever works on blocks then, who may hold records on disk beside the folder that is given
    judged: Callable[[Path], Sequence[tuple[Promise, Verdict]]] = field(repr=False, compare=False)
    reproducible: bool = False
    linking: Linking | None = field(default=None, repr=False, compare=False)
    working: Working = field(default=working_here, repr=False, compare=False)  # those who look at the files again
    # promises that hold but for the rounding of values
    rounded: frozenset[Promise] = field(default=frozenset(), repr=False, compare=False)

    def in_blocks(self, protected: object = None, columns: Sequence[str] | None = None) -> PairOfFiles:
        """The source beside this release, for measures."""
        if protected is not None:
            raise BadInput("a release is measured beside its source: give the source first, or the release alone")
        return pair_with(self.source, self, columns)

    def moved_to(self, folder: Path) -> FileRelease:
        """The same release, whose files were moved to another folder."""
        linking = None if self.linking is None else replace(self.linking, beside=folder)
        return replace(self, folder=folder, linking=linking)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files to give away, in their order."""
        return tuple(self.folder / part.name for part in self.parts)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What is promised exactly, each of it checked on the values as they were written."""
        return tuple(promise.claim for promise in self.promises)

    @property
    def lost(self) -> tuple[str, ...]:
        """Promises of steps that later steps, or rounding, made meaningless, in words."""
        return tuple(map(str, self.given_up))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that were acted on, with those that changed along."""
        return tuple(dict.fromkeys((*(name for step in self.steps for name in step.columns), *self.changed)))

    @property
    def perturbed(self) -> dict[str, str]:
        """The columns that hold other than true values made coarser, and the method that changed them."""
        return {name: step.method.name for step in self.steps if not step.method.coarsens for name in step.columns}

    @property
    def original(self) -> Microdata:
        """What is known about the columns of the source (private); its records are in `source`."""
        return self.source.facts

    def check(self) -> tuple[Verdict, ...]:
        """Look at the files again, and verify every claim: that they are what was written, and that what was written
        keeps what is promised, by passes over the source. A file that is gone or changed is an error.
        """
        self.source.files.refuse_changed()
        self.refuse_changed()
        strangers = sorted({path.name for path in self.folder.iterdir()} - {part.name for part in self.parts})
        if strangers:
            raise BrokenPromise(f"{', '.join(strangers[:5])} in {str(self.folder)!r} is no file of the release")
        return tuple(verdict for _, verdict in self.judged(self.folder))

    def refuse_changed(self) -> None:
        """Refuse files that are gone, or of which a byte is another than was written."""
        for path, part in zip(self.files, self.parts, strict=True):
            if not path.is_file():
                raise FileProblem(f"{path.name} is not in {str(self.folder)!r} any more; the release is not complete")
            if sha256_of(path) != part.sha256:
                raise BrokenPromise(f"{path.name} is not the file that was written: its bytes differ")

    def __len__(self) -> int:
        return self.records

    def told(self) -> list[str]:
        """What was done, promised and given up, as lines for people; `notes` are apart."""
        steps = " then ".join(step.method.name for step in self.steps)
        files = counted(len(self.parts), "file")
        lines = [
            f"Release: {counted(self.records, 'record')} in {files}; {steps} on {', '.join(map(str, self.columns))}"
        ]
        lines += [f"  promised: {promise}" for promise in self.promises]
        lines += [f"  given up: {text}" for text in self.lost]
        return [*lines, *(f"  not checked: {promise}" for promise in self.unchecked)]

    def __str__(self) -> str:
        return "\n".join([*self.told(), *(f"  note: {note}" for note in self.notes)])

    @property
    def written(self) -> tuple[WriteOptions, ...]:
        """Private: how the files were written, for the log."""
        parts = tuple({"name": part.name, "rows": part.rows, "sha256": part.sha256} for part in self.parts)
        return (WriteOptions(".parquet", reproducible=self.reproducible, parts=parts),)

    @property
    def logged(self) -> Logged:
        """Private: what the log tells of the release."""
        released = {
            "records": self.records,
            "fingerprint": self.fingerprint,
            "perturbed": self.perturbed,
            "lost": list(self.lost),
        }
        return Logged(
            self.key,
            self.source.facts,
            self.source.n,
            self.source.mark,
            {},
            self.steps,
            released,
            self.written,
            self.notes,
        )
