"""Base of all loss measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from microveil.core.arrays import Bools, Matrix
from microveil.core.measured import Measured, NotApplicable
from microveil.kernels.moments.central import CentredMoments, finish_moments
from microveil.kernels.summaries.complete import CompleteSums
from microveil.measure import Measure, MeasureFamily, Pair, Question
from microveil.measure.in_blocks import PairInBlocks
from microveil.measure.measure import left_out

LOSS = MeasureFamily(
    "loss",
    order=50,
    heading="What is lost",
    asked=20,
    questions=(
        Question(
            "What is lost for means, variances and correlations?",
            "How far the statistics that most analyses start from moved, from 0 (not at all).",
            ("pil", "moment-change"),
            ("information-loss", "matrix-loss", "eigenvalues"),
        ),
        Question(
            "What is lost for tables and distributions?",
            "How far counts of categories and shapes of distributions moved.",
            ("contingency-loss", "distribution-distance"),
            ("entropy-loss",),
        ),
        Question(
            "What is lost for models?",
            "Whether a regression gives the same coefficients, and whether the two files can be told apart.",
            ("regression-change", "interval-overlap"),
            ("propensity",),
        ),
        Question(
            "How far do single values move?",
            "What changed record by record; large here is what protects, and matters to those who read single values.",
            ("value-change",),
            ("sse", "yancey-loss", "truncated"),
        ),
        Question(
            "Are the released values possible?",
            "How many records break the rules that somebody stated: amounts below 0, parts that miss their total.",
            ("edit-violations",),
        ),
        Question(
            "How much coarser are the values?",
            "What generalised values no longer tell apart, and how large the classes of equal records became.",
            ("ncp",),
            ("non-uniform-entropy", "geometric-loss", "precision", "height", "discernibility", "average-class-size"),
        ),
        Question("What else is lost?", "Further measures of loss."),
    ),
    best_unchanged=True,
)


class SumsOfPair(NamedTuple):
    """Sums over the complete records of some amounts of both files in blocks."""

    before: CompleteSums
    after: CompleteSums

    def moments(self) -> tuple[CentredMoments, CentredMoments]:
        """Means and covariances of both."""
        before, after = (finish_moments(one.moments, one.low, one.high) for one in self)
        return before, after

    @property
    def notes(self) -> tuple[str, ...]:
        """How many records with gaps were left out."""
        (x_rows, x), (y_rows, y) = ((one.records, one.complete) for one in self)
        return left_out(x_rows - x, x_rows, y_rows - y, y_rows)


@dataclass(frozen=True, kw_only=True)
class Loss(Measure, family=LOSS):
    """What analyses lose when they use the protected file instead of the original; 0 for an unchanged file."""

    # but where it counts records that are alike, which is risk as well
    for_users: ClassVar[bool] = True

    def on(self, pair: Pair) -> Measured | NotApplicable:
        # columns that a release was never told about would only dilute what the others lost
        return super().on(pair.for_loss())

    def too_few(self, X: Matrix, Y: Matrix, least: int) -> NotApplicable | None:
        """Why nothing can be said when one of the files has fewer than `least` complete records."""
        return self.too_few_of((len(X), len(Y)), X.shape[1], least)

    def too_few_of(self, complete: tuple[int, int], columns: int, least: int) -> NotApplicable | None:
        """The same, of so many complete original and protected records."""
        for rows, which in zip(complete, ("original", "protected"), strict=True):
            if rows < least:
                return self.not_applicable(
                    f"{rows} complete {which} records are too few for {columns} columns; {least} are needed"
                )
        return None

    def sums_in_blocks(
        self, files: PairInBlocks, least: int | None = None
    ) -> tuple[tuple[str, ...], SumsOfPair] | NotApplicable:
        """The amounts of files in blocks that are compared, and their sums; or why there are none.

        `least` complete records are needed; None: one more than there are columns.
        """
        names = self.choose(files.head.for_loss())
        if not names:
            return self.not_applicable(f"there is no {' or '.join(self.kinds)} column to look at")
        found = SumsOfPair(files.sums("before", names), files.sums("after", names))
        complete = (found.before.complete, found.after.complete)
        few = self.too_few_of(complete, len(names), len(names) + 1 if least is None else least)
        return few if few is not None else (names, found)


def choose_names(names: tuple[str, ...], chosen: Bools) -> list[str]:
    """The names that are marked."""
    return [name for name, flag in zip(names, chosen, strict=True) if flag]
