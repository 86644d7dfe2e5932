"""SAS transport files, which are read only."""

from __future__ import annotations

from microveil.io.formats.calendar import SINCE_1960
from microveil.io.formats.sas import MEANINGS
from microveil.io.formats.statistical import Statistical


class Xport(Statistical):
    """Data sets in cards of 80 bytes; they do not say how many records they have."""

    name = "xport"
    title = "SAS transport"
    endings = (".xpt",)
    magic = (b"HEADER RECORD*******",)
    writable = False

    reader = "read_xport"
    meanings = MEANINGS
    epoch_days = SINCE_1960
    card = 80


XPORT = Xport()
