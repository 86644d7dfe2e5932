"""Generated microdata with the difficulties of real files, and the reference files of the literature."""

from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING

from microveil.core.names import public_names as _public_names
from microveil.core.typos import suggesting as _suggesting
from microveil.datasets.enterprises import enterprises_roles, enterprises_schema, make_enterprises
from microveil.datasets.reference import REFERENCE_FILES, load
from microveil.datasets.survey import make_survey, survey_roles, survey_schema

__all__ = [
    "REFERENCE_FILES",
    "enterprises_roles",
    "enterprises_schema",
    "load",
    "make_enterprises",
    "make_survey",
    "survey_roles",
    "survey_schema",
]


def __dir__() -> list[str]:
    return _public_names(globals())


if not _TYPE_CHECKING:  # where it would let every name pass
    __getattr__ = _suggesting(__name__)
