"""Names for what has no one type: values in a file of records, and what JSON and YAML hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Cell: TypeAlias = object  # a number, a text, a date, true or false, or whatever else a column holds
# What a file or a user states is known when it is read, not when it is written: each part is checked where it is used.
Json: TypeAlias = dict[str, Any]
Stated: TypeAlias = Mapping[str, Any]  # the same, and nobody changes it
Spec: TypeAlias = str | Json  # the name of a method or a measure, or a mapping from it to its settings
# Any value of a column to something: type checkers take the keys of a mapping for these types and no others.
Hierarchy: TypeAlias = Mapping[Any, Sequence[Cell]]
Labels: TypeAlias = Mapping[Any, str]
