"""Certificates: what is said of the files of a release, and who signed it."""

from microveil.certify.certificate import CERTIFICATE as CERTIFICATE
from microveil.certify.certificate import Certificate as Certificate
from microveil.certify.certificate import find_changes as find_changes
from microveil.certify.certificate import read_certificate as read_certificate
from microveil.certify.certificate import sign_folder as sign_folder
from microveil.certify.certificate import write_certificate as write_certificate
from microveil.certify.envelope import Envelope as Envelope
from microveil.certify.envelope import Signature as Signature
from microveil.certify.envelope import pre_authentication_encoding as pre_authentication_encoding
from microveil.certify.key_files import who_else_reads as who_else_reads
from microveil.certify.keys import PrivateKey as PrivateKey
from microveil.certify.keys import PublicKey as PublicKey
from microveil.certify.keys import new_key as new_key
from microveil.certify.keys import read_private_key as read_private_key
from microveil.certify.keys import read_public_key as read_public_key
from microveil.certify.keys import read_trusted as read_trusted
from microveil.certify.statement import Statement as Statement
from microveil.core.names import public_names as _public_names


def __dir__() -> list[str]:
    return _public_names(globals())
