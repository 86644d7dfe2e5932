"""What is tried with damaged input, and what counts as a fault of ours: all but a result or one clear line."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import microveil as mv
from microveil.core.errors import MicroveilError, NothingHidden
from microveil.plan import Project
from tools.fuzz.mutations import damaged, damaged_project
from tools.fuzz.seeds import READABLE, sound_files, sound_project

PROJECT = "project.yaml"
KINDS = (*READABLE, PROJECT)
_LONGEST = 4000  # of a line that is to be read by somebody


def input_of(kind: str, seed: int) -> bytes:
    """The damaged input of this kind and number, the same for ever."""
    if kind == PROJECT:
        return damaged_project(sound_project(), seed).encode("utf-8", "surrogatepass")
    draw = random.Random(seed)
    sound = sound_files()[kind]
    return damaged(kind, draw.choice(sound), draw.choice(sound), seed)


def fault_of(kind: str, content: bytes, folder: Path) -> str:
    """What is wrong with how this input ends; empty if it is read, or refused in one line."""
    path = folder / (PROJECT if kind == PROJECT else f"input.{kind}")
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", NothingHidden)
        try:
            _try(kind, path)
        except MicroveilError as told:
            return _unclear(str(told))
        except Exception as fault:  # noqa: BLE001 - every other error is what is looked for
            return f"{type(fault).__name__}: {str(fault)[:300]}"
    return ""


def _try(kind: str, path: Path) -> None:
    if kind != PROJECT:
        mv.read(path)
        return
    project = Project.load(path)
    project.to_text()
    data = project.read(path.parent)
    if project.plan is not None:
        project.plan.run(data, seed=1)


def _unclear(line: str) -> str:
    if not line.strip() or "\n" in line or "\r" in line:
        return f"an error of {'several lines' if line.strip() else 'no words'}: {line[:200]!r}"
    return f"an error of {len(line)} characters: {line[:200]!r}" if len(line) > _LONGEST else ""
