"""What columns look like: names in several languages and contents, before anybody states a role."""

from __future__ import annotations

from microveil.detect.column import Drawn as Drawn
from microveil.detect.column import Look as Look
from microveil.detect.column import different_values as different_values
from microveil.detect.column import look_at as look_at
from microveil.detect.column import look_of as look_of
from microveil.detect.column import observed_values as observed_values
from microveil.detect.identifiers import Finding as Finding
from microveil.detect.identifiers import UnstatedRoles as UnstatedRoles
from microveil.detect.identifiers import find_identifiers as find_identifiers
from microveil.detect.identifiers import is_household_number as is_household_number
from microveil.detect.identifiers import refuse_found as refuse_found
from microveil.detect.identifiers import refuse_unstated as refuse_unstated
from microveil.detect.weights import second_weights as second_weights
