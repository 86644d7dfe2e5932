"""The verdict on a release: the few figures one decides by, in one line, and whether the stated limits are kept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from microveil.core.claims_gaps import AgreeingRowsAtLeast
from microveil.core.claims_groups import RowsAlike
from microveil.core.measured import Measured
from microveil.core.numbers import format_number
from microveil.loss import PIL
from microveil.measure import Measure, Pair
from microveil.measure.sampling import with_some_searched
from microveil.plan.as_it_was import is_as_it_was
from microveil.plan.assessed_pair import keys_in_doubt
from microveil.plan.evaluation import Evaluation
from microveil.plan.key_figures import KeyFigures, Missing, count_keys, linked_to_itself
from microveil.plan.shared_keys import SharedKeys
from microveil.plan.unknown_weight import UnknownWeight, unknown_weight
from microveil.plan.worst_case import Said, untried_attacks, with_other_scales, worst_case
from microveil.risk import DistanceLinkage, GlobalLinkage, ProbabilisticLinkage, Scenario, ScenarioRisk
from microveil.run.release import Release

# more records than these are not searched for one by one: some of them tell the share, with an interval
MOST_SEARCHED = DistanceLinkage.overview_sample.most
_MOST_ATTACKED = 3_000  # one-to-one and probabilistic linkage of more records take longer than a verdict may
_NO_LIMITS = "Nobody stated limits, so that nothing says whether this file may be released."


@dataclass(frozen=True)
class Verdict:
    """What one decides by: a line for people, whether the stated limits are kept, why, and figures before and after.

    `ok` is None where nobody stated a limit. `because` holds whole sentences; `help` what would make a limit hold.
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

    def __str__(self) -> str:
        return self.line

    def to_json(self) -> dict[str, Any]:
        """The verdict in plain JSON terms."""
        return {
            "line": self.line,
            "ok": self.ok,
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
    known = _Known(_anonymity_claim(release), tuple(release.changed), sum(shares) / len(shares) if shares else None)
    return _verdict(pair, known, scenarios, evaluation)


def verdict_of_pair(pair: Pair, scenarios: Sequence[Scenario] = (), evaluation: Evaluation | None = None) -> Verdict:
    """The same of two plain files, of which nobody knows what was done: keys that seem perturbed are not counted."""
    keys = _keys(pair)
    doubtful = {name: "an unknown method" for name in keys_in_doubt(pair, keys) if name not in pair.perturbed}
    pair = replace(pair, perturbed={**pair.perturbed, **doubtful})
    changed = tuple(name for name in keys if not is_as_it_was(pair, name))
    return _verdict(pair, _Known(None, changed, None), scenarios, evaluation)


@dataclass(frozen=True)
class _Known:
    """What is known of how a file was made: its promise about keys, the columns changed, the share of cells changed."""

    claim: RowsAlike | None
    changed: tuple[str, ...]
    share_changed: float | None


def _verdict(pair: Pair, known: _Known, scenarios: Sequence[Scenario], evaluation: Evaluation | None) -> Verdict:
    claim = known.claim
    missing: Missing = "wildcard" if isinstance(claim, AgreeingRowsAtLeast) else "own"
    keys = _keys_to_count(pair, claim)
    tables = pair.tables(keys)
    itself = linked_to_itself(pair.tables(DistanceLinkage(categories=True).choose(pair))[0])
    before = KeyFigures(pair.before.n, **count_keys(pair.before, tables[0], keys, missing), **itself)
    after = KeyFigures(pair.after.n, **count_keys(pair.after, tables[1], keys, missing), **_linked(pair, evaluation))
    shared = _shared(known, pair, missing, (keys, after.k))
    loss = _loss(pair, evaluation)
    weight = unknown_weight(pair) if evaluation is None else evaluation.weight
    judged = [_judge(pair, scenario, missing) for scenario in scenarios if scenario.thresholds]
    ok = all(kept for kept, _, _ in judged) if judged else None
    parts = [str(shared), *_expected(before, after), *_linked_text(after, pair, weight), *_loss_text(loss, known)]
    return Verdict(
        line=" · ".join(parts),
        ok=ok,
        because=(*(tuple(text for _, text, _ in judged) or (_NO_LIMITS,)), *weight.warning),
        before=before,
        after=after,
        shared=shared,
        keys_counted=keys,
        loss=loss,
        help=tuple(dict.fromkeys(text for kept, _, text in judged if not kept)),
    )


# -- keys ------------------------------------------------------------------------------------------


def _keys(pair: Pair) -> tuple[str, ...]:
    return tuple(name for name in pair.columns if pair.before.roles[name] == "key")


def _anonymity_claim(release: Release) -> RowsAlike | None:
    """The promise that records share their keys which covers most keys, then the one with the largest k."""
    keys = {name for name, role in release.original.roles.items() if role == "key"}
    found = [claim for claim in release.claims if isinstance(claim, RowsAlike) and keys.intersection(claim.columns)]
    return max(found, key=lambda claim: (len(keys.intersection(claim.columns)), claim.k), default=None)


def _keys_to_count(pair: Pair, claim: RowsAlike | None) -> tuple[str, ...]:
    """The keys whose released values are true ones, or are alike by promise.

    Amounts that nobody grouped are not among them: nearly every value occurs once, in any file.
    """
    promised = claim.columns if claim is not None else ()
    return tuple(
        name
        for name in _keys(pair)
        if name in promised
        or (name not in pair.perturbed and (pair.before.kinds[name] != "continuous" or pair.recoded(name)))
    )


def _shared(known: _Known, pair: Pair, missing: Missing, counted: tuple[tuple[str, ...], int | None]) -> SharedKeys:
    """How many records share their keys, on the keys promised, else on those that were counted."""
    claim = known.claim
    every = _keys(pair)
    promised = () if claim is None else tuple(name for name in every if name in claim.columns)
    keys, k = counted
    if promised and promised != keys:
        keys, k = promised, count_keys(pair.after, pair.tables(promised)[1], promised, missing).get("k")
    left = tuple(name for name in every if name not in known.changed)
    return SharedKeys(k, keys, every, left, tuple(name for name in every if name in pair.perturbed))


# -- figures ---------------------------------------------------------------------------------------


def _linked(pair: Pair, evaluation: Evaluation | None) -> dict[str, Any]:
    """The per cent of records linked in the worst case: that of the evaluation, else over attacks that are quick."""
    if evaluation is not None:
        worst = evaluation.worst
    else:
        searched = with_some_searched(pair, MOST_SEARCHED)
        tried: list[Said] = [*_attacked(DistanceLinkage(), searched)]
        if max(pair.before.n, pair.after.n) <= _MOST_ATTACKED:
            tried += [*_attacked(GlobalLinkage(), pair), *_attacked(ProbabilisticLinkage(), pair)]
        worst = worst_case(tried, pair.after.n)
    if not isinstance(worst, Measured):
        return {}
    untried = untried_attacks(worst.parts)
    return {"linked": worst.value, "linked_interval": worst.interval, "untried": untried}


def _attacked(attack: Measure, pair: Pair) -> tuple[Said, ...]:
    return with_other_scales(attack, attack.of_pair(pair), pair, lambda other: other.of_pair(pair))


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
    how = "at least" if after.untried else "in the worst case"
    beside = f" ({'; '.join(more)})" if more else ""
    return [f"linked {how} {format_number(after.linked)} %{beside}"]


def _loss_text(loss: float | None, known: _Known) -> list[str]:
    if loss is not None:
        return [f"loss {format_number(loss)} %"]
    changed = known.share_changed
    return [f"{format_number(100 * changed)} % of the cells changed"] if changed is not None else []


# -- limits ----------------------------------------------------------------------------------------


def _judge(pair: Pair, scenario: Scenario, missing: Missing) -> tuple[bool, str, str]:
    """Whether the limits of a scenario are kept, why in a sentence, and what would help."""
    limit, allowed = scenario.limit("risk"), scenario.limit("share")
    measured = ScenarioRisk(scenarios=(scenario,), missing=missing).on(pair)
    if pair.after.n and all(name in pair.perturbed for name in scenario.keys) and _is_synthetic(pair):
        return True, f"Scenario {scenario.name!r} is kept: every record is synthetic and has no original to link.", ""
    if not isinstance(measured, Measured):
        why = f"Scenario {scenario.name!r} is not shown to be kept, since it could not be measured: {measured.reason}."
        return False, why, f"state a scenario that can be measured in place of {scenario.name!r}"
    found = (
        f"{format_number(measured.value)} % of the records have a risk above {limit:g}, where at most {allowed:g} % "
        f"are allowed"
    )
    if measured.value <= allowed:
        already = ScenarioRisk(scenarios=(scenario,), missing=missing).on(Pair.of(pair.before))
        kept = isinstance(already, Measured) and already.value <= allowed
        asks = " The original keeps this limit too, so that it asks for nothing: it does not say that the file is safe."
        return True, f"Scenario {scenario.name!r} is kept: {found}.{asks * kept}", ""
    return False, f"Scenario {scenario.name!r} is not kept: {found}.", _remedy(pair, scenario, limit)


def _is_synthetic(pair: Pair) -> bool:
    return pair.link is not None and bool((pair.link < 0).all())


def _remedy(pair: Pair, scenario: Scenario, limit: float) -> str:
    columns = (*scenario.keys, *scenario.known)
    perturbed = [name for name in columns if name in pair.perturbed]
    others = [name for name in scenario.keys if name not in perturbed]
    ways = []
    if others:
        size = (
            f"to classes of at least {math.ceil(1 / limit)}" if limit > 0 and pair.after.weights is None else "further"
        )
        ways.append(f"recode or suppress {', '.join(map(str, others))} {size}")
    if perturbed:
        ways.append(f"perturb {', '.join(map(str, perturbed))} more")
    known = [name for name in scenario.known if name not in perturbed]
    if known:
        ways.append(f"protect {', '.join(map(str, known))}")
    return " and ".join(ways) + ", or leave some of these columns out"
