"""The verdict on a release: the few figures one decides by, in one line, and whether the stated limits are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from microveil.core.claims_groups import RowsAlike
from microveil.core.measured import Measured
from microveil.core.numbers import format_number
from microveil.loss import PIL
from microveil.measure import Pair
from microveil.plan.anonymity import anonymity_claim, gaps_by
from microveil.plan.assessed_pair import with_doubtful_keys
from microveil.plan.evaluation import Evaluation
from microveil.plan.key_figures import KeyFigures, Missing, count_keys, linked_to_itself
from microveil.plan.quick_attack import MOST_SEARCHED, quick_worst_case
from microveil.plan.shared_keys import Alike, SharedKeys
from microveil.plan.unknown_weight import UnknownWeight, unknown_weight
from microveil.plan.verdict_limits import doubts_about, judge
from microveil.plan.worst_case import untried_attacks
from microveil.risk import DistanceLinkage, Scenario
from microveil.run.release import Release

_TITLES = {
    "kept": "The limits stated are kept",
    "doubtful": "The limits stated are kept, but ",
    "not kept": "The limits stated are not kept: this file may not be released",
    "not shown": "The limits stated are not shown to be kept: this file may not be released before they are",
    "not stated": "Nobody stated limits",
}
_NO_LIMITS = "Nobody stated limits, so that nothing says whether this file may be released."


@dataclass(frozen=True)
class Verdict:
    """What one decides by: a line for people, whether the stated limits are kept, why, and figures before and after.

    `ok` is None where nobody stated a limit. `because` holds whole sentences; `help` what would make a limit hold;
    `doubts` what speaks against taking limits that are kept for safety.
    """

    line: str
    ok: bool | None
    because: tuple[str, ...]
    before: KeyFigures
    after: KeyFigures
    shared: SharedKeys
    keys_counted: tuple[str, ...]
    loss: float | None = None
    help: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    measured: bool = True  # False: a limit is not shown to be kept, and none is known to be exceeded

    def __str__(self) -> str:
        return self.line

    def __repr__(self) -> str:
        return "\n".join(self.told())

    @property
    def state(self) -> Literal["kept", "doubtful", "not kept", "not shown", "not stated"]:
        """Whether the limits are kept; doubtful: they are, and something else speaks against the file."""
        if self.ok is None:
            return "not stated"
        if not self.ok:
            return "not kept" if self.measured else "not shown"
        return "doubtful" if self.doubts else "kept"

    @property
    def title(self) -> str:
        """The decision in one line: whether the limits stated are kept, and what speaks against relying on it."""
        return _TITLES[self.state] + "; and ".join(self.doubts if self.state == "doubtful" else ())

    def told(self) -> list[str]:
        """All of it as lines for people, those after the first indented."""
        title = [] if self.ok is None else [f"{self.title}."]  # the reason says it already
        helps = [f"What would help: {'; '.join(self.help)}."] if self.help else []
        return [f"Verdict: {self.line}", *(f"  {text}" for text in (*title, *self.because, *helps))]

    def to_json(self) -> dict[str, Any]:
        """The verdict in plain JSON terms."""
        return {
            "line": self.line,
            "ok": self.ok,
            "title": self.title,
            "doubts": list(self.doubts),
            "because": list(self.because),
            "help": list(self.help),
            "before": self.before.to_json(),
            "after": self.after.to_json(),
            "keys_counted": list(self.keys_counted),
            "loss": self.loss,
        }


def verdict_of(release: Release, scenarios: Sequence[Scenario] = (), evaluation: Evaluation | None = None) -> Verdict:
    """The verdict on a release under the limits that the scenarios state.

    Figures that an evaluation of the release holds are taken from it. Of a file with more than 10,000 records some
    are searched for, and the line says so.
    """
    pair = Pair.of(release.original, release)
    shares = [1.0 - share for share in release.unchanged.values()]
    known = _Known(anonymity_claim(release), sum(shares) / len(shares) if shares else None)
    return _verdict(pair, known, scenarios, evaluation)


def verdict_of_pair(pair: Pair, scenarios: Sequence[Scenario] = (), evaluation: Evaluation | None = None) -> Verdict:
    """The same of two plain files, of which nobody knows what was done: keys that seem perturbed are not counted."""
    return _verdict(with_doubtful_keys(pair, scenarios), _Known(None, None), scenarios, evaluation)


@dataclass(frozen=True)
class _Known:
    """What is known of how a file was made: its promise about keys, and the share of cells changed."""

    claim: RowsAlike | None
    share_changed: float | None


def _verdict(pair: Pair, known: _Known, scenarios: Sequence[Scenario], evaluation: Evaluation | None) -> Verdict:
    claim = known.claim
    missing = gaps_by(claim)
    keys = _keys_to_count(pair, claim)
    tables = pair.tables(keys)
    itself = linked_to_itself(pair.tables(DistanceLinkage(categories=True).choose(pair))[0])
    before = KeyFigures(pair.before.n, **count_keys(pair.before, tables[0], keys, missing), **itself)
    after = KeyFigures(pair.after.n, **count_keys(pair.after, tables[1], keys, missing), **_linked(pair, evaluation))
    shared = _shared(claim, pair, missing, Alike(after.k, keys))
    loss = _loss(pair, evaluation)
    weight = unknown_weight(pair) if evaluation is None else evaluation.weight
    judged = [judge(pair, scenario, missing) for scenario in scenarios if scenario.thresholds]
    ok = all(one.kept for one in judged) if judged else None
    parts = [str(shared), *_expected(before, after), *_linked_text(after, pair, weight), *_loss_text(loss, known)]
    return Verdict(
        line=" · ".join(parts),
        ok=ok,
        because=(*(tuple(one.said for one in judged) or (_NO_LIMITS,)), *weight.warning),
        before=before,
        after=after,
        shared=shared,
        keys_counted=keys,
        loss=loss,
        help=tuple(dict.fromkeys(one.help for one in judged if not one.kept)),
        doubts=doubts_about(judged, after, pair) if ok else (),
        measured=ok is not False or any(one.measured for one in judged if not one.kept),
    )


# -- keys ------------------------------------------------------------------------------------------


def _keys(pair: Pair) -> tuple[str, ...]:
    return tuple(name for name in pair.columns if pair.before.roles[name] == "key")


def _keys_to_count(pair: Pair, claim: RowsAlike | None) -> tuple[str, ...]:
    """The keys whose released values are true ones, or are alike by promise."""
    promised = claim.columns if claim is not None else ()
    return tuple(name for name in _keys(pair) if name in promised or name not in pair.perturbed)


def _shared(claim: RowsAlike | None, pair: Pair, missing: Missing, counted: Alike) -> SharedKeys:
    """How many records share their keys, on the keys promised and on those that were counted."""
    every = _keys(pair)
    keys = () if claim is None else tuple(name for name in every if name in claim.columns)
    promised = Alike(count_keys(pair.after, pair.tables(keys)[1], keys, missing).get("k"), keys) if keys else None
    return SharedKeys(promised, counted, every, tuple(name for name in every if name in pair.perturbed))


# -- figures ---------------------------------------------------------------------------------------


def _linked(pair: Pair, evaluation: Evaluation | None) -> dict[str, Any]:
    """The per cent of records linked in the worst case: that of the evaluation, else over attacks that are quick."""
    worst = quick_worst_case(pair) if evaluation is None else evaluation.worst
    if not isinstance(worst, Measured):
        return {}
    untried = untried_attacks(worst.parts)
    return {"linked": worst.value, "linked_interval": worst.interval, "untried": untried}


def _loss(pair: Pair, evaluation: Evaluation | None) -> float | None:
    known = [] if evaluation is None else [line.result for line in evaluation.lines if line.measure.name == PIL.name]
    result = known[0] if known else PIL().on(pair)
    return result.value if isinstance(result, Measured) else None


# -- words -----------------------------------------------------------------------------------------


def _expected(before: KeyFigures, after: KeyFigures) -> list[str]:
    if before.expected is None or after.expected is None:
        return []
    return [f"expected re-identifications {format_number(before.expected)} -> {format_number(after.expected)}"]


def _linked_text(after: KeyFigures, pair: Pair, weight: UnknownWeight) -> list[str]:
    if after.linked is None:
        return []
    more = []
    if after.linked_interval is not None and pair.before.n > MOST_SEARCHED:
        low, high = after.linked_interval
        more.append(f"{format_number(low)} to {format_number(high)} % by a sample of {MOST_SEARCHED:,} records")
    if after.untried:
        more.append(f"not tried: {', '.join(after.untried)}")
    more += [weight.assumption] if weight.names else []
    beside = f" ({'; '.join(more)})" if more else ""
    return [f"linked in the worst case {format_number(after.linked)} %{beside}"]


def _loss_text(loss: float | None, known: _Known) -> list[str]:
    if loss is not None:
        return [f"loss {format_number(loss)} %"]
    changed = known.share_changed
    return [f"{format_number(100 * changed)} % of the cells changed"] if changed is not None else []
