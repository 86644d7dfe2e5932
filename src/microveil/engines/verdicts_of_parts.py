"""What is said of a promise that was judged part by part."""

from __future__ import annotations

from collections.abc import Sequence

from microveil.claims import Verdict


def worst_of_subdomains(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Every broken one, else the one that is off by most."""
    broken = [verdict for verdict in verdicts if not verdict.holds]
    return broken or [max(verdicts, key=lambda verdict: (not verdict.exactly, verdict.largest))]


def worst_of_all(verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict on what is promised of several columns or blocks: of the one that is off by most."""
    return max(verdicts, key=lambda verdict: (not verdict.holds, not verdict.exactly, verdict.largest))
