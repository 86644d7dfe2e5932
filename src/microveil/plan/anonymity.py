"""What a release promises about records that share their keys, and how gaps are read then."""

from __future__ import annotations

from microveil.claims.gaps import AgreeingRowsAtLeast
from microveil.claims.groups import RowsAlike
from microveil.engines import FileRelease
from microveil.run.release import Release


def anonymity_claim(release: Release | FileRelease) -> RowsAlike | None:
    """The promise that records share their keys which covers most keys, then the one with the largest k."""
    keys = {name for name, role in release.original.roles.items() if role == "key"}
    found = [claim for claim in release.claims if isinstance(claim, RowsAlike) and keys.intersection(claim.columns)]
    return max(found, key=lambda claim: (len(keys.intersection(claim.columns)), claim.k), default=None)


def agreeing_columns(release: Release | FileRelease) -> tuple[str, ...]:
    """The columns in which a gap agrees with any value, by a promise that reads it so; elsewhere it is a value."""
    promised = [claim.columns for claim in release.claims if isinstance(claim, AgreeingRowsAtLeast)]
    return tuple(dict.fromkeys(name for columns in promised for name in columns))
