"""The verdict on a release: the few figures one decides by, in one line, and whether the stated limits are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from microveil.claims.groups import RowsAlike
from microveil.claims.guarantee import Guarantee
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.open_types import Json
from microveil.core.words import counted, list_some
from microveil.data.microdata import Microdata
from microveil.measure import BrokenRules, Pair, Scenario, count_broken_rules
from microveil.measure.shares import share_interval
from microveil.plan.anonymity import agreeing_columns, anonymity_claim
from microveil.plan.assessed_pair import with_doubtful_keys
from microveil.plan.attacked import Attacked, attacked
from microveil.plan.compared import compare_columns
from microveil.plan.evaluation import Evaluation
from microveil.plan.households_together import tell_households
from microveil.plan.judged_limits import judge_limits, look_at
from microveil.plan.key_figures import KeyFigures, count_keys, link_to_itself
from microveil.plan.quick_attack import MOST_SEARCHED
from microveil.plan.repeated_units import GroupedUnits, find_grouped_units
from microveil.plan.shared_keys import Alike, SharedKeys
from microveil.plan.unknown_weight import UnknownWeight, find_known, unknown_columns, unknown_weight
from microveil.plan.unmeasured import find_unmeasured
from microveil.plan.verdict_limits import NO_LIMITS, State, doubts_about, is_synthetic, state_of, title_of
from microveil.plan.verdict_loss import (
    MOST_TABULATED,
    is_of_sample,
    loss_of_amounts,
    loss_of_categories,
    loss_of_detail,
)
from microveil.plan.worst_case import (
    Said,
    attacks_on,
    find_untried,
    is_linked,
    most_linked,
    worst_case,
)
from microveil.risk import DistanceLinkage
from microveil.run.release import Release


@dataclass(frozen=True)
class Verdict:
    """What one decides by: a line for people, whether the stated limits are kept, why, and figures before and after.

    `ok` is None where nobody stated a limit. `because` holds whole sentences; `help` what would make a limit hold;
    `doubts` what speaks against taking limits that are kept for safety; `worst` the most that was found by any attack
    or scenario; `exposed` says to whom records are exposed whatever was measured. `loss` is that of amounts (PIL),
    `loss_of_categories` that of tables of categories, None where none was changed; `loss_of_detail` what
    coarser categories tell less, None where none was made coarser.
    """

    line: str
    ok: bool | None
    because: tuple[str, ...]
    before: KeyFigures
    after: KeyFigures
    shared: SharedKeys
    keys_counted: tuple[str, ...]
    worst: Measured | NotApplicable
    loss: float | None = None
    loss_of_categories: float | None = None
    loss_of_detail: float | None = None
    exposed: str = ""
    help: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    attacked: tuple[Attacked, ...] = ()  # what each attack found, that which found most first
    measured: bool = True  # False: a limit is not shown to be kept, and none is known to be exceeded

    def __str__(self) -> str:
        return self.line

    def __repr__(self) -> str:
        return "\n".join(self.told())

    @property
    def state(self) -> State:
        """Whether the limits are kept; doubtful: they are, and something else speaks against the file."""
        return state_of(self.ok, self.measured, self.doubts)

    @property
    def title(self) -> str:
        """The decision in one line: whether the limits stated are kept, and what speaks against relying on it."""
        return title_of(self.state, self.doubts)

    def told(self) -> list[str]:
        """All of it as lines for people, those after the first indented."""
        title = [] if self.ok is None else [f"{self.title}."]  # the reason says it already
        helps = [f"What would help: {'; '.join(self.help)}."] if self.help else []
        exposed = [self.exposed] if self.exposed else []
        return [f"Verdict: {self.line}", *(f"  {text}" for text in (*title, *self.because, *exposed, *helps))]

    def to_json(self) -> Json:
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
            "worst": self.worst.to_json(),
            "attacked": [one.to_json() for one in self.attacked],
            "exposed": self.exposed,
            "loss": self.loss,
            "loss_of_categories": self.loss_of_categories,
            "loss_of_detail": self.loss_of_detail,
        }


def verdict_of(
    release: Release,
    scenarios: Sequence[Scenario] = (),
    evaluation: Evaluation | None = None,
    original: Microdata | None = None,
) -> Verdict:
    """The verdict on a release under the limits that the scenarios state.

    `original` is the file that it was made from with what is known of it by now, such as rules stated since.

    Figures that an evaluation of the release holds are taken from it. Of a file with more than 10,000 records some
    are searched for, and the line says so.
    """
    pair = Pair.of(release.original if original is None else original, release)
    shares = [1.0 - share for share in release.unchanged.values()]
    changed = sum(shares) / len(shares) if shares else None
    known = _Known(anonymity_claim(release), changed, release.guarantee, agreeing_columns(release))
    return _verdict(pair, known, scenarios, evaluation)


def verdict_of_pair(pair: Pair, scenarios: Sequence[Scenario] = (), evaluation: Evaluation | None = None) -> Verdict:
    """The same of two plain files, of which nobody knows what was done: keys that seem perturbed are not counted."""
    return _verdict(with_doubtful_keys(pair, scenarios), _Known(), scenarios, evaluation)


@dataclass(frozen=True)
class _Known:
    """What is known of how a file was made: its promise about keys, the share of cells changed, and what is proven."""

    claim: RowsAlike | None = None
    share_changed: float | None = None
    guarantee: Guarantee | None = None
    agreeing: tuple[str, ...] = ()  # columns in which a gap agrees with any value


def _verdict(pair: Pair, known: _Known, scenarios: Sequence[Scenario], evaluation: Evaluation | None) -> Verdict:
    claim, agreeing = known.claim, known.agreeing
    keys = _keys_to_count(pair, claim)
    tables = pair.tables(keys)
    itself = link_to_itself(pair.tables(DistanceLinkage(categories=True).choose(pair))[0])
    seen = compare_columns(pair)
    proven_k = None if known.guarantee is None else known.guarantee.k
    looked = look_at(pair, seen.pair, scenarios, agreeing, evaluation)
    said = looked.said
    units = find_grouped_units(pair)
    worst = worst_case(said, pair.after.n, (), attacks_on(seen.pair), proven_k, None if units is None else units.of)
    before = KeyFigures(pair.before.n, **count_keys(pair.before, tables[0], keys, agreeing), **itself)
    after = KeyFigures(pair.after.n, **count_keys(pair.after, tables[1], keys, agreeing), **_linked(worst, pair, said))
    shared = _shared(claim, pair, agreeing, keys)
    told = find_known(one for each, found in looked.people if isinstance(found, Measured) for one in each.scenarios)
    weights = seen.weights if evaluation is None else evaluation.weight.names
    weight = unknown_weight(seen.pair, [name for name in weights if name not in told])
    limits = judge_limits(pair, looked, proven_k)
    judged = limits.judged
    ok = all(one.kept for one in judged) if judged else None
    linked = isinstance(worst, Measured) and is_linked(worst.parts)
    guarantee = known.guarantee
    apart_by = () if guarantee is None else guarantee.apart_by
    exposing = () if is_synthetic(pair) else find_unmeasured(seen.pair, weight, apart_by, told, said)
    loss, of_categories = loss_of_amounts(seen.pair, evaluation), loss_of_categories(seen.pair)
    of_detail = loss_of_detail(seen.pair)
    parts = [str(shared), *_expected(before, after), *_linked_text(after, pair, weight)]
    parts += _units_text(units)
    parts += _loss_text(loss, of_categories, of_detail, known, is_of_sample(seen.pair))
    found = count_broken_rules(pair)
    rules = _rules_text(found)
    parts += rules or _kept_rules(found)
    return Verdict(
        line=" · ".join(parts),
        ok=ok,
        because=(
            *(tuple(one.said for one in sorted(judged, key=lambda one: one.kept)) or (NO_LIMITS,)),
            *weight.warning,
            *tell_households(pair, said),
            *limits.breach,
        ),
        before=before,
        after=after,
        shared=shared,
        keys_counted=keys,
        worst=worst,
        loss=loss,
        loss_of_categories=of_categories,
        loss_of_detail=of_detail,
        exposed="" if guarantee is None else guarantee.exposed,
        help=tuple(dict.fromkeys(one.help for one in judged if not one.kept)),
        doubts=(
            (*doubts_about(judged, after, pair, linked, exposing, limits.copied, limits.units), *rules) if ok else ()
        ),
        attacked=attacked(said, pair.after.n, proven_k, unknown_columns(seen.pair)),
        measured=ok is not False or any(one.measured for one in judged if not one.kept),
    )


# -- keys ------------------------------------------------------------------------------------------


def _keys(pair: Pair) -> tuple[str, ...]:
    return tuple(name for name in pair.columns if pair.before.roles[name] == "key")


def _keys_to_count(pair: Pair, claim: RowsAlike | None) -> tuple[str, ...]:
    """The keys whose released values are true ones, or are alike by promise."""
    promised = claim.columns if claim is not None else ()
    return tuple(name for name in _keys(pair) if name in promised or name not in pair.perturbed)


def _alike(pair: Pair, keys: tuple[str, ...], agreeing: Sequence[str]) -> Alike:
    """How many records share some keys, and how many if a gap is a value, where it is taken to agree with any."""
    table = pair.tables(keys)[1]
    own = count_keys(pair.after, table, keys, ()).get("k") if set(keys).intersection(agreeing) else None
    return Alike(count_keys(pair.after, table, keys, agreeing).get("k"), keys, own)


def _shared(claim: RowsAlike | None, pair: Pair, agreeing: Sequence[str], counted: tuple[str, ...]) -> SharedKeys:
    """How many records share their keys, on the keys promised and on those that were counted."""
    every = _keys(pair)
    keys = () if claim is None else tuple(name for name in every if name in claim.columns)
    promised = _alike(pair, keys, agreeing) if keys else None
    perturbed = tuple(name for name in every if name in pair.perturbed)
    return SharedKeys(promised, _alike(pair, counted, agreeing), every, perturbed)


# -- figures ---------------------------------------------------------------------------------------


def _linked(worst: Measured | NotApplicable, pair: Pair, said: Sequence[Said]) -> Json:
    found = most_linked(worst.parts) if isinstance(worst, Measured) else None
    if not isinstance(worst, Measured) or found is None:
        return {}
    return {
        "linked": found[1],
        "linked_interval": worst.interval if found[1] == worst.value else share_interval(found[1], pair.after.n),
        "untried": find_untried(worst.parts, attacks_on(pair), said),
    }


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
    # as in the sentence of the worst case: somebody may think of a better attack
    return [f"linked in the worst case at least about {format_number(after.linked)} %{beside}"]


def _loss_text(
    of_amounts: float | None, of_categories: float | None, of_detail: float | None, known: _Known, sampled: bool
) -> list[str]:
    told = [] if of_amounts is None else [f"loss of amounts (PIL) {format_number(of_amounts)} %"]
    if of_categories is not None:
        by = f", by a sample of {MOST_TABULATED:,} records" if sampled else ""
        told.append(f"loss of categories (tables, classes spread{by}) {format_number(of_categories)} %")
    if of_detail is not None:
        told.append(f"coarser categories tell {format_number(of_detail)} % less (entropy)")
    changed = known.share_changed
    return told or ([] if changed is None else [f"{format_number(100 * changed)} % of the cells changed"])


def _units_text(units: GroupedUnits | None) -> list[str]:
    """That figures count records of which one unit has several; members of a household are told elsewhere."""
    if units is None or units.of.are_households:
        return []
    inside = f": {units.in_groups}" if units.in_groups else ""
    return [f"figures count records, and {units.of.name} has several ({units.of.counts}){inside}"]


def _kept_rules(found: BrokenRules) -> list[str]:
    seen = len(found.rules)
    silent = (
        f"{counted(found.silent, 'rule')} of the data could not be counted, since a column is missing or holds classes"
    )
    if not seen:
        return [silent] if found.silent else []
    if found.silent:
        return [f"every record keeps {counted(seen, 'rule')} of the data", silent]
    return [f"every record keeps {'the rule' if seen == 1 else f'all {seen} rules'} of the data"]


def _rules_text(found: BrokenRules) -> list[str]:
    if not found.after:
        return []
    breaks = "breaks" if found.after == 1 else "break"
    had = f" ({counted(found.before, 'record')} of the original)" if found.before else ""
    each = [f"{rule.after:,} {str(rule.edit)!r}" for rule in found.rules if rule.after]
    return [f"{counted(found.after, 'record')} {breaks} a rule of the data{had}: {list_some(each)}"]
