"""Claims judged by blocks: every example that claims state is judged as in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from microveil.claims import Claim, Example, Verdict
from microveil.claims.claim import registered_claims
from microveil.core.errors import BadInput
from microveil.engines.asking import ask_together
from microveil.engines.judging import BlockEvidence, can_be_judged, judge
from microveil.kernels.summaries.summary import merge_all

CLAIMS = [cls for cls in registered_claims() if cls.__module__.startswith("microveil.") and cls.seen_by != "file"]


def blocks_of(example: Example, rows: int) -> Iterator[BlockEvidence]:
    """Evidence in blocks of rows; a released row stands in the block of its original, others in the first."""
    evidence = example.evidence
    n = max(len(evidence.original[0]), 1)
    for start in range(0, n, rows):
        here = (np.arange(n) >= start) & (np.arange(n) < start + rows)
        own = here[evidence.origin] & (evidence.origin >= 0)
        released = own | (evidence.origin < 0) if start == 0 else own
        part = evidence.rows(here, released)
        yield BlockEvidence(part, part.released, evidence.origin[released], n)


def judged_in_blocks(example: Example, rows: int) -> Verdict | None:
    columns = example.claim.columns or example.evidence.columns
    return ask_together(
        {"": lambda ask: judge([example.claim], columns, ask, example.evidence.only(columns).half_unit)},
        lambda asked: {"": merge_all(asked[""](one) for one in blocks_of(example, rows))},
    )[""][0]


@pytest.mark.parametrize("cls", CLAIMS)
def test_examples_are_judged_by_blocks_as_in_memory(cls: type[Claim]) -> None:
    examples = list(cls.examples())
    assert examples
    for example in examples:
        whole = example.claim.check(example.evidence)
        for rows in (2, 1000):
            found = judged_in_blocks(example, rows)
            assert found is not None, (example.what, rows)
            assert found.holds == example.holds == whole.holds, (example.what, rows)
            assert found.claim == example.claim


def test_what_blocks_do_not_tell_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    from microveil.claims import CovariancesKept, EqualRowsAtLeast, RankShiftWithin

    assert not can_be_judged(RankShiftWithin())
    assert can_be_judged(CovariancesKept())
    with pytest.raises(BadInput, match="does not tell whether this holds"):
        judge([RankShiftWithin()], ("x",), _answering_one, np.zeros(1))
    # of more different rows than may be held nothing is said
    monkeypatch.setattr("microveil.kernels.summaries.rows.MOST_ROWS", 1)
    assert judge([EqualRowsAtLeast(k=1)], ("x",), _answering_one, np.zeros(1)) == [None]


def _answering_one(question: object) -> object:
    from microveil.claims.examples import evidence_of

    evidence = evidence_of([[1.0, 2.0]], [[1.0, 2.0]])
    return question(BlockEvidence(evidence, evidence.released, evidence.origin, 2))  # type: ignore[operator]
