"""Base of all risk measures, and of those that read classes of equal key combinations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.measure import Measure, MeasureFamily, Pair, Question
from microveil.measure.in_blocks import PairInBlocks
from microveil.measure.keys import NO_KEY, Keys, choose_keys, why_not_counted
from microveil.run.release import AnyFile

RISK = MeasureFamily(
    "risk",
    order=60,
    heading="What is at risk",
    asked=10,
    questions=(
        Question(
            "How much can be re-identified?",
            "An intruder who knows original values looks for the records of those they know: by counting who shares "
            "the keys, or by taking the most similar record.",
            ("distance-linkage", "uniqueness", "individual-risk", "scenario-risk"),
            (
                *("probabilistic-linkage", "global-linkage", "k-anonymity", "k-map", "reidentification-risk"),
                *("population-uniqueness", "suda", "key-ranking", "replicated-uniques"),
            ),
        ),
        Question(
            "What can be learnt about someone?",
            "Even without finding a record one may learn a confidential value, or within which bounds it lies.",
            ("attribute-disclosure", "rank-interval"),
            ("sd-interval", "robust-interval", "l-diversity", "t-closeness"),
        ),
        Question("What else is at risk?", "Further measures of risk."),
    ),
)

_ORIGINAL_IN_BLOCKS = (
    "in blocks the records of a register are not counted beside those of the file; read both into memory, or estimate "
    "from weights with population='weights'"
)
ADVICE_ON_LINKAGE = (
    "Released records are still more like their own originals than like others, to whoever knows the compared columns. "
    "Change these columns more, release fewer of them, or form groups of k over all of them together "
    "(microaggregation, micro-hybrid), which bounds what is found by 1/k."
)


@dataclass(frozen=True, kw_only=True)
class Risk(Measure, family=RISK):
    """Base of all measures of disclosure risk.

    The intruder is assumed to hold the true values of the attributes concerned for every record; what
    really belongs together is known from the release.
    """


@dataclass(frozen=True, kw_only=True)
class KeyRisk(Risk):
    """Base of measures that look at combinations of key values in the protected file alone.

    They take the released keys for true: after keys were perturbed they say nothing about people. Those about classes
    of equal records (`counts_alike`) still do where records are alike by promise.
    """

    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal", "nominal")
    alone: ClassVar[bool] = True
    trusts_keys: ClassVar[bool] = True
    counts_alike: ClassVar[bool] = False
    by_counts: ClassVar[bool] = False  # whether the different combinations of keys and their counts tell it

    keys: Keys = None

    def choose(self, pair: Pair) -> tuple[str, ...]:
        return choose_keys(pair, self.keys)

    def key_codes(self, pair: Pair, names: Sequence[str] | None = None) -> Ints:
        """The keys of the protected file as whole-number codes, -1 where missing."""
        return pair.tables(pair.columns if names is None else names)[1].codes()

    def key_notes(self, pair: Pair) -> tuple[str, ...]:
        """What a reader must know about the keys."""
        amounts = [name for name in pair.columns if pair.before.kinds[name] == "continuous" and not pair.recoded(name)]
        if not amounts:
            return ()
        return (
            f"continuous keys ({', '.join(amounts)}) are compared by exact value; classes mean little before grouping",
        )

    def weights(self, pair: Pair) -> Floats | None:
        """The survey weights of the protected records in view, if there are any."""
        weights = pair.after.weights
        return None if weights is None else weights[pair.rows_after]

    def keys_in_doubt(self, pair: Pair) -> list[str]:
        """The keys that were perturbed, so that they may not be counted here."""
        if not self.trusts_keys:
            return []
        alike = pair.alike if self.counts_alike else ()
        return [name for name in self.choose(pair) if name in pair.perturbed and name not in alike]

    def on(self, pair: Pair) -> Measured | NotApplicable:
        reason = self.why_not(pair)
        return self.not_applicable(reason) if reason else super().on(pair)

    def why_not(self, pair: Pair) -> str:
        """Why keys are not counted in a pair; empty where they are."""
        doubtful = self.keys_in_doubt(pair)
        if doubtful:
            return why_not_counted(pair, doubtful)
        if not self.choose(pair):
            return f"{NO_KEY}; give it to some, or name them with keys=[...]"
        return "" if len(pair.rows_after) else "there is no record"

    @property
    def counts_original(self) -> bool:
        """Whether the records of the original are counted beside those of the protected file."""
        return False

    def in_blocks(self, files: PairInBlocks) -> Measured | NotApplicable:
        reason = self.why_not(files.head) or (_ORIGINAL_IN_BLOCKS if self.counts_original else "")
        if reason or not self.by_counts:
            return self.not_applicable(reason) if reason else super().in_blocks(files)
        return self.on(files.counted(self.choose(files.head)))


@dataclass(frozen=True, kw_only=True)
class RecordRisk(KeyRisk):
    """Base of measures that give every protected record a figure of its own."""

    def records(self, original: AnyFile, protected: AnyFile | None = None) -> Floats:
        """The figure of every protected record, in the order of the file: for the protector's eyes only."""
        pair = Pair.of(original, protected)
        names = self.choose(pair)
        if not names:
            raise BadInput(f"{self.name} needs keys: {NO_KEY}; name them with keys=[...]")
        return self.record_values(pair.only(names))

    def record_values(self, pair: Pair) -> Floats:
        """The figure of every protected record in view of a pair whose columns are the keys."""
        raise TypeError(f"{type(self).__name__} must implement record_values()")
