"""Vocabularies and probabilities of the generated business file."""

from __future__ import annotations

REGIONS = (
    *("Harwick", "Millstead", "Aldmoor", "Skerrin", "Lindhal", "Marosk", "Weidan", "Solano"),
    *("Vermera", "Quintal", "Penmor", "Carrick", "Rosslan", "Dunvale"),
)

# classes of the statistical classification of economic activities (NACE Rev. 2) by section
_CLASSES = {
    "B": ("08.11", "08.12"),
    "C": (
        *("10.11", "10.13", "10.51", "10.71", "10.72", "11.05", "13.20", "14.13", "16.10", "18.12"),
        *("20.11", "20.42", "21.20", "23.61", "25.11", "25.62", "26.11", "28.22", "29.32", "31.09"),
    ),
    "D": ("35.11", "35.14", "35.30"),
    "E": ("38.11", "38.32"),
    "F": ("41.20", "43.21", "43.22", "43.34"),
    "G": ("45.11", "45.20", "46.31", "46.90", "47.11", "47.25", "47.71", "47.73"),
    "H": ("49.32", "49.41", "52.10"),
    "I": ("55.10", "56.10", "56.30"),
    "J": ("58.13", "62.01", "62.02"),
    "M": ("69.10", "69.20", "71.12"),
}
SECTIONS = list(_CLASSES)


def _above(code: str, section: str) -> tuple[str, ...]:
    return (code[:4], code[:2], section, "all")


SECTORS = {code: _above(code, section) for section, codes in _CLASSES.items() for code in codes}

# relative number of enterprises by section, in the order above
SECTION_WEIGHTS = (0.5, 14, 1.5, 1.5, 16, 30, 8, 13, 7, 9)

PARTS = ("residential", "commercial", "industrial", "other")

# shift of the logarithm of each part by section: whom an enterprise of that section sells to
PART_SHIFT = (
    (-1.5, 0.2, 1.2, 0.0),
    (-0.9, 0.3, 0.9, 0.0),
    (0.8, 0.6, 0.6, 0.4),
    (0.2, 0.2, 0.2, 0.5),
    (0.5, 0.3, -0.2, 0.0),
    (0.4, 0.4, -0.5, 0.1),
    (-0.5, 0.5, 0.3, 0.2),
    (0.7, 0.1, -1.4, 0.0),
    (-0.7, 0.8, 0.1, 0.1),
    (-0.1, 0.6, 0.0, -0.2),
)

NAME_STARTS = (
    "Ard",
    "Bro",
    "Cal",
    "Del",
    "Est",
    "Fer",
    "Gal",
    "Hex",
    "Ind",
    "Jun",
    "Kor",
    "Lum",
    "Mer",
    "Nov",
    "Or",
    "Pol",
)
NAME_MIDDLES = ("a", "e", "i", "o", "ane", "iso", "ura", "ello")
NAME_ENDS = ("mat", "tec", "via", "dor", "san", "plex", "ron", "lux", "gra", "ten")
NAME_FORMS = ("Ltd", "Works", "Group", "Partners", "Trading", "and Sons", "Services", "Holding")
