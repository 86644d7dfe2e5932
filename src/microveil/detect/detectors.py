"""All detectors, in the order in which they are asked: what says most about a column comes first.

Another detector is one more entry in the list of its file; another family is one more file named here.
"""

from __future__ import annotations

from microveil.detect import addresses_online, days, numbers_of_persons, people, places, record_numbers, texts
from microveil.detect.detector import Detector

# values of a form that nothing else has: asked before the name of the column
BY_FORM: tuple[Detector, ...] = (
    *addresses_online.DETECTORS,
    *numbers_of_persons.DETECTORS,
    *days.DETECTORS,
    *places.DETECTORS,
)
# values that look so by how they are used: asked after the name of the column
BY_USE: tuple[Detector, ...] = (
    *texts.WRITTEN,
    *people.PEOPLE,
    *record_numbers.DETECTORS,
    *texts.DIFFERENT,
    *people.NOUNS,
)
