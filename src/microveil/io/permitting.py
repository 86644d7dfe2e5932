"""Whether something may be written at all: what nothing protects, what can be undone, and the source itself may not."""

from __future__ import annotations

from pathlib import Path

from microveil.core.errors import BadInput, BrokenPromise, FileProblem
from microveil.core.streams import Key, Streams
from microveil.data import Microdata
from microveil.detect import refuse_unstated
from microveil.run import Release
from microveil.run.release import AnyFile

WEAK_SEED = (
    "the seed of this release can be guessed, and who guesses it undoes the protection; leave the seed out, "
    "give 64 random hexadecimal digits, or say reproducible=True if the file is not a real release"
)


def source_of(
    release: AnyFile, seed: int | str | bytes | Key | None, unprotected: bool
) -> tuple[Release | Microdata, Streams]:
    """What is written, and the streams of its shuffle; data that nothing protects only where that is said."""
    if isinstance(release, Release):
        if seed is not None:
            raise BadInput("a release is shuffled with its own key; leave seed out")
        if unprotected:
            raise BadInput("unprotected=True is for data that no method protected; this is a release: leave it out")
        return release, release.streams
    if not unprotected:
        raise BadInput(
            f"a {type(release).__name__} was given, which nothing protects; write a release "
            "(method.apply(data) or Plan.run(data)), or say unprotected=True if the data may be seen as they are"
        )
    data = Microdata.of(release)
    return data, Streams(Key.of(seed).for_data(data.mark))


def refuse_source_file(source: Release | Microdata, target: Path) -> None:
    """The file that the data were read from is never replaced, by whatever name it goes."""
    book = source.original.codebook if isinstance(source, Release) else source.codebook
    read_from = book.source if book is not None else None
    if read_from is None:
        return
    same = target.resolve() == read_from
    if not same and target.exists() and read_from.exists():
        same = target.samefile(read_from)
    if same:
        raise FileProblem(f"{str(target)!r} is the file the data were read from; write to another name")


def refuse_unprotected(source: Release | Microdata, reproducible: bool) -> None:
    """A release with a column as it was, with a key that can be guessed, or with an identifier unnoticed stays here."""
    if not isinstance(source, Release):
        return
    if source.exposed:
        raise BrokenPromise(f"{'; '.join(source.exposed)}; nothing was written")
    if not source.key.strong and not reproducible:
        raise BadInput(WEAK_SEED)
    refuse_unstated(source.original, source.narwhal, source.redrawn)
