"""Certificates: what was changed is named, and nothing is believed that a trusted key did not sign."""

from __future__ import annotations

import json
import sys
import threading

import pytest

from microveil.certify import (
    CERTIFICATE,
    Envelope,
    PrivateKey,
    Statement,
    certificate,
    find_changes,
    read_certificate,
    sign_folder,
    write_certificate,
)
from microveil.core import locking
from microveil.core.errors import BadInput, BrokenPromise, FileProblem, MicroveilError

pytest.importorskip("cryptography", reason="signatures need the package cryptography")


def key_of(number: int) -> PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return PrivateKey(Ed25519PrivateKey.from_private_bytes(bytes([number] * 32)))


ONE, TWO = key_of(1), key_of(2)


@pytest.fixture
def certified(tmp_path):
    """A folder with two files and a bare certificate."""
    (tmp_path / "data.csv").write_text("x\n1\n")
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "codebook.txt").write_text("x: a number\n")
    statement = Statement.of_files(tmp_path, ["data.csv", "book/codebook.txt"], {"records": 1})
    write_certificate(tmp_path, statement)
    return tmp_path


def test_a_statement_comes_back_as_it_was(certified):
    statement = read_certificate(certified).statement
    assert Statement.from_fields(json.loads(statement.to_bytes())) == statement
    # printf 'x\n1\n' | sha256sum
    assert statement.subjects["data.csv"] == "daff832f802000e645771a60983c76c963f6ee602a6230e45237bd360e91cc1a"
    fields = json.loads((certified / CERTIFICATE).read_text())
    assert fields["_type"] == "https://in-toto.io/Statement/v1"
    assert [one["name"] for one in fields["subject"]] == ["book/codebook.txt", "data.csv"]


def test_an_untouched_folder_has_no_changes(certified):
    certificate = read_certificate(certified)
    assert find_changes(certified, certificate.statement) == []
    assert not certificate.is_signed
    assert certificate.as_written


def test_every_kind_of_change_is_named(certified):
    statement = read_certificate(certified).statement
    (certified / "data.csv").write_text("x\n2\n")
    (certified / "book" / "codebook.txt").unlink()
    (certified / ".hidden").write_text("")
    assert find_changes(certified, statement) == [
        "book/codebook.txt is missing",
        "data.csv was changed",
        ".hidden is not named by the certificate",
    ]


def test_a_link_is_no_file_of_a_package(certified, tmp_path_factory):
    statement = read_certificate(certified).statement
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "same"
    (certified / "data.csv").rename(elsewhere)
    (certified / "data.csv").symlink_to(elsewhere)
    assert find_changes(certified, statement) == ["data.csv is missing"]


def test_several_people_sign_one_after_the_other(certified):
    sign_folder(certified, ONE)
    sign_folder(certified, TWO)
    both = read_certificate(certified, [ONE.public, TWO.public], least=2)
    assert {key.keyid for key in both.signed_by} == {ONE.keyid, TWO.keyid}
    assert both.strangers == ()
    one = read_certificate(certified, [ONE.public])
    assert [key.keyid for key in one.signed_by] == [ONE.keyid]
    assert one.strangers == (TWO.keyid,)
    assert read_certificate(certified).strangers == (ONE.keyid, TWO.keyid)


def test_too_few_trusted_signatures_are_refused(certified):
    with pytest.raises(BrokenPromise, match="not signed"):
        read_certificate(certified, [ONE.public])
    sign_folder(certified, ONE)
    with pytest.raises(BrokenPromise, match="none of them"):
        read_certificate(certified, [TWO.public])
    with pytest.raises(BrokenPromise, match="signed by 2"):
        read_certificate(certified, [ONE.public, TWO.public], least=2)
    with pytest.raises(BrokenPromise, match="none of them"):
        read_certificate(certified, [])
    # the same key twice is one signer
    with pytest.raises(BrokenPromise, match="signed by 2"):
        read_certificate(certified, [ONE.public, ONE.public], least=2)


def test_a_trusted_signature_without_a_name_is_no_strangers(certified):
    sign_folder(certified, ONE)
    fields = json.loads((certified / CERTIFICATE).read_text())
    fields["signatures"][0]["keyid"] = ""
    (certified / CERTIFICATE).write_text(json.dumps(fields))
    found = read_certificate(certified, [ONE.public])
    assert (len(found.signed_by), found.strangers) == (1, ())


@pytest.mark.parametrize("field", ["payloadType", "predicate"])
def test_half_a_character_is_no_text(certified, field):
    fields = json.loads((certified / CERTIFICATE).read_text())
    fields |= {"predicate": {"title": "\ud800"}} if field == "predicate" else {"payloadType": "\ud800"}
    (certified / CERTIFICATE).write_text(json.dumps(fields))
    for trusted in (None, [ONE.public]):
        with pytest.raises(BadInput, match="no JSON as a certificate has it"):
            read_certificate(certified, trusted)


def test_nobody_signs_for_changed_files(certified):
    (certified / "data.csv").write_text("x\n2\n")
    before = (certified / CERTIFICATE).read_bytes()
    with pytest.raises(BrokenPromise, match=r"data\.csv was changed.*not signed"):
        sign_folder(certified, ONE)
    assert (certified / CERTIFICATE).read_bytes() == before


def test_any_changed_byte_of_a_signed_certificate_is_noticed(certified):
    statement = sign_folder(certified, ONE)
    raw = (certified / CERTIFICATE).read_bytes()
    for place in range(len(raw)):
        other = b"\n" if raw[place : place + 1] == b" " else bytes([raw[place] ^ 1])
        (certified / CERTIFICATE).write_bytes(raw[:place] + other + raw[place + 1 :])
        try:
            found = read_certificate(certified, [ONE.public])
        except MicroveilError:
            continue
        assert not found.as_written, place  # blanks, which nobody signs
        assert found.statement == statement


def test_a_changed_signature_is_noticed_beside_one_that_holds(certified):
    sign_folder(certified, ONE)
    sign_folder(certified, TWO)
    fields = json.loads((certified / CERTIFICATE).read_text())
    fields["signatures"][1]["sig"] = fields["signatures"][0]["sig"]
    (certified / CERTIFICATE).write_text(json.dumps(fields))
    with pytest.raises(BrokenPromise, match="does not hold"):
        read_certificate(certified, [ONE.public, TWO.public])


def test_nothing_of_an_untrusted_statement_is_parsed(certified, monkeypatch):
    sign_folder(certified, ONE)

    def parsed(fields: object) -> Statement:
        raise AssertionError("the statement was parsed before its signature held")

    monkeypatch.setattr(Statement, "from_fields", parsed)
    with pytest.raises(BrokenPromise):
        read_certificate(certified, [TWO.public])
    with pytest.raises(AssertionError):
        read_certificate(certified, [ONE.public])


def test_an_envelope_of_something_else_is_refused(certified):
    (certified / CERTIFICATE).write_text(Envelope(b"{}", "text/plain").signed_by(ONE).to_json())
    with pytest.raises(BadInput, match="not an in-toto statement"):
        read_certificate(certified, [ONE.public])


@pytest.mark.parametrize("name", ["../data.csv", "/data.csv", "a//b", "./a", "a\\b", "a/../b", "", ".", "a\0"])
def test_a_statement_names_files_inside_the_package_only(name):
    fields = json.loads(Statement({"a": "0" * 64}).to_bytes())
    fields["subject"][0]["name"] = name
    with pytest.raises(BadInput):
        Statement.from_fields(fields)


@pytest.mark.parametrize(
    "change",
    [
        {"_type": "x"},
        {"subject": []},
        {"subject": [{"name": "a"}]},
        {"subject": [{"name": "a", "digest": {"sha256": "00"}}]},
        {"subject": [{"name": "a", "digest": {"sha256": "A" * 64}}]},
        {"subject": [{"name": "a", "digest": {"sha256": "0" * 64}}] * 2},
        {"predicate": []},
        {"predicateType": 1},
    ],
)
def test_what_is_no_statement_is_refused(change):
    fields = json.loads(Statement({"a": "0" * 64}).to_bytes())
    with pytest.raises(BadInput):
        Statement.from_fields({**fields, **change})


@pytest.mark.parametrize("text", ["", "[1", "[" * 100_000, '{"_type": 1, "_type": 2}', "\ufffd"])
def test_what_is_no_json_is_refused(certified, text):
    (certified / CERTIFICATE).write_text(text)
    with pytest.raises(BadInput):
        read_certificate(certified)


def test_a_folder_without_certificate_is_told(tmp_path):
    with pytest.raises(FileProblem, match=r"no certificate\.json"):
        read_certificate(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")
def test_two_who_sign_at_the_same_moment_lose_no_signature(certified, monkeypatch):
    others: list[threading.Thread] = []
    look = certificate.find_changes

    def while_another_signs(place, statement):
        if not others:
            others.append(threading.Thread(target=sign_folder, args=(certified, TWO)))
            others[0].start()
            others[0].join(0.2)  # it waits for the first: without a lock it would be done
        return look(place, statement)

    monkeypatch.setattr(certificate, "find_changes", while_another_signs)
    sign_folder(certified, ONE)
    others[0].join(30)
    assert set(read_certificate(certified).strangers) == {ONE.keyid, TWO.keyid}
    assert {path.name for path in certified.iterdir()} == {"data.csv", "book", CERTIFICATE}


def test_a_signature_in_between_is_noticed_where_there_are_no_locks(certified, monkeypatch):
    look = certificate.find_changes

    def another_signed(place, statement):
        monkeypatch.setattr(certificate, "find_changes", look)
        sign_folder(certified, TWO)
        return []

    monkeypatch.setattr(locking, "knows_locks", lambda: False)
    monkeypatch.setattr(certificate, "find_changes", another_signed)
    with pytest.raises(FileProblem, match="signed at the same moment"):
        sign_folder(certified, ONE)
    assert read_certificate(certified).strangers == (TWO.keyid,)
