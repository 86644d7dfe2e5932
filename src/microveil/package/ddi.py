"""The codebook in XML: DDI-Codebook 2.5, as archives take it.

The order of elements is that of the published schema; `find_faults` checks what a reader relies on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from microveil.core.errors import BadInput
from microveil.package.variables import Category, Variable
from microveil.report.external import MISSING_TOLD

VERSION = "2.5"
NAMESPACE = "ddi:codebook:2_5"

# what may stand in a variable, in this order (schema of DDI-Codebook 2.5; of those the ones that are written here)
_IN_VARIABLE = ("labl", "sumStat", "catgry", "codInstr", "varFormat", "notes")
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def codebook_xml(
    title: str, files: Sequence[str], records: int, variables: Sequence[Variable], *, date: str, version: str
) -> bytes:
    """The codebook of a release: its files, its columns with what they hold, and what was done to them."""
    root = ET.Element("codeBook", {"xmlns": NAMESPACE, "version": VERSION})
    study = _add(root, "stdyDscr")
    citation = _add(study, "citation")
    _add(_add(citation, "titlStmt"), "titl", title)
    production = _add(citation, "prodStmt")
    _add(production, "prodDate", date, date=date)
    _add(production, "software", "microveil", version=version)
    for number, name in enumerate(files, start=1):
        _add_file(root, f"F{number}", name, records, len(variables))
    data = _add(root, "dataDscr")
    all_files = " ".join(f"F{number}" for number in range(1, len(files) + 1))
    for number, variable in enumerate(variables, start=1):
        _add_variable(data, f"V{number}", all_files, variable)
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def find_faults(text: bytes) -> list[str]:
    """In words, what in a codebook breaks the structure that readers rely on; nothing where it is sound."""
    if b"<!DOCTYPE" in text or b"<!ENTITY" in text:
        return ["it declares a document type, which may name other files; a codebook needs none"]
    try:
        root = ET.fromstring(text)
    except ET.ParseError as problem:
        return [f"it is no XML: {problem}"]
    if root.tag != f"{{{NAMESPACE}}}codeBook" or root.get("version") != VERSION:
        return [f"it is not a DDI codebook of version {VERSION}"]
    names = {"d": NAMESPACE}
    ids = [found for element in root.iter() if (found := element.get("ID")) is not None]
    faults = ["two elements have the same ID"] if len(set(ids)) < len(ids) else []
    known = {file.get("ID", "") for file in root.findall("d:fileDscr", names)}
    cases = {found.text or "" for found in root.findall(".//d:caseQnty", names)}
    faults += [] if known else ["it names no file"]
    faults += [] if len(cases) == 1 else ["its files have different numbers of records"]
    variables = root.findall("d:dataDscr/d:var", names)
    faults += [] if variables else ["it describes no column"]
    counted = {found.text or "" for found in root.findall(".//d:varQnty", names)}
    faults += [] if counted <= {str(len(variables))} else ["it does not describe as many columns as it says"]
    for variable in variables:
        faults += _faults_of(variable, known, next(iter(cases), ""))
    return faults


def names_in(text: bytes) -> list[str]:
    """The names of the columns that a codebook describes."""
    if find_faults(text):
        raise BadInput("this is not a DDI codebook as microveil writes it")
    return [one.get("name", "") for one in ET.fromstring(text).iter(f"{{{NAMESPACE}}}var")]


def categories_in(text: bytes) -> set[str]:
    """The values and labels of categories that a codebook lists; none where it is no codebook."""
    if find_faults(text):
        return set()
    listed = ET.fromstring(text).iterfind(f".//{{{NAMESPACE}}}catgry/*")
    return {one.text or "" for one in listed if not one.tag.endswith("catStat")}


def _add(parent: ET.Element, tag: str, text: str = "", **attributes: str) -> ET.Element:
    element = ET.SubElement(parent, tag, {name: _clean(value) for name, value in attributes.items()})
    if text:
        element.text = _clean(text)
    return element


def _clean(text: str) -> str:
    """The text without signs that XML cannot hold."""
    return _NO_XML.sub("\ufffd", text)


def _add_file(root: ET.Element, identity: str, name: str, records: int, columns: int) -> None:
    file = _add(_add(root, "fileDscr", ID=identity), "fileTxt")
    _add(file, "fileName", name)
    size = _add(file, "dimensns")
    _add(size, "caseQnty", str(records))
    _add(size, "varQnty", str(columns))
    _add(file, "dataMsng", MISSING_TOLD)


def _add_variable(data: ET.Element, identity: str, files: str, variable: Variable) -> None:
    interval = "contin" if variable.kind == "continuous" else "discrete"
    more = {"wgt": "wgt"} if variable.is_weight else {}
    more |= {"nature": variable.kind} if variable.kind != "continuous" else {}
    var = _add(data, "var", ID=identity, name=variable.name, files=files, intrvl=interval, **more)
    if variable.title:
        _add(var, "labl", variable.title)
    figures = {"vald": float(variable.valid), "invd": float(variable.missing), **variable.figures}
    for name, value in figures.items():
        _add(var, "sumStat", f"{value:.15g}", type=name)
    for category in variable.categories:
        _add_category(var, category)
    if variable.done:
        _add(var, "codInstr", variable.done)
    kind = "numeric" if variable.form == "number" else "character"
    _add(var, "varFormat", type=kind, **({"category": variable.form} if variable.form in ("date", "time") else {}))
    if not variable.categories and variable.kind != "continuous":
        _add(var, "notes", f"{variable.distinct} different values")


def _add_category(var: ET.Element, category: Category) -> None:
    found = _add(var, "catgry")
    _add(found, "catValu", said_value(category.value))
    if category.label:
        _add(found, "labl", category.label)
    _add(found, "catStat", str(category.count), type="freq")


def said_value(value: object) -> str:
    """A value as a file shows it: whole numbers without a point."""
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _faults_of(variable: ET.Element, files: set[str], cases: str) -> list[str]:
    """What is wrong with one variable."""
    name = variable.get("name")
    tags = [child.tag.removeprefix(f"{{{NAMESPACE}}}") for child in variable]
    if any(tag not in _IN_VARIABLE for tag in tags) or tags != sorted(tags, key=_IN_VARIABLE.index):
        return [f"the elements of {name!r} are not those of a variable, or not in their order"]
    if not name:
        return ["a variable has no name"]
    faults = [] if set((variable.get("files") or "").split()) <= files else [f"{name!r} is in a file that is not named"]
    figures = {one.get("type"): one.text or "" for one in variable.findall(f"{{{NAMESPACE}}}sumStat")}
    valid, missing = (int(figures.get(kind, "-1")) for kind in ("vald", "invd"))
    if str(valid + missing) != cases:
        faults.append(f"{name!r} has another number of cells than there are records")
    listed = variable.findall(f"{{{NAMESPACE}}}catgry/{{{NAMESPACE}}}catStat")
    if listed and sum(int(one.text or "0") for one in listed) != valid:
        faults.append(f"the categories of {name!r} do not add up to its cells")
    return faults
