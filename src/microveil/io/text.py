"""Small text files (plans, logs, reports): read with clear errors, written whole or not at all."""

from __future__ import annotations

from pathlib import Path

from microveil.core.errors import FileProblem
from microveil.io.atomic import opened, replacing


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file."""
    file = Path(path)
    try:
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise FileProblem(f"there is no file {str(file)!r}") from None
    except UnicodeDecodeError as problem:
        raise FileProblem(f"{str(file)!r} is not UTF-8 text (byte {problem.start}); save it as UTF-8") from None
    except OSError as problem:
        raise FileProblem(f"{str(file)!r} cannot be read: {problem.strerror}") from None


def write_text(path: str | Path, text: str, private: bool = False) -> None:
    """Write a UTF-8 file; `private` ones only their owner can read."""
    file = Path(path)
    with replacing(file) as temporary:
        if private:
            temporary.chmod(0o600)
        with opened(temporary, file) as handle:
            handle.write(text.encode("utf-8"))
