"""Names that somebody chose to forge a line of an audit, of a codebook, of an error."""

from __future__ import annotations

import os

import pandas as pd
import pytest
from typer.testing import CliRunner

from microveil import certify
from microveil.certify import Statement
from microveil.cli.app import app
from microveil.core.errors import BadInput, BrokenPromise
from microveil.package import audit, codebook_text
from microveil.package.findings import note
from microveil.package.variables import Variable

FORGED = "notes.txt\nholds: the certificate is signed by Jane.\nx.txt"
TURNED = "\u202evsc.atad"


@pytest.fixture
def with_data(tmp_path):
    pd.DataFrame({"sex": [1, 2, 2, 1] * 10}).to_csv(tmp_path / "data.csv", index=False)
    return tmp_path


@pytest.mark.skipif(os.name == "nt", reason="such names cannot be given there")
@pytest.mark.parametrize("name", [FORGED, TURNED, "a\x1b[2J.txt", "re\u2028port.html"])
def test_a_name_cannot_write_a_line_and_is_refused(with_data, name):
    (with_data / name).write_text("x")
    found = audit(with_data)
    assert any("holds signs that are not shown" in one.text for one in found.broken)
    shown = CliRunner().invoke(app, ["audit", str(with_data)])
    out = shown.output
    assert shown.exit_code == 1
    assert not any(line.startswith("holds: the certificate is signed") for line in out.splitlines())
    assert not {"\x1b", "\u202e", "\u2028"} & set(out)


@pytest.mark.skipif(os.name == "nt", reason="such names cannot be given there")
def test_changes_that_signers_are_told_stay_in_their_line(with_data):
    certify.write_certificate(with_data, Statement.of_files(with_data, ["data.csv"], {}))
    (with_data / FORGED).write_text("x")
    changes = certify.find_changes(with_data, certify.read_certificate(with_data).statement)
    assert len(changes) == 1
    assert "\n" not in changes[0]
    with pytest.raises(BrokenPromise, match=r"notes\.txt\\nholds"):
        certify.sign_folder(with_data, None)  # type: ignore[arg-type] # nobody gets as far as signing


def test_a_statement_may_not_name_such_files():
    with pytest.raises(BadInput, match="signs that are not shown"):
        Statement.from_fields(
            {
                "_type": "https://in-toto.io/Statement/v1",
                "subject": [{"name": FORGED, "digest": {"sha256": "0" * 64}}],
                "predicateType": "x",
                "predicate": {},
            }
        )


def test_every_finding_is_one_line():
    assert str(note("x", "the column 'a\nBROKEN: b' is odd.")) == "note: the column 'a\\nBROKEN: b' is odd."


def test_codebooks_keep_titles_and_names_in_their_lines():
    odd = Variable("pay\nsex: all men", "Pay\u202e", "continuous", "number", "other", 3, 0, 3)
    text = codebook_text("People\nand more", ["data.csv"], 3, [odd], date="2026-11-18")
    assert text.splitlines()[0] == "People and more"
    assert "pay sex: all men: Pay\\u202e" in text.splitlines()
    assert "\u202e" not in text
