"""SAS data sets, which are read only."""

from __future__ import annotations

from microveil.io.formats.calendar import SINCE_1960
from microveil.io.formats.statistical import Statistical

# formats by which numbers are shown, in data sets and transport files alike
MEANINGS = {
    "date": r"^(WEEKDAT[EX]|MMDDYY|DDMMYY|YYMMDD|DATE|[BE]8601DA|IS8601DA|JULIAN|WORDDAT[EX]|NLDATE)[BCDNPS]?[\d.]*$",
    "moment": r"^(DATETIME|[BE]8601DT|IS8601DT|B8601DN|DATEAMPM|MDYAMPM|NLDATM)[\d.]*$",
    "time": r"^(TIME|HHMM|TOD|TIMEAMPM|IS8601TM|[BE]8601TM)[\d.]*$",
}


class Sas(Statistical):
    """Numbers and text; dates are days, moments seconds since 1960."""

    name = "sas"
    title = "SAS"
    endings = (".sas7bdat",)
    magic = (bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011"),)
    writable = False

    reader = "read_sas7bdat"
    meanings = MEANINGS
    epoch_days = SINCE_1960
    most_cells_per_byte = 1100  # compressed ones pack a thousandfold at best


SAS = Sas()
