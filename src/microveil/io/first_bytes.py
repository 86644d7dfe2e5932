"""Whether a file is there, and is what its ending says by its first bytes."""

from __future__ import annotations

import difflib
import glob
from pathlib import Path

from microveil.core.errors import BadInput, FileProblem
from microveil.core.words import counted, with_article
from microveil.io.formats import known_formats
from microveil.io.formats.format import Format, is_gzip
from microveil.io.paths import check_path

_NEAR = 0.7  # how much of two names must agree for one to be offered for the other
_GZIP = b"\x1f\x8b"


def check_readable(path: Path, kind: Format, packed: bool) -> None:
    """One clear error when there is no such file, or it is not what its ending says."""
    check_there(path)
    try:
        with path.open("rb") as handle:
            start = handle.read(max(len(magic) for known in known_formats().values() for magic in known.magic))
    except OSError as problem:
        raise FileProblem(f"{str(path)!r} cannot be read: {problem.strerror or 'refused'}") from None
    if not start:
        raise BadInput(f"{str(path)!r} is empty: 0 bytes")
    _check_start(path, kind, start, packed)


def check_there(path: Path) -> None:
    """One clear error when there is no such file; it offers the nearest."""
    check_path(path)
    if path.is_dir():
        raise FileProblem(f"{str(path)!r} is a folder; name a file in it")
    if not path.exists():
        _refuse_pattern(path)
        raise FileProblem(f"there is no file {str(path)!r}{_nearest_file(path)}")


def _refuse_pattern(path: Path) -> None:
    """Say of a pattern of files who takes them together: whoever reads a file as a whole takes one."""
    # the pattern may begin at any folder
    found = sorted(glob.glob(str(path))) if glob.has_magic(str(path)) else []  # noqa: PTH207
    if found:
        raise BadInput(
            f"{str(path)!r} names {counted(len(found), 'file')}, and files are taken together by a scan alone, as in "
            "protect and run with engine='blocks' or engine='spark'; else name a single file, such as "
            f"{found[0]!r}, or put them into one"
        )


def _nearest_file(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"; nor is there a folder {str(folder)!r}"
    try:
        names = [entry.name for entry in folder.iterdir() if entry.is_file()]
    except OSError:
        return ""
    # by what stands before the ending: all files of a kind share that
    near = {name: difflib.SequenceMatcher(None, path.stem.lower(), Path(name).stem.lower()).ratio() for name in names}
    best = max(near, key=lambda name: near[name], default="")
    return f"; did you mean {best!r}?" if best and near[best] >= _NEAR else ""


def _check_start(path: Path, kind: Format, start: bytes, packed: bool) -> None:
    if packed:
        if not start.startswith(_GZIP):
            raise BadInput(f"{str(path)!r} ends in .gz but is not compressed; drop .gz from its name")
        return
    if start.startswith(kind.magic + kind.weak_magic):
        return
    found = [other for other in known_formats().values() if start.startswith(other.magic)]
    if found:
        raise BadInput(
            f"{str(path)!r} is not {kind.title} but {found[0].title} by its content; "
            f"give it the ending {found[0].endings[0]}"
        )
    if start.startswith(_GZIP):
        raise BadInput(f"{str(path)!r} is compressed by its content; unpack it or{_as_packed()}")
    if kind.magic:
        raise BadInput(
            f"{str(path)!r} does not begin as {with_article(f'{kind.title} file')} does; "
            "it is damaged or of another format: check its ending"
        )


def _as_packed() -> str:
    """What to call a compressed file, for the formats that may be compressed."""
    endings = {kind.title: next(filter(is_gzip, map(Path, kind.endings)), None) for kind in known_formats().values()}
    return "".join(f", for {title}, end its name in {ending}" for title, ending in endings.items() if ending)
