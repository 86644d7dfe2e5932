"""What columns look like: names in several languages and contents, before anybody states a role."""

from __future__ import annotations

from microveil.detect.column import Look as Look
from microveil.detect.column import look_at as look_at
from microveil.detect.identifiers import Finding as Finding
from microveil.detect.identifiers import UnstatedRoles as UnstatedRoles
from microveil.detect.identifiers import find_identifiers as find_identifiers
from microveil.detect.identifiers import is_household_number as is_household_number
from microveil.detect.identifiers import refuse_unstated as refuse_unstated
from microveil.detect.weights import second_weights as second_weights
