"""Names that a room offers."""

from __future__ import annotations

import math
from collections import OrderedDict

from microveil.core.errors import BadInput
from microveil.core.names import public_names


def test_modules_flags_and_borrowed_names_are_not_offered() -> None:
    room = {
        "math": math,
        "FLAG": True,
        "OrderedDict": OrderedDict,
        "_own": BadInput,
        "BadInput": BadInput,
        "LIMIT": 3.0,
    }
    assert public_names(room) == ["BadInput", "LIMIT"]
