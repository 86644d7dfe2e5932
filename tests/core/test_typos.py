"""Misspelt names in Python: the nearest is offered, and parameters of a nested method are shown in their place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import microveil as mv
from microveil.core.errors import UnknownName

TYPOS: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "class": (lambda: mv.mask.Microagregation, AttributeError, "did you mean 'Microaggregation'?"),
    "room": (lambda: mv.maks, AttributeError, "module 'microveil' has no attribute 'maks'; did you mean 'mask'?"),
    "nested": (
        lambda: mv.mask.Microaggregation(k=5),
        TypeError,
        "Microaggregation has no parameter 'k'; k belongs to its partition: Microaggregation(partition=MDAV(k=5))",
    ),
    "parameter": (lambda: mv.partition.MDAV(standardize=None), TypeError, "did you mean 'standardise'?"),
    "position": (lambda: mv.mask.RankSwap(7), TypeError, "RankSwap takes its parameters by name: RankSwap(p=...)"),
    "measure": (lambda: mv.loss.PIL(quantile="rank"), UnknownName, "did you mean 'quantiles'?"),
}


@pytest.mark.parametrize("case", TYPOS)
def test_the_nearest_name_is_offered(case: str) -> None:
    make, error, message = TYPOS[case]
    with pytest.raises(error) as caught:
        make()
    assert message in str(caught.value)


def test_private_names_stay_plain() -> None:
    with pytest.raises(AttributeError, match=r"no attribute '_nothing'$"):
        mv.mask._nothing  # noqa: B018
