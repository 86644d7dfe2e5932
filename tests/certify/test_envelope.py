"""DSSE envelopes: the published example, what is refused, and another implementation."""

from __future__ import annotations

import base64
import copy
import json

import pytest

from microveil.certify import Envelope, PrivateKey, Signature, pre_authentication_encoding
from microveil.core.errors import BadInput

cryptography = pytest.importorskip("cryptography", reason="signatures need the package cryptography")


@pytest.fixture
def key():
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return PrivateKey(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))


def test_the_encoding_is_that_of_the_published_examples():
    # github.com/secure-systems-lab/dsse, protocol.md
    assert (
        pre_authentication_encoding("http://example.com/HelloWorld", b"hello world")
        == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )
    assert pre_authentication_encoding("", b"") == b"DSSEv1 0  0 "
    # lengths are those of bytes, not of letters
    assert pre_authentication_encoding("ä", "ü".encode()) == "DSSEv1 2 ä 2 ü".encode()


def test_an_envelope_comes_back_as_it_was_in_either_alphabet(key):
    payload = bytes(range(250, 256)) * 3  # holds both letters in which the alphabets differ
    envelope = Envelope(payload).signed_by(key)
    fields = json.loads(envelope.to_json())
    assert Envelope.from_fields(fields) == envelope
    fields["payload"] = base64.urlsafe_b64encode(payload).decode()
    assert fields["payload"] != json.loads(envelope.to_json())["payload"]
    assert Envelope.from_fields(fields) == envelope


def test_type_and_payload_are_both_signed(key):
    envelope = Envelope(b"{}").signed_by(key)
    (signature,) = envelope.signatures
    assert envelope.holds(signature, key.public)
    for other in (Envelope(b"{ }"), Envelope(b"{}", "text/plain")):
        assert not other.holds(signature, key.public)


def test_a_signature_in_another_name_does_not_hold(key):
    (signature,) = Envelope(b"{}").signed_by(key).signatures
    assert not Envelope(b"{}").holds(Signature("00" * 32, signature.signature), key.public)
    assert Envelope(b"{}").holds(Signature("", signature.signature), key.public)


def test_a_key_signs_once(key):
    with pytest.raises(BadInput, match="has signed this already"):
        Envelope(b"{}").signed_by(key).signed_by(key)


@pytest.mark.parametrize(
    "fields",
    [
        [],
        {"payload": "e30=", "signatures": []},
        {"payloadType": "x", "payload": "e30=", "signatures": []},
        {"payloadType": "x", "payload": "e30", "signatures": [{"sig": "e30="}]},
        {"payloadType": "x", "payload": "e31=", "signatures": [{"sig": "e30="}]},  # a bit that nobody would read
        {"payloadType": "x", "payload": "e3 0=", "signatures": [{"sig": "e30="}]},
        {"payloadType": "x", "payload": "e30=", "signatures": [{"sig": 5}]},
        {"payloadType": "x", "payload": "e30=", "signatures": [{"keyid": 5, "sig": "e30="}]},
        {"payloadType": "x", "payload": "e30=", "signatures": ["e30="]},
    ],
)
def test_what_is_no_envelope_is_refused(fields):
    with pytest.raises(BadInput, match="not a DSSE envelope"):
        Envelope.from_fields(fields)


def test_another_implementation_accepts_our_envelopes_and_we_accept_its_own(key):
    dsse = pytest.importorskip("securesystemslib.dsse", reason="securesystemslib is not installed")
    signers = pytest.importorskip("securesystemslib.signer", reason="securesystemslib is not installed")
    errors = pytest.importorskip("securesystemslib.exceptions", reason="securesystemslib is not installed")
    theirs = signers.CryptoSigner(key.key)
    keyid = theirs.public_key.keyid
    ours = Envelope(b'{"a": 1}').signed_by(key)
    fields = json.loads(ours.to_json())
    fields["signatures"][0]["keyid"] = keyid  # it names keys in its own way
    changed = {**copy.deepcopy(fields), "payload": base64.b64encode(b'{"a": 2}').decode()}
    assert set(dsse.Envelope.from_dict(fields).verify([theirs.public_key], 1)) == {keyid}
    with pytest.raises(errors.VerificationError):
        dsse.Envelope.from_dict(changed).verify([theirs.public_key], 1)
    made = dsse.Envelope(payload=b'{"a": 1}', payload_type=ours.payload_type, signatures={})
    made.sign(theirs)
    back = Envelope.from_fields(made.to_dict())
    assert back.signatures[0].keyid == keyid != key.keyid
    assert back.holds(back.signatures[0], key.public)


def test_what_others_wrote_in_the_name_of_a_key_gives_way_to_its_own(key):
    forged = Envelope(b"{}", signatures=(Signature("someone", b"x" * 64), Signature(key.keyid, b"y" * 64)))
    signed = forged.signed_by(key)
    assert [one.keyid for one in signed.signatures] == ["someone", key.keyid]
    assert signed.holds(signed.signatures[1], key.public)
    with pytest.raises(BadInput, match="signed this already"):
        signed.signed_by(key)
