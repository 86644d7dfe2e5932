"""Numbers that YAML reads as others than people write: refused with line and place; texts are written in quotes."""

from __future__ import annotations

import re

import pytest
import yaml

from microveil.core.errors import BadInput
from microveil.io.text import read_yaml
from microveil.io.yaml_values import read_value, write_yaml

_ODD = {
    "012": "12",
    "-007": "-7",
    "08": "8",
    "01.11": "1.11",
    "0x1F": "31",
    "0o17": "15",
    "-0b101": "-5",
    "1_000": "1000",
    "1_000.5": "1000.5",
    "2020_01": "202001",
    "1e3": "1000",
    "-1E3": "-1000",
    "1.5e3": "1500",
    "1e+3": "1000",
    "1e-3": "0.001",
    ".5e1": "5",
    "01e2": "100",
    "1e30": "1.0e+30",
    "1e99999999999999999999": "a plain number",
    "no": "false",
    "Off": "false",
    "YES": "true",
    "on": "true",
}


@pytest.mark.parametrize("given", _ODD)
def test_what_to_write_is_said_with_line_and_place(given: str) -> None:
    told = f"the plan says {given} (line 3, in steps, entry 2, k); write {_ODD[given]}, or '{given}' in quotation marks"
    with pytest.raises(BadInput, match=re.escape(told)):
        read_yaml(f"steps:\n- {{k: 3}}\n- {{k: {given}}}\n", "the plan")


@pytest.mark.parametrize("given", ["1:30", "10:30:00", "0:30", "-1:30", "1:30.5"])
def test_numbers_to_the_base_of_sixty_are_refused(given: str) -> None:
    told = f"the plan says {given} (line 1, in a); write a plain number, or '{given}' in quotation marks if it is text"
    with pytest.raises(BadInput, match=re.escape(told)):
        read_yaml(f"a: {given}\n", "the plan")


def test_names_of_entries_and_what_anchors_share_are_looked_at_too() -> None:
    with pytest.raises(BadInput, match=re.escape("says 01 (line 2, in labels)")):
        read_yaml("labels:\n  01: North\n", "the project")
    with pytest.raises(BadInput, match=re.escape("says 012 (line 1, in a, entry 1)")):
        read_yaml("a: &x [012]\nb: *x\n", "the project")
    with pytest.raises(BadInput, match=re.escape("the answer says 012; write 12")):
        read_yaml("012", "the answer")


@pytest.mark.parametrize("given", ["!!int '012'", '!!int "0x1F"', "!!float '1e3'", "!!bool 'no'", "&x !!int 012"])
def test_a_tag_does_not_make_an_odd_number_a_plain_one(given: str) -> None:
    with pytest.raises(BadInput, match=r"the plan says .* \(line 1, in a\); write"):
        read_yaml(f"a: {given}\n", "the plan")


def test_what_a_tag_says_is_text_is_text() -> None:
    text = "[!!str 012, !!str 08, &x !!str 1e3, !!str no, y, n, 'no', \"1e3\", true, False, None, nobody]"
    told = ["012", "08", "1e3", "no", "y", "n", "no", "1e3", True, False, "None", "nobody"]
    assert read_yaml(text, "the plan") == told


def test_words_that_are_read_as_truth_are_refused_where_data_are_meant() -> None:
    with pytest.raises(BadInput, match=re.escape("says on (line 2, in labels); write true, or 'on' in quotation")):
        read_yaml("labels:\n  {on: a, no: b}\n", "the project")


def test_a_field_takes_yes_for_an_answer_and_not_for_a_code() -> None:
    assert read_value("yes", "the field") is True
    with pytest.raises(BadInput, match=r"the field says no .*; write false, or 'no' in quotation marks"):
        read_value("[99, no]", "the field")


def test_numbers_that_everybody_reads_alike_are_read() -> None:
    text = "[0, 7, -7, +7, 0.5, -0.25, .5, 10.0, 1.0e+3, 0.0, 2027-01-31, '012', \"1:30\", 1:75, a_1, 0a, v0.1]"
    read = read_yaml(text, "the plan")
    assert read == yaml.safe_load(text)
    assert read_yaml("&x [*x, 1]", "the plan")[1] == 1


@pytest.mark.parametrize("given", [*_ODD, "1:30", "0:30", "plain", "12", "true", "2027-01-31"])
def test_what_is_written_is_read_again_as_text(given: str) -> None:
    content = {"codes": [given], given: 1}
    assert read_yaml(write_yaml(content), "the plan") == content
