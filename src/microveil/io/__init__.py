"""Files: microdata in, releases out, nothing of the source in their bytes."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from microveil.core.names import public_names as _public_names
from microveil.core.typos import suggesting as _suggesting
from microveil.data.codebook import Codebook as Codebook
from microveil.data.fingerprint import fingerprint as fingerprint
from microveil.io.atomic import sha256_of as sha256_of
from microveil.io.reading import options_for as options_for
from microveil.io.reading import read as read
from microveil.io.reading import read_with_codebook as read_with_codebook
from microveil.io.text import line_in_yaml as line_in_yaml
from microveil.io.text import read_text as read_text
from microveil.io.text import read_yaml as read_yaml
from microveil.io.text import write_bytes as write_bytes
from microveil.io.text import write_text as write_text
from microveil.io.writing import Written as Written
from microveil.io.writing import check_writable as check_writable
from microveil.io.writing import write as write
from microveil.io.yaml_values import read_value as read_value
from microveil.io.yaml_values import write_yaml as write_yaml


def __dir__() -> list[str]:
    return _public_names(globals())


if not _TYPE_CHECKING:  # where it would let every name pass
    __getattr__ = _suggesting(__name__)
