"""DSSE envelopes: bytes with a type, and who signed both.

The signature is over a text that holds type and bytes with their lengths (PAE), so that nobody has to agree on a form
of JSON, and bytes signed as one thing are never taken for another. The format is DSSE 1.0 of Secure Systems Lab.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass, replace
from typing import Protocol

from microveil.core.errors import BadInput

IN_TOTO = "application/vnd.in-toto+json"


class Signer(Protocol):
    """Who can sign: a key that is named by the hash of its public half."""

    @property
    def keyid(self) -> str:
        """The SHA-256 of the public key in DER, in hexadecimal digits."""

    def sign(self, message: bytes) -> bytes:
        """The signature of a message."""


class Verifier(Protocol):
    """Who can tell whether a key signed something."""

    @property
    def keyids(self) -> tuple[str, ...]:
        """The names under which signatures of this key may go."""

    def verifies(self, message: bytes, signature: bytes) -> bool:
        """Whether the signature of a message is by this key."""


@dataclass(frozen=True)
class Signature:
    """A signature and the key that it says to be by; the name alone proves nothing."""

    keyid: str
    signature: bytes


@dataclass(frozen=True)
class Envelope:
    """Bytes of some type with signatures of both; what is in `payload` is not looked at here."""

    payload: bytes
    payload_type: str = IN_TOTO
    signatures: tuple[Signature, ...] = ()

    @property
    def signed_bytes(self) -> bytes:
        """What every signature is a signature of."""
        return pre_authentication_encoding(self.payload_type, self.payload)

    def signed_by(self, signer: Signer) -> Envelope:
        """The envelope with one more signature; a key signs once.

        What somebody else wrote in the name of this key is no signature of it, and gives way to the true one.
        """
        signature = Signature(signer.keyid, signer.sign(self.signed_bytes))  # Ed25519 draws nothing
        if any(known.signature == signature.signature for known in self.signatures):
            raise BadInput(
                f"the key {signer.keyid[:16]} has signed this already; another person signs with another key"
            )
        others = tuple(known for known in self.signatures if known.keyid != signer.keyid)
        return replace(self, signatures=(*others, signature))

    def holds(self, signature: Signature, verifier: Verifier) -> bool:
        """Whether a signature is by this key and names no other; one without a name is compared with every key."""
        return signature.keyid in ("", *verifier.keyids) and verifier.verifies(self.signed_bytes, signature.signature)

    def to_json(self) -> str:
        """The envelope as a file holds it."""
        fields = {
            "payloadType": self.payload_type,
            "payload": base64.b64encode(self.payload).decode(),
            "signatures": [
                {"keyid": one.keyid, "sig": base64.b64encode(one.signature).decode()} for one in self.signatures
            ],
        }
        return json.dumps(fields, indent=2) + "\n"

    @classmethod
    def from_fields(cls, fields: object) -> Envelope:
        """The envelope of a JSON object; one that is none is an error."""
        if not isinstance(fields, dict) or not isinstance(fields.get("payloadType"), str):
            raise BadInput("this is not a DSSE envelope: it has no payloadType")
        signatures = fields.get("signatures")
        if not isinstance(signatures, list) or not signatures:
            raise BadInput("this is not a DSSE envelope: it has no signatures")
        return cls(
            _decoded(fields.get("payload"), "payload"), fields["payloadType"], tuple(map(_signature_of, signatures))
        )


def pre_authentication_encoding(payload_type: str, payload: bytes) -> bytes:
    """Type and bytes, each behind its length: no two pairs give the same text.

    >>> pre_authentication_encoding("http://example.com/HelloWorld", b"hello world")
    b'DSSEv1 29 http://example.com/HelloWorld 11 hello world'
    """
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def _signature_of(fields: object) -> Signature:
    if not isinstance(fields, dict) or not isinstance(fields.get("keyid", ""), str):
        raise BadInput("this is not a DSSE envelope: a signature in it is none")
    return Signature(fields.get("keyid", ""), _decoded(fields.get("sig"), "sig"))


def _decoded(text: object, what: str) -> bytes:
    """Bytes in either alphabet of base64, as the format demands, and in no sloppy form of it."""
    if not isinstance(text, str):
        raise BadInput(f"this is not a DSSE envelope: {what} is no text")
    plain = text.translate(str.maketrans("-_", "+/"))
    try:
        found = base64.b64decode(plain, validate=True)
    except (binascii.Error, ValueError):
        found = b""
    if base64.b64encode(found).decode() != plain:  # also where unused bits were changed
        raise BadInput(f"this is not a DSSE envelope: {what} is not in base64")
    return found
