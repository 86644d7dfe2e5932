"""The structure of DDI-Codebook 2.5, as far as a codebook of a file needs it: a check that needs no schema at hand.

Orders, required parts and allowed values are those of the schema that the DDI Alliance published. Elements that are not
listed here are left alone, so that a codebook with more in it than ours is not refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

VERSION = "2.5"
NAMESPACE = "ddi:codebook:2_5"
_ID = re.compile(r"[^\W\d][\w.-]*")  # what XML takes as an ID


@dataclass(frozen=True)
class Element:
    """What stands in an element: children in their order, those that must be there and those at most once.

    `values` are allowed values of attributes, `required` attributes that must be there, `refers` attributes that name
    IDs of other elements.
    """

    order: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    once: tuple[str, ...] = ()
    values: dict[str, tuple[str, ...]] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    refers: tuple[str, ...] = ()


_WEIGHTED = {"wgtd": ("wgtd", "not-wgtd")}
ELEMENTS = {
    "codeBook": Element(
        ("docDscr", "stdyDscr", "fileDscr", "dataDscr", "otherMat"), needs=("stdyDscr",), values={"version": (VERSION,)}
    ),
    "stdyDscr": Element(
        (
            "citation",
            "studyAuthorization",
            "stdyInfo",
            "studyDevelopment",
            "method",
            "dataAccs",
            "othrStdyMat",
            "notes",
        ),
        needs=("citation",),
    ),
    "titlStmt": Element(("titl", "subTitl", "altTitl", "parTitl", "IDNo"), needs=("titl",), once=("titl",)),
    "prodStmt": Element(
        ("producer", "copyright", "prodDate", "prodPlac", "software", "fundAg", "grantNo"), once=("copyright",)
    ),
    "fileDscr": Element(("fileTxt", "locMap", "notes"), once=("locMap",)),
    "fileTxt": Element(
        (
            "fileName",
            "fileCitation",
            "dataFingerprint",
            "fileCont",
            "fileStrc",
            "dimensns",
            "fileType",
            "format",
            "filePlac",
            "dataChck",
            "ProcStat",
            "dataMsng",
            "software",
            "verStmt",
        ),
        once=("fileCitation", "fileCont", "fileStrc", "dimensns"),
    ),
    "dimensns": Element(("caseQnty", "varQnty", "logRecL", "recPrCas", "recNumTot")),
    "dataDscr": Element(("varGrp", "nCubeGrp", "var", "nCube", "notes")),
    "var": Element(
        (
            "location",
            "labl",
            "imputation",
            "security",
            "embargo",
            "respUnit",
            "anlysUnit",
            "qstn",
            "valrng",
            "invalrng",
            "undocCod",
            "universe",
            "TotlResp",
            "sumStat",
            "txt",
            "stdCatgry",
            "catgryGrp",
            "catgry",
            "codInstr",
            "verStmt",
            "concept",
            "derivation",
            "varFormat",
            "geoMap",
            "catLevel",
            "notes",
        ),
        once=("derivation", "varFormat"),
        values={
            "wgt": ("wgt", "not-wgt"),
            "intrvl": ("contin", "discrete"),
            "nature": ("nominal", "ordinal", "interval", "ratio", "percent", "other"),
        },
        required=("name",),
        refers=("files", "wgt-var"),
    ),
    "sumStat": Element(
        values={"type": ("mean", "medn", "mode", "vald", "invd", "min", "max", "stdev", "other"), **_WEIGHTED},
        required=("type",),
        refers=("wgt-var",),
    ),
    "catgry": Element(
        ("catValu", "labl", "txt", "catStat", "mrow"), once=("catValu", "mrow"), values={"missing": ("Y", "N")}
    ),
    "catStat": Element(values={"type": ("freq", "percent", "crosstab", "other"), **_WEIGHTED}, refers=("wgt-var",)),
    "varFormat": Element(
        values={"type": ("numeric", "character"), "category": ("date", "time", "currency", "other")},
    ),
}


def structure_faults(root: ET.Element) -> Iterator[str]:
    """In words, every place where a codebook is not built as the schema says."""
    ids = [found for element in root.iter() if (found := element.get("ID")) is not None]
    if len(set(ids)) < len(ids):
        yield "two elements have the same ID"
    yield from (f"{one!r:.60} is no ID" for one in ids if not _ID.fullmatch(one))
    known = set(ids)
    for element in root.iter():
        name = tag_of(element)
        if name in ELEMENTS:
            yield from _faults_in(element, name, ELEMENTS[name], known)


def tag_of(element: ET.Element) -> str:
    """The name of an element without its namespace; that of another one stays before it."""
    return str(element.tag).removeprefix(f"{{{NAMESPACE}}}")


def _faults_in(element: ET.Element, name: str, stated: Element, ids: set[str]) -> Iterator[str]:
    called = f"{name} {element.get('name') or element.get('ID') or ''}".strip()
    children = [tag_of(child) for child in element]
    if stated.order:
        strange = [child for child in children if child not in stated.order]
        if strange:
            yield f"{called} holds {strange[0]!r:.60}, which does not belong there"
        elif children != sorted(children, key=stated.order.index):
            yield f"the elements of {called} are not in their order"
    yield from (f"{called} has no {child}" for child in stated.needs if child not in children)
    yield from (f"{called} has more than one {child}" for child in stated.once if children.count(child) > 1)
    yield from (f"{called} has no attribute {one}" for one in stated.required if not element.get(one))
    for one, allowed in stated.values.items():
        value = element.get(one)
        if value is not None and value not in allowed:
            yield f"{called} says {one}={value!r:.60}; allowed are {', '.join(allowed)}"
    for one in stated.refers:
        unknown = set((element.get(one) or "").split()) - ids
        if unknown:
            yield f"{called} refers by {one} to {min(unknown)!r:.60}, which is not there"
