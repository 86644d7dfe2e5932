"""What a release promises about records that share their keys, and how gaps are read then."""

from __future__ import annotations

from microveil.claims.gaps import AgreeingRowsAtLeast
from microveil.claims.groups import RowsAlike
from microveil.plan.key_figures import Missing
from microveil.run.release import Release


def anonymity_claim(release: Release) -> RowsAlike | None:
    """The promise that records share their keys which covers most keys, then the one with the largest k."""
    keys = {name for name, role in release.original.roles.items() if role == "key"}
    found = [claim for claim in release.claims if isinstance(claim, RowsAlike) and keys.intersection(claim.columns)]
    return max(found, key=lambda claim: (len(keys.intersection(claim.columns)), claim.k), default=None)


def gaps_by(claim: RowsAlike | None) -> Missing:
    """How missing keys are counted: as the promise reads them, else as a value of their own."""
    return "wildcard" if isinstance(claim, AgreeingRowsAtLeast) else "own"
