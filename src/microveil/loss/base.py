"""Base of all loss measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from microveil.core.arrays import Bools, Matrix
from microveil.core.measured import Measured, NotApplicable
from microveil.measure import Measure, MeasureFamily, Pair, Question

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
        for rows, which in ((len(X), "original"), (len(Y), "protected")):
            if rows < least:
                return self.not_applicable(
                    f"{rows} complete {which} records are too few for {X.shape[1]} columns; {least} are needed"
                )
        return None


def choose_names(names: tuple[str, ...], chosen: Bools) -> list[str]:
    """The names that are marked."""
    return [name for name, flag in zip(names, chosen, strict=True) if flag]
