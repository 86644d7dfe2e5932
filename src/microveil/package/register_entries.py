"""The lines of a register: what each says of a release, and the chain that holds them together."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal, get_args

State = Literal["released", "revoked"]
KINDS = ("public", "scientific", "secure")
FIRST = "0" * 64  # what the first line has in the place of the hash of the one before
_TEXTS = ("date", "state", "run", "title", "kind", "certificate", "source", "review", "reason", "previous")
_LISTS = ("methods", "signed_by", "files")
_LATER: dict[str, list[str]] = {"files": []}  # fields that older registers do not have


@dataclass(frozen=True)
class Entry:
    """One line: a release, or that one was revoked.

    `run` is the folder of the run, seen from that of the register. `certificate` is the SHA-256 of the statement that
    is signed, which later signatures leave as it is. `source` is the fingerprint of the data that it was made from.
    `files` are the SHA-256 of its files of data, by which it is known whatever became of its statement.
    `previous` is the hash of the line before: a line that is removed or changed breaks the chain.
    """

    number: int
    date: str
    state: State
    run: str
    title: str
    kind: str
    certificate: str
    source: str
    methods: tuple[str, ...] = ()
    review: str = ""
    signed_by: tuple[str, ...] = ()
    reason: str = ""
    files: tuple[str, ...] = ()
    previous: str = FIRST

    def to_line(self) -> str:
        """The entry as a line of the file."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_line(cls, line: str) -> Entry | None:
        """The entry of a line; None for anything else."""
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError):
            return None
        if not isinstance(fields, dict) or {*fields, *_LATER} != {"number", *_TEXTS, *_LISTS}:
            return None
        fields = {**_LATER, **fields}
        texts = all(isinstance(fields[name], str) for name in _TEXTS)
        lists = all(_is_texts(fields[name]) for name in _LISTS)
        if type(fields["number"]) is not int or not texts or not lists or fields["state"] not in get_args(State):
            return None
        return cls(**{**fields, **{name: tuple(fields[name]) for name in _LISTS}})


def hash_of(line: str) -> str:
    """The hash by which the next line names this one."""
    return hashlib.sha256(line.encode()).hexdigest()


def find_breaks(lines: Sequence[str], entries: Sequence[Entry | None]) -> list[str]:
    """In words, every place where the chain of lines does not hold."""
    found, known, revoked, previous = [], 0, set(), FIRST
    for place, (line, entry) in enumerate(zip(lines, entries, strict=True), start=1):
        if entry is None:
            found.append(f"line {place} is no entry of a register")
            previous = hash_of(line)
            continue
        if entry.previous != previous:
            found.append(f"line {place} does not follow the one before: a line was changed, removed or put in")
        if entry.state == "released" and entry.number != known + 1:
            found.append(f"line {place} has the number {entry.number}, and {known + 1} is the next")
        if entry.state == "revoked" and (not 1 <= entry.number <= known or entry.number in revoked):
            found.append(f"line {place} revokes release {entry.number}, which is not there to be revoked")
        if entry.state == "released":
            known = max(known, entry.number)
        else:
            revoked.add(entry.number)
        previous = hash_of(line)
    return found


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
