"""What a verdict says of loss: one figure for amounts, one for categories."""

from __future__ import annotations

from microveil.core.measured import Measured
from microveil.loss import PIL, ContingencyLoss, EntropyLoss
from microveil.measure import Pair
from microveil.measure.sampling import Sample
from microveil.plan.as_it_was import is_as_it_was
from microveil.plan.evaluation import Evaluation
from microveil.plan.sampled import on_sample

MOST_TABULATED = 100_000  # tables of all pairs of columns of many more records would take long
_SAMPLE = Sample("records", MOST_TABULATED)


def loss_of_amounts(pair: Pair, evaluation: Evaluation | None) -> float | None:
    """The probabilistic information loss in per cent; that of the evaluation if it holds one."""
    known = [] if evaluation is None else [line.result for line in evaluation.lines if line.measure.name == PIL.name]
    result = known[0] if known else PIL().on(pair)
    return result.value if isinstance(result, Measured) else None


def loss_of_categories(pair: Pair) -> float | None:
    """The per cent of records that would have to change cell in tables of one and two categories; None if none changed.

    As with amounts it is about what analyses of the file get. Classes are spread over the values they hold: in its
    released classes a recoded key has the same counts as before, and nothing would seem lost.
    """
    measure = ContingencyLoss(order=2, classes="spread")
    if all(is_as_it_was(pair, name) for name in measure.choose(pair.for_loss())):
        return None
    result = on_sample(measure, pair, _SAMPLE) if is_of_sample(pair) else measure.on(pair)
    return result.value if isinstance(result, Measured) else None


def loss_of_detail(pair: Pair) -> float | None:
    """What categories that were made coarser, or left out, tell less than the original ones, in per cent (entropy).

    Tables do not see it where the values of a class occur equally often: spread evenly they are back. None where
    categories are all as they were or were replaced by others, or where nobody knows which rows belong together.
    """
    measure = EntropyLoss()
    if pair.link is None:
        return None
    coarser = [name for name in measure.choose(pair) if name not in pair.perturbed and not is_as_it_was(pair, name)]
    if not coarser:
        return None
    seen = pair.only(coarser)
    result = on_sample(measure, seen, _SAMPLE) if is_of_sample(seen) else measure.on(seen)
    return result.value if isinstance(result, Measured) else None


def loss_of_columns(pair: Pair) -> float | None:
    """The columns that have no value any more, in per cent of those that had some; None where all have some."""
    had, gone = 0, 0
    for name in pair.columns:
        before, after = (table[name] for table in pair.tables([name]))
        had += not before.missing.all()
        gone += not before.missing.all() and bool(after.missing.all())
    return 100.0 * gone / had if gone else None


def is_of_sample(pair: Pair) -> bool:
    """Whether the loss of categories is told from some of the records."""
    return _SAMPLE.applies(pair)
