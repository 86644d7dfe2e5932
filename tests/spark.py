"""Spark for tests: whether it is there, and what they share of it."""

from __future__ import annotations

import shutil
from importlib.util import find_spec

import pytest


def reason_without_spark() -> str | None:
    """Why there is no Spark here."""
    if find_spec("pyspark") is None:
        return "pyspark is not installed: pip install 'microveil[spark]'"
    if shutil.which("java") is None:
        return "there is no Java, which Spark needs: install a JRE of version 17"
    return None


def need_spark() -> None:
    """Skip the test where there is none."""
    reason = reason_without_spark()
    if reason is not None:
        pytest.skip(reason)
