"""The base of measures: frozen values that compare an original with its release, or look at a release alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from microveil.core.arrays import Ints, Matrix
from microveil.core.errors import BadInput
from microveil.core.families import Family
from microveil.core.measured import Better, Measured, NotApplicable
from microveil.core.registry import Value
from microveil.core.words import unit_for
from microveil.measure.family import MeasureFamily
from microveil.measure.in_blocks import PairInBlocks, TakenInBlocks
from microveil.measure.pair import Linked, Pair
from microveil.measure.sampling import Sample
from microveil.measure.scenario import Scenario
from microveil.run.release import AnyFile

UNKNOWN_LINK = "nobody knows which rows of the two files belong together"
NOT_IN_BLOCKS = (
    "not applicable in blocks: it looks at all records at once; measure a sample of the file in memory for it"
)


def refuse_in_blocks(by: str | Sequence[str] | None, linked: Linked) -> None:
    """Refuse what is asked of files in memory only."""
    if by is not None:
        raise BadInput("files in blocks are measured as a whole; leave `by` out, or read the records into memory")
    if linked is not True:
        raise BadInput(
            "which rows of files in blocks belong together is known from their release alone; leave `linked` out"
        )


@dataclass(frozen=True, kw_only=True)
class Measure(Value):
    """Base of all measures."""

    called: ClassVar[str] = "measure"
    family_type: ClassVar[type[Family]] = MeasureFamily
    described: ClassVar[MeasureFamily] = MeasureFamily("", title="Measures", one="measure")
    kinds: ClassVar[tuple[str, ...]] = ("continuous",)
    better: ClassVar[Better] = "lower"
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    unit: ClassVar[str] = ""
    paired: ClassVar[bool] = False  # needs to know which rows belong together
    alone: ClassVar[bool] = False  # looks at the protected file alone
    follows_noise: ClassVar[bool] = True  # whether more noise never makes the figure look better
    title: ClassVar[str] = ""
    words_of_parts: ClassVar[Mapping[str, str]] = {}  # parts whose names are short forms, in words for a page
    for_users: ClassVar[bool] = False  # whether pages for users of the file may tell it: never a figure of risk
    quick: ClassVar[bool] = False  # whether it is among the few that one decides by, and takes seconds
    reidentifies: ClassVar[bool] = False  # whether the value is the per cent of records that an intruder re-identifies
    counts_copies: ClassVar[bool] = False  # whether it counts records released as they are, in whatever row
    bounded_by_k: ClassVar[bool] = True  # whether a proof that one of k records is found speaks of this intruder
    gains: ClassVar[bool] = False  # whether it tells an advantage over guessing that the worst case takes in
    advice: ClassVar[str] = ""  # of attacks: what it means that one succeeds, and which change of the plan helps
    verdict_limit: ClassVar[float] = 0  # records up to which a verdict tries this attack without being asked
    overview_sample: ClassVar[Sample | None] = None  # how an overview tells it from a sample of many records
    overview_limit: ClassVar[int | None] = None  # records above which an overview leaves it out: it takes long

    def __call__(
        self,
        original: AnyFile,
        protected: AnyFile | None = None,
        *,
        columns: Sequence[str] | None = None,
        by: str | Sequence[str] | None = None,
        linked: Linked = True,
    ) -> Measured | NotApplicable:
        """Measure a release against its original; rows of two frames of equal length are taken to correspond.

        `columns` restricts what is compared, `by` measures inside subdomains of the original,
        `linked=False` says that nobody knows which rows belong together; an array gives the original row
        of each protected row (-1: none).
        """
        if isinstance(original, TakenInBlocks):
            return self.of_files(original.in_blocks(protected, columns), by, linked)
        return self.of_pair(Pair.of(original, protected, columns, linked), by)

    def of_files(
        self, files: PairInBlocks, by: str | Sequence[str] | None = None, linked: Linked = True
    ) -> Measured | NotApplicable:
        """Measure files that are taken in blocks."""
        refuse_in_blocks(by, linked)
        if files.head.one_file and not self.alone:
            raise BadInput(f"{self.name} compares two files; give the original and the protected one")
        return self.in_blocks(files)

    def in_blocks(self, files: PairInBlocks) -> Measured | NotApplicable:
        """Measure files that are taken in blocks, or say why that is impossible."""
        return NotApplicable(self.name, NOT_IN_BLOCKS, left_out=True)

    def of_pair(self, pair: Pair, by: str | Sequence[str] | None = None) -> Measured | NotApplicable:
        """Measure a pair that was put together before, as a whole or inside subdomains of the original."""
        if pair.one_file and not self.alone:
            raise BadInput(f"{self.name} compares two files; give the original and the protected one")
        return self.on(pair) if by is None else self._by_domain(pair, by)

    def on(self, pair: Pair) -> Measured | NotApplicable:
        """Measure a pair, or say why that is impossible."""
        names = self.choose(pair)
        if not names:
            return self.not_applicable(f"there is no {' or '.join(self.kinds)} column to look at")
        if self.paired and pair.link is None:
            return self.not_applicable(UNKNOWN_LINK)
        if self.paired and not len(pair.linked_rows[0]):
            return self.not_applicable("no protected record comes from an original one")
        return self.measure(pair.only(names))

    def too_long_for_overview(self, pair: Pair) -> str:
        """Why an overview leaves it out, if it does: it would take too long."""
        limit = self.overview_limit
        if limit is None or max(pair.before.n, pair.after.n) <= limit:
            return ""
        return f"it takes long above {limit} records and is left out of an overview; ask for it by its name"

    def choose(self, pair: Pair) -> tuple[str, ...]:
        """The columns this measure looks at, among those of the pair."""
        return pair.of_kind(*self.kinds)

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        """The figure for a pair whose columns all fit."""
        raise TypeError(f"{type(self).__name__} must implement measure()")

    # -- scenarios and the worst case ------------------------------------------------------------

    @classmethod
    def concerns(cls, pair: Pair) -> bool:  # noqa: ARG003 # members look at it
        """Whether it has to be tried on such a pair: an attack on one method has nothing to say of others."""
        return True

    def take_scenarios(self, scenarios: Sequence[Scenario], agreeing: Sequence[str]) -> Self:
        """This measure about the scenarios of an evaluation; most do not look at them.

        Gaps of the columns `agreeing` agree with any value; those of others are a value of their own.
        """
        return self

    @property
    def stated_scenarios(self) -> tuple[Scenario, ...]:
        """The scenarios that somebody stated for it."""
        return ()

    def reidentified(self, result: Measured) -> dict[str, float]:
        """The per cent of records re-identified by scenario, in the worst subdomain; none if that is not measured.

        The worst case is the highest of all these. A figure that stands for no scenario has the name "".
        """
        names = [scenario.name for scenario in self.stated_scenarios] or [""]
        return dict.fromkeys(names, result.worst) if self.reidentifies else {}

    def advantage(self, result: Measured) -> float:
        """The per cent by which the worst case takes in an attack that `gains`, in the worst subdomain."""
        return result.worst

    def in_scenario(self, scenario: Scenario) -> Measure | None:
        """The same attack by the intruder of a scenario; None where it has nothing to say of scenarios."""
        return None

    def beside_guessing(self, result: Measured, records: int) -> tuple[float, float]:
        """Of an attack, the per cent that tells whether it succeeds, and what guessing among so many records finds."""
        if self.gains:
            return self.advantage(result), 0.0
        return result.worst, result.parts.get("baseline", 100.0 / max(records, 1))

    @property
    def attack_title(self) -> str:
        """The attack's name for people, among the same attack in other ways."""
        return self.title or self.name

    def in_other_ways(self, amounts_changed: bool) -> tuple[Measure, ...]:
        """The same attack with the files compared in other ways, one of which may find more."""
        return ()

    # -- samples of many records -----------------------------------------------------------------

    @property
    def sample_of_many(self) -> Sample | None:
        """How this very measure is told from a sample of many records."""
        return self.overview_sample

    @property
    def _unit_text(self) -> str:
        return f" {self.unit}" if self.unit else ""

    # -- for members -----------------------------------------------------------------------------

    def measured(self, value: float, *, parts: Mapping[str, float] | None = None, **more: object) -> Measured:
        """A figure of this measure."""
        unit = unit_for(value, self.unit)
        fixed: dict[str, Any] = {"better": self.better, "bounds": self.bounds, "unit": unit, **more}
        return Measured(self.name, float(value), parts=dict(parts or {}), **fixed)

    def not_applicable(self, reason: str) -> NotApplicable:
        """Why this measure says nothing here."""
        return NotApplicable(self.name, reason)

    def complete(self, pair: Pair) -> tuple[Matrix, Matrix, tuple[str, ...]]:
        """Both files as matrices, each without its incomplete rows, and a note on what was left out."""
        before, after = pair.tables(pair.columns)
        X, Y = before.matrix(), after.matrix()
        kept = [_complete_rows(X), _complete_rows(Y)]
        return kept[0], kept[1], left_out(len(X) - len(kept[0]), len(X), len(Y) - len(kept[1]), len(Y))

    def complete_pairs(self, pair: Pair) -> tuple[Matrix, Matrix, tuple[str, ...]]:
        """Both files as matrices row by row, without rows incomplete in either, and a note."""
        before, after = pair.tables(pair.columns)
        left, right = pair.linked_rows
        X, Y = _taken(before.matrix(), left), _taken(after.matrix(), right)
        gaps = np.isnan(X).any(axis=1) | np.isnan(Y).any(axis=1)
        if not gaps.any():
            return X, Y, ()
        return X[~gaps], Y[~gaps], (f"{int(gaps.sum()):,} of {len(X):,} records with missing values were left out",)

    def _by_domain(self, pair: Pair, by: str | Sequence[str]) -> Measured | NotApplicable:
        labels, texts = pair.before.domains(by)
        if pair.link is not None:
            of_after = np.where(pair.link >= 0, labels[np.maximum(pair.link, 0)], -1)
        else:
            after_labels, after_texts = pair.after.domains(by)
            number = {text: i for i, text in enumerate(texts)}
            of_after = np.array([number.get(text, -1) for text in after_texts], dtype=np.int64)[after_labels]
        found: dict[str, Measured] = {}
        skipped: list[str] = []
        for i, text in enumerate(texts):
            part = self.on(pair.domain(np.flatnonzero(labels == i), np.flatnonzero(of_after == i)))
            if isinstance(part, Measured):
                found[text] = part
            else:
                skipped.append(f"{text}: {part.reason}")
        if not found:
            return self.not_applicable(f"in no subdomain ({'; '.join(skipped[:3])})")
        value = float(np.mean([part.value for part in found.values()]))
        return self.measured(
            value,
            domains=found,
            parts={text: part.value for text, part in found.items()},
            reading=f"On average over {len(found)} subdomains the figure is {value:.4g}{self._unit_text}.",
            notes=tuple(skipped),
        )


def _taken(X: Matrix, rows: Ints) -> Matrix:
    """Some rows of a matrix; the matrix itself, not a copy, when these are all rows in order."""
    everything = len(rows) == len(X) and bool((rows == np.arange(len(X))).all())
    return X if everything else X[rows]


def _complete_rows(X: Matrix) -> Matrix:
    gaps = np.isnan(X).any(axis=1)
    return X[~gaps] if gaps.any() else X


def left_out(x_dropped: int, x_rows: int, y_dropped: int, y_rows: int) -> tuple[str, ...]:
    """How many records with gaps a figure leaves out, in notes."""
    notes = []
    if x_dropped:
        notes.append(f"{x_dropped:,} of {x_rows:,} original records with missing values were left out")
    if y_dropped:
        notes.append(f"{y_dropped:,} of {y_rows:,} protected records with missing values were left out")
    return tuple(notes)
