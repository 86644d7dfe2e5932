"""in-toto statements: which files, by their hashes, something is said about."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from microveil.core.errors import BadInput
from microveil.core.open_types import Json, Stated
from microveil.core.printable import is_plain

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
RELEASE = "urn:microveil:release:1"  # the type of what is said of a package that is given away
INTERNAL = "urn:microveil:internal:1"  # and of what stays inside
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Statement:
    """Files with their SHA-256, and what is said of them (`predicate`, of a type that a URI names)."""

    subjects: Mapping[str, str]
    predicate: Stated = field(default_factory=dict, hash=False)
    predicate_type: str = RELEASE

    @classmethod
    def of_files(cls, folder: Path, names: list[str], predicate: Stated, predicate_type: str = RELEASE) -> Statement:
        """The statement about files of a folder as they are now."""
        from microveil.io import sha256_of

        return cls({name: sha256_of(folder / name) for name in sorted(names)}, predicate, predicate_type)

    def to_bytes(self) -> bytes:
        """The statement as JSON; these very bytes are signed."""
        fields: Json = {
            "_type": STATEMENT_TYPE,
            "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in self.subjects.items()],
            "predicateType": self.predicate_type,
            "predicate": dict(self.predicate),
        }
        return (json.dumps(fields, indent=2, ensure_ascii=False) + "\n").encode()

    @classmethod
    def from_fields(cls, fields: object) -> Statement:
        """The statement of a JSON object; one that is none, or that names files elsewhere, is an error."""
        if not isinstance(fields, dict) or fields.get("_type") != STATEMENT_TYPE:
            raise BadInput(f"this is not an in-toto statement: its _type is not {STATEMENT_TYPE}")
        subjects = fields.get("subject")
        predicate, kind = fields.get("predicate", {}), fields.get("predicateType")
        if (
            not isinstance(subjects, list)
            or not subjects
            or not isinstance(predicate, dict)
            or not isinstance(kind, str)
        ):
            raise BadInput(
                "this is not an in-toto statement about files: subject, predicateType or predicate is missing"
            )
        found: dict[str, str] = {}
        for subject in subjects:
            name, digest = _subject(subject)
            if name in found:
                raise BadInput(f"the statement names {name!r} twice; each file is named once")
            found[name] = digest
        return cls(found, predicate, kind)


def _subject(fields: object) -> tuple[str, str]:
    digests = fields.get("digest") if isinstance(fields, dict) else None
    digest = digests.get("sha256") if isinstance(digests, dict) else None
    name = fields.get("name") if isinstance(fields, dict) else None
    if not isinstance(name, str) or not isinstance(digest, str) or not _SHA256.fullmatch(digest):
        raise BadInput("a subject of the statement has no name with a SHA-256; it says nothing about a file")
    path = PurePosixPath(name)
    if not is_plain(name):
        raise BadInput(f"the statement names {name!r}, with signs that are not shown or that break the line")
    if path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name or str(path) != name or name == ".":
        raise BadInput(f"the statement names {name!r}, which is no plain name of a file inside the package")
    return name, digest
