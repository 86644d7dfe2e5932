"""Linkage by the covariance of the noise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np
from scipy.linalg import block_diag

from microveil.attack.base import Attack
from microveil.attack.comparable import complete_parts
from microveil.attack.domains import Domain, each_domain
from microveil.attack.guesses import Answer
from microveil.attack.learnt_covariance import LEAST_NOISE, how_much_wider, learn_covariance
from microveil.attack.linking import Part, link_nearest, whitening
from microveil.attack.masked import Masked, find_masked
from microveil.attack.noise_models import NoiseModel, covariance_of, noise_model
from microveil.attack.view import View
from microveil.core.parameters import Range
from microveil.mask.correlated_noise import CorrelatedNoise
from microveil.mask.exact_noise import ExactNoise
from microveil.mask.kim_noise import KimNoise
from microveil.mask.sullivan_noise import SullivanNoise
from microveil.mask.uncorrelated_noise import UncorrelatedNoise
from microveil.run.contract import MethodContract


@dataclass(frozen=True, kw_only=True)
class MahalanobisLinkage(Attack, name="mahalanobis-linkage"):
    """Per cent of records found by one who knows the covariance of the noise.

    Use it for added noise: the covariance follows from p and the released values, and the nearest record is the one
    for which the least unlikely noise would do. "one-to-one" matches whole files (up to some thousand records).
    Nothing has to be known of the method: besides, and where it is not noise alone, the covariance is learnt from the
    differences between records that are one another's nearest, found anew a few times (weights="learnt": only so).
    """

    weights: Annotated[
        Literal["method", "learnt"], "covariance of the noise by its method and learnt from both files, or learnt only"
    ] = "method"
    p: Annotated[
        float | None, Range(gt=0, le=10), "noise standard deviation / the column's; None: as the release says"
    ] = None

    quick: ClassVar[bool] = True
    for_any_release: ClassVar[bool] = True
    reidentifies: ClassVar[bool] = True
    verdict_limit: ClassVar[float] = float("inf")  # some of many records tell the share
    title: ClassVar[str] = "Linkage by the covariance of the noise"
    reference: ClassVar[str] = "Kargupta et al. 2003; Huang, Du & Chen 2005; Abril, Navarro-Arribas & Torra 2012"
    advice: ClassVar[str] = (
        "Who knows the covariance of the noise tells likely changes from unlikely ones, most of all where columns are "
        "correlated. A larger p or fewer released columns help; groups of k over all columns together "
        "(microaggregation, micro-hybrid) bound what is found by 1/k."
    )

    @property
    def whole_release(self) -> bool:
        """What is learnt is learnt from the records at hand."""
        return self.weights != "learnt"

    def guess(self, view: View) -> Answer | str:
        """Link every sought record to that from which it differs by the least unlikely noise."""
        stated = None if self.p is None else CorrelatedNoise(p=self.p)
        noisy: list[Masked] | str = "nobody asked for it"
        if self.weights == "method":
            noisy = find_masked(view, self.name, stated, f"{type(self).__name__}(p=0.3), or with weights='learnt'")
        changed = () if self.p is not None else _changed_amounts(view)
        if isinstance(noisy, str):
            if not changed:
                return noisy if self.p is not None else "the intruder knows no amount that was changed"
            return self._link(view, [Masked(CorrelatedNoise(), changed)], learnt=True)
        answer = self._link(view, noisy, learnt=False)
        if not changed:
            return answer
        learnt = self._link(view, [Masked(CorrelatedNoise(), changed)], learnt=True)
        both = {**answer.readings, **{f"{name}, learnt": guesses for name, guesses in learnt.readings.items()}}
        return replace(answer, readings=both)

    def _link(self, view: View, noisy: list[Masked], learnt: bool) -> Answer:
        by = tuple(dict.fromkeys(name for masked in noisy for name in masked.by))
        domains = [domain for domain in each_domain(view, by) if len(domain.sought)]
        parts = [part for domain in domains for part in _parts(view, noisy, domain, learnt)]
        if not learnt:
            return link_nearest(parts, view.known.rows)
        known, released = (table.matrix(noisy[0].columns) for table in (view.known, view.released))
        wider = how_much_wider(known, released, learn_covariance(known, released))
        return link_nearest(parts, view.known.rows, wider=wider)

    def stronger(self, method: MethodContract) -> MethodContract | None:
        """Noise of twice the standard deviation."""
        if not isinstance(method, CorrelatedNoise | ExactNoise | KimNoise | SullivanNoise | UncorrelatedNoise):
            return None
        return replace(method, p=min(2 * method.p, 10)) if 0 < method.p < 10 else None


def _changed_amounts(view: View) -> tuple[str, ...]:
    """The known amounts that some step changed, and that are amounts still."""
    names = [name for name in view.known.names if name not in view.untouched and name not in view.classes]
    return tuple(name for name in names if view.known[name].levels is None and view.released[name].levels is None)


def _parts(view: View, noisy: list[Masked], domain: Domain, learnt: bool) -> list[Part]:
    models = [_model(view, masked, domain, learnt) for masked in noisy]
    known, released = (np.column_stack(side) for side in list(zip(*models, strict=True))[:2])
    V = block_diag(*(model.covariance for model in models))
    return list(complete_parts(view, domain, known, released, lambda some: whitening(V[np.ix_(some, some)])))


def _model(view: View, masked: Masked, domain: Domain, learnt: bool) -> NoiseModel:
    known = view.known.matrix(masked.columns)[domain.sought]
    released = view.released.matrix(masked.columns)[domain.released]
    if learnt:
        return NoiseModel(known, released, learn_covariance(known, released))
    found = noise_model(masked.method, known, released)
    assert found is not None, f"{masked.method.name} declares the attack, and nobody says what its noise is"
    # without any noise values themselves are compared
    return found._replace(covariance=found.covariance + LEAST_NOISE * covariance_of(found.released))
