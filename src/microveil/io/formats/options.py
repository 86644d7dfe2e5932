"""Options that several formats share."""

from __future__ import annotations

import codecs

from microveil.io.formats.format import Option


def _is_encoding(value: object) -> bool:
    try:
        codecs.lookup(value)  # type: ignore[arg-type] # what is no text is refused below
    except (LookupError, TypeError):
        return False
    return True


ENCODING = Option("encoding", _is_encoding, "the name of a known encoding such as utf-8 or cp1252")
