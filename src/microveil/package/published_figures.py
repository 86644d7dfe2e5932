"""Figures that were published elsewhere, as a release would give them: one that is not given back ends a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from microveil.data.microdata import Microdata
from microveil.measure import Pair
from microveil.package.audit_files import DataFile
from microveil.package.audit_totals import CHECK, audit_totals
from microveil.package.findings import Finding
from microveil.package.known import Known
from microveil.plan.release_plan import Published

TO_DO = "keep these columns as numbers and the values of `where` as they are, or take the figure out of `published`"


def published_faults(pair: Pair, published: Sequence[Published]) -> tuple[str, ...]:
    """In sentences, the published figures that the release does not give, or that cannot be compared."""
    if not published:
        return ()
    roles = {str(name): role for name, role in pair.before.roles.items()}
    given = pair.after.narwhal.drop([name for name in pair.after.columns if roles.get(name) == "identifier"])
    file = DataFile("the release", Path(), Microdata(given.to_native()))  # identifiers are never given away
    return faults_among(audit_totals(file, Known(roles, published=tuple(published))))


def faults_among(found: Sequence[Finding]) -> tuple[str, ...]:
    """What an audit says of published figures that differ, or that it could not compare: nobody knows of these."""
    return tuple(one.text for one in found if one.check == CHECK and one.state != "holds")
