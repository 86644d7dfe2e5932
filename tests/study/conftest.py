"""Toys among the methods, for these tests alone."""

from __future__ import annotations

import pytest

from microveil.core import registry
from tests.study.toys import TOYS


@pytest.fixture(autouse=True)
def _toys(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.registered()  # everything else is loaded
    monkeypatch.setattr(registry, "_REGISTERED", {**registry._REGISTERED, **TOYS})
