"""Codebooks: figures of the released file alone, in the structure that archives read."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pytest

from microveil.package import codebook_text, codebook_xml, find_faults, released_columns, variables_of
from microveil.package.ddi import names_in
from microveil.package.ddi_structure import NAMESPACE
from tests.package.releases import people, released
from tests.reference import shared_file

NAMES = {"d": NAMESPACE}


@pytest.fixture(scope="module")
def release():
    return released()


@pytest.fixture(scope="module")
def variables(release):
    return variables_of(release, released_columns(release, titles=True))


@pytest.fixture(scope="module")
def xml(variables):
    return codebook_xml("People & places", ["data.csv"], 120, variables, date="2026-11-16", version="1")


def test_variables_are_those_of_the_file_with_figures_of_the_release(release, variables):
    found = {variable.name: variable for variable in variables}
    assert list(found) == ["home", "sex", "region", "income", "weight"]  # no identifier
    incomes = np.asarray(release.frame["income"])
    # to the cent, as the file has them
    assert found["income"].figures["max"] == pytest.approx(incomes.max(), abs=0.005)
    assert found["income"].figures["stdev"] == pytest.approx(incomes.std(ddof=1), abs=0.01)
    before = np.asarray(people().frame["income"])
    assert found["income"].figures["max"] < before.max() - 1
    sexes = np.asarray(release.frame["sex"])
    assert [(one.value, one.label, one.count) for one in found["sex"].categories] == [
        (1, "men", (sexes == 1).sum()),
        (2, "women", (sexes == 2).sum()),
    ]
    assert (found["region"].valid, found["region"].missing) == (116, 4)
    assert found["weight"].is_weight
    assert found["income"].done == "microaggregation"
    assert found["region"].done == "left as it was"
    assert found["home"].done == "numbers drawn anew when the file is written"


def test_the_structure_is_sound(xml):
    assert find_faults(xml) == []
    assert names_in(xml) == ["home", "sex", "region", "income", "weight"]


def test_the_xml_says_what_is_in_the_file(xml):
    root = ET.fromstring(xml)
    assert root.findtext("d:stdyDscr/d:citation/d:titlStmt/d:titl", namespaces=NAMES) == "People & places"
    income = root.find("d:dataDscr/d:var[@name='income']", NAMES)
    assert income.findtext("d:labl", namespaces=NAMES) == "Income <per> month & person"
    assert income.get("intrvl") == "contin"
    sex = root.find("d:dataDscr/d:var[@name='sex']", NAMES)
    assert [one.findtext("d:labl", namespaces=NAMES) for one in sex.findall("d:catgry", NAMES)] == ["men", "women"]
    assert root.find("d:dataDscr/d:var[@name='weight']", NAMES).get("wgt") == "wgt"
    assert b"unknown" not in xml  # a label of a code that does not occur


def test_weights_and_gaps_are_told(xml):
    root = ET.fromstring(xml)
    by_name = {one.get("name"): one for one in root.findall("d:dataDscr/d:var", NAMES)}
    assert by_name["income"].get("wgt-var") == by_name["weight"].get("ID")
    assert by_name["weight"].get("wgt-var") is None
    (gap,) = by_name["region"].findall("d:catgry[@missing='Y']", NAMES)
    assert (gap.findtext("d:labl", namespaces=NAMES), gap.findtext("d:catStat", namespaces=NAMES)) == (
        "the cell is empty",
        "4",
    )
    assert by_name["sex"].findall("d:catgry[@missing='Y']", NAMES) == []


def test_a_codebook_of_others_with_more_in_it_is_sound():
    text = f"""<codeBook xmlns="{NAMESPACE}" version="2.5"><docDscr/><stdyDscr><citation><titlStmt><titl>x</titl>
    <IDNo>1</IDNo></titlStmt><rspStmt/></citation><method><dataColl/></method></stdyDscr><fileDscr ID="a"><fileTxt>
    <dimensns><caseQnty>3</caseQnty></dimensns></fileTxt></fileDscr><dataDscr><varGrp/><var name="x" files="a"><qstn/>
    <sumStat type="medn">2</sumStat><concept/></var></dataDscr></codeBook>"""
    assert find_faults(text.encode()) == []


def test_it_validates_against_the_schema(xml):
    etree = pytest.importorskip("lxml.etree", reason="lxml is not installed")
    schema = etree.XMLSchema(etree.parse(str(shared_file("schemas", "ddi-codebook-2.5", "codebook.xsd"))))
    schema.assertValid(etree.fromstring(xml))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (b"</codeBook>", b"", "no XML"),
        (b"<codeBook", b"<!DOCTYPE x><codeBook", "document type"),
        (b'version="2.5"', b'version="2.1"', "not a DDI codebook"),
        (b'ID="V2"', b'ID="V1"', "same ID"),
        (b'files="F1"', b'files="F7"', "refers by files to 'F7', which is not there"),
        (b'wgt-var="V5"', b'wgt-var="V9"', "refers by wgt-var to 'V9'"),
        (b'ID="V2"', b'ID="2 V"', "is no ID"),
        (b'intrvl="contin"', b'intrvl="continuous"', "allowed are contin, discrete"),
        (b'wgt="wgt"', b'wgt="yes"', "allowed are wgt, not-wgt"),
        (b'nature="nominal"', b'nature="name"', "allowed are nominal"),
        (b'<sumStat type="vald"', b"<sumStat", "has no attribute type"),
        (b'<sumStat type="min"', b'<sumStat type="minimum"', "allowed are mean"),
        (b'missing="Y"', b'missing="yes"', "allowed are Y, N"),
        (b'varFormat type="numeric"', b'varFormat type="number"', "allowed are numeric"),
        (b"<titl>People &amp; places</titl>", b"", "titlStmt has no titl"),
        (b"<titl>", b"<titl>x</titl><titl>", "more than one titl"),
        (b"caseQnty", b"cases", "holds 'cases', which does not belong there"),
        (b"stdyDscr", b"docDscr", "codeBook has no stdyDscr"),
        (b"dataMsng", b"fileName", "not in their order"),
        (b"<caseQnty>120", b"<caseQnty>121", "number of cells"),
        (b"<varQnty>5", b"<varQnty>6", "as many columns"),
        (b'<sumStat type="invd">4<', b'<sumStat type="invd">5<', "number of cells"),
        (b'name="sex"', b'name=""', "has no attribute name"),
        (b"codInstr", b"labl", "not in their order"),
    ],
)
def test_every_fault_is_told(xml, old, new, told):
    assert old in xml
    assert any(told in fault for fault in find_faults(xml.replace(old, new)))


def test_counts_that_do_not_add_up_are_told(xml):
    root = ET.fromstring(xml)
    count = root.find("d:dataDscr/d:var[@name='sex']/d:catgry/d:catStat", NAMES)
    count.text = str(int(count.text) + 1)
    assert find_faults(ET.tostring(root)) == ["the categories of 'sex' do not add up to its cells"]


def test_odd_signs_leave_the_xml_readable(variables):
    xml = codebook_xml("a\x00b\x1b", ["data.csv"], 120, variables, date="2026-11-16", version="1")
    assert find_faults(xml) == []
    assert b"\x1b" not in xml


def test_the_text_is_for_people(variables):
    text = codebook_text("People", ["data.csv"], 120, variables, date="2026-11-16")
    assert "120 records, 5 columns" in text
    assert "income: Income <per> month & person\n  number, continuous; 120 values, 0 missing" in text
    assert "    1 = men: " in text
    assert "protection: microaggregation" in text
    assert "canary" not in text
