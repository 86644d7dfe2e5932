"""The parts of a workbook as they are stored: what a reader of values does not tell."""

from __future__ import annotations

import posixpath
import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_STRICT = "http://purl.oclc.org/ooxml/officeDocument/relationships"


def sheet_xml(path: Path, sheet: str) -> bytes:
    """The stored text of the sheet of this name."""
    with zipfile.ZipFile(path) as parts:
        book = _book_part(parts)
        folder, name = posixpath.split(book)
        sheets = [node for node in ET.fromstring(parts.read(book)).iter() if node.tag.endswith("}sheet")]
        node = next(node for node in sheets if node.get("name") == sheet)
        wanted = node.get(f"{{{_OFFICE}}}id") or node.get(f"{{{_STRICT}}}id")
        target = _targets(parts, f"{folder}/_rels/{name}.rels")[str(wanted)][0]
        return parts.read(posixpath.normpath(posixpath.join(f"/{folder}", target)).lstrip("/"))


def _book_part(parts: zipfile.ZipFile) -> str:
    found = _targets(parts, "_rels/.rels").values()
    return next(target for target, kind in found if kind.endswith("/officeDocument")).lstrip("/")


def _targets(parts: zipfile.ZipFile, name: str) -> dict[str, tuple[str, str]]:
    """The parts that another part refers to, by their number, each with its kind."""
    nodes = ET.fromstring(parts.read(name))
    return {node.get("Id", ""): (node.get("Target", ""), node.get("Type", "")) for node in nodes}
