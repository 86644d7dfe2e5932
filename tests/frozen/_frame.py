"""Parts, their records, and how both are compared."""

from __future__ import annotations

import importlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).parent
ACCEPTED = FOLDER / "accepted.toml"
VERSIONS = FOLDER / "versions.json"  # of libraries, as of the last record or accepted difference
ABSENT = object()
MOST = 80  # characters of a value that are shown


def part_names() -> list[str]:
    """Return the names of all parts."""
    found = (file.stem for file in FOLDER.glob("*.py"))
    return sorted(name for name in found if not name.startswith(("_", "test_")))


def load_part(name: str) -> ModuleType:
    """Return the module of a part."""
    if name not in part_names():
        raise SystemExit(f"there is no part {name!r}; the parts are {', '.join(part_names())}")
    return importlib.import_module(f"tests.frozen.{name}")


def record_file(part: str) -> Path:
    """Return the file with the recorded values of a part."""
    return getattr(load_part(part), "RECORD", FOLDER / f"{part}.json")


def recorded(part: str) -> dict[str, Any]:
    """Return the recorded values of a part."""
    return json.loads(record_file(part).read_text(encoding="utf-8"))


def current(part: str, sample: int = 1) -> dict[str, Any]:
    """Return the values of today's code, as they look in a record."""
    found = dict[str, Any]()
    for key, value in load_part(part).entries(**({"sample": sample} if sample > 1 else {})):
        if key in found:
            raise ValueError(f"{part} has the key {key!r} twice")
        found[key] = json.loads(json.dumps(value))
    return found


def write_record(part: str, values: dict[str, Any]) -> None:
    """Write the record of a part, one key a line."""
    lines = (f"{json.dumps(key)}: {json.dumps(values[key], sort_keys=True)}" for key in sorted(values))
    _write(record_file(part), "{\n" + ",\n".join(lines) + "\n}\n")


def other_versions(part: str) -> list[str]:
    """List the libraries on which the values of a part depend and that are installed in another version."""
    known = json.loads(VERSIONS.read_text(encoding="utf-8")).get(part, {})
    return [f"{name} {now}, not {known.get(name)}" for name, now in _versions(part).items() if now != known.get(name)]


def note_versions(part: str) -> None:
    """Record the installed versions of the libraries on which the values of a part depend."""
    known = json.loads(VERSIONS.read_text(encoding="utf-8"))
    if _versions(part):
        _write(VERSIONS, json.dumps(known | {part: _versions(part)}, indent=1, sort_keys=True) + "\n")


def _versions(part: str) -> dict[str, str]:
    return {name: version(name) for name in getattr(load_part(part), "LIBRARIES", ())}


def _write(path: Path, text: str) -> None:
    """Replace a file at once: who is interrupted leaves the former one."""
    new = path.with_name(f"{path.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


@dataclass(frozen=True)
class Difference:
    """A key whose value is not the recorded one; ABSENT in place of a value that one side lacks."""

    key: str
    old: Any
    new: Any

    def __str__(self) -> str:
        if isinstance(self.old, list) and isinstance(self.new, list):
            before, after = (Counter(map(_text, one)) for one in (self.old, self.new))
            lost, gained = (", ".join((one - other).elements()) for one, other in ((before, after), (after, before)))
            return f"{self.key}: without {_cut(lost or 'none')}, with {_cut(gained or 'none')}"
        old, new = ("absent" if one is ABSENT else _text(one) for one in (self.old, self.new))
        same = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
        start = max(0, same - 20) if max(len(old), len(new)) > MOST else 0
        return f"{self.key}: {_cut(old, start)} -> {_cut(new, start)}"


def differences(part: str, sample: int = 1) -> list[Difference]:
    """Compare today's code with the record; a sample, of parts that allow one, cannot miss keys."""
    module = load_part(part)
    tolerance, sample = getattr(module, "TOLERANCE", 0.0), sample if (getattr(module, "QUICK", 1) or 1) > 1 else 1
    old, new = recorded(part), current(part, sample)
    keys = sorted(new if sample > 1 else {*old, *new})
    pairs = [(key, old.get(key, ABSENT), new.get(key, ABSENT)) for key in keys]
    return [Difference(*one) for one in pairs if not _alike(one[1], one[2], tolerance)]


def accept(part: str, found: Iterable[Difference], reason: str) -> None:
    """Record new values and why they may differ from the former ones."""
    values, changes = recorded(part), list[str]()
    for one in found:
        changes.append(str(one))
        if one.new is ABSENT:
            del values[one.key]
        else:
            values[one.key] = one.new
    write_record(part, values)
    lines = "".join(f"  {_toml(change)},\n" for change in changes)
    entry = f"\n[[accepted]]\npart = {_toml(part)}\nreason = {_toml(reason)}\nchanges = [\n{lines}]\n"
    former = ACCEPTED.read_text(encoding="utf-8") if ACCEPTED.exists() else ""
    _write(ACCEPTED, former + entry)


def _toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def matching(found: Iterable[Difference], patterns: Iterable[str]) -> Iterator[Difference]:
    """Select the differences of these keys, in which `*` stands for anything."""
    wanted = re.compile("|".join(re.escape(pattern).replace(r"\*", ".*") for pattern in patterns), re.DOTALL)
    return (one for one in found if wanted.fullmatch(one.key))


def _alike(old: Any, new: Any, tolerance: float) -> bool:
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(_alike(old[key], new[key], tolerance) for key in old)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(_alike(a, b, tolerance) for a, b in zip(old, new, strict=True))
    if tolerance and {type(old), type(new)} <= {int, float}:
        return math.isclose(old, new, rel_tol=tolerance, abs_tol=tolerance) or (math.isnan(old) and math.isnan(new))
    return type(old) is type(new) and bool(old == new)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _cut(text: str, start: int = 0) -> str:
    end = start + MOST
    return f"{'...' if start else ''}{text[start:end]}{'...' if end < len(text) else ''}"
