"""The codebook in XML: DDI-Codebook 2.5, as archives take it.

The order of elements is that of the published schema; `find_faults` checks it, and what a reader relies on besides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from microveil.core.errors import BadInput
from microveil.package.ddi_structure import NAMESPACE, VERSION, structure_faults
from microveil.package.variables import Category, Variable
from microveil.report.external import MISSING_TOLD

_EMPTY = "the cell is empty"
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
    weights = " ".join(f"V{number}" for number, one in enumerate(variables, start=1) if one.is_weight)
    for number, variable in enumerate(variables, start=1):
        _add_variable(data, f"V{number}", all_files, weights, variable)
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
    faults = list(structure_faults(root))
    cases = {found.text or "" for found in root.findall(".//d:caseQnty", names)}
    faults += [] if root.findall("d:fileDscr", names) else ["it names no file"]
    faults += [] if len(cases) == 1 else ["its files have different numbers of records"]
    variables = root.findall("d:dataDscr/d:var", names)
    faults += [] if variables else ["it describes no column"]
    counted = {found.text or "" for found in root.findall(".//d:varQnty", names)}
    faults += [] if counted <= {str(len(variables))} else ["it does not describe as many columns as it says"]
    for variable in variables:
        faults += _count_faults(variable, next(iter(cases), ""))
    return faults


def names_in(text: bytes) -> list[str]:
    """The names of the columns that a codebook describes."""
    if find_faults(text):
        raise BadInput("this is not a DDI codebook as microveil writes it")
    return [one.get("name", "") for one in ET.fromstring(text).iter(f"{{{NAMESPACE}}}var")]


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


def _add_variable(data: ET.Element, identity: str, files: str, weights: str, variable: Variable) -> None:
    """A column; `weights` are the IDs of the columns that it is weighted by."""
    interval = "contin" if variable.kind == "continuous" else "discrete"
    more = {"wgt": "wgt"} if variable.is_weight else {"wgt-var": weights} if weights else {}
    more |= {"nature": variable.kind} if variable.kind != "continuous" else {}
    var = _add(data, "var", ID=identity, name=variable.name, files=files, intrvl=interval, **more)
    if variable.title:
        _add(var, "labl", variable.title)
    figures = {"vald": float(variable.valid), "invd": float(variable.missing), **variable.figures}
    for name, value in figures.items():
        _add(var, "sumStat", f"{value:.15g}", type=name)
    for category in variable.categories:
        _add_category(var, category)
    if variable.categories and variable.missing:
        gap = _add(var, "catgry", missing="Y")
        _add(gap, "labl", _EMPTY)
        _add(gap, "catStat", str(variable.missing), type="freq")
    if variable.done:
        _add(var, "codInstr", variable.done)
    kind = "numeric" if variable.form == "number" else "character"
    _add(var, "varFormat", type=kind, **({"category": variable.form} if variable.form in ("date", "time") else {}))
    if not variable.categories and variable.kind != "continuous":
        _add(var, "notes", f"{'more than ' * variable.more}{variable.distinct} different values")


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


def _count_faults(variable: ET.Element, cases: str) -> list[str]:
    """Where the counts of one variable do not add up, as far as it states them."""
    name = variable.get("name")
    figures = {one.get("type"): one.text or "" for one in variable.findall(f"{{{NAMESPACE}}}sumStat")}
    valid, missing = (_count(figures.get(kind)) for kind in ("vald", "invd"))
    faults = []
    if valid is not None and missing is not None and str(valid + missing) != cases:
        faults.append(f"{name!r} has another number of cells than there are records")
    for said, expected in (("N", valid), ("Y", missing)):
        groups = [one for one in variable.findall(f"{{{NAMESPACE}}}catgry") if one.get("missing", "N") == said]
        found = [_count(one.text) for group in groups for one in group.findall(f"{{{NAMESPACE}}}catStat[@type='freq']")]
        if found and expected is not None and sum(one or 0 for one in found) != expected:
            faults.append(f"the categories of {name!r} do not add up to its cells")
    return faults


def _count(text: str | None) -> int | None:
    """A count that a text states; None where it states none."""
    return int(text) if text is not None and re.fullmatch("[0-9]{1,15}", text.strip()) else None
