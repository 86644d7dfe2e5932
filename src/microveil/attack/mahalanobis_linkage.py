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
from microveil.attack.learnt_covariance import LEAST_NOISE, learn_covariance
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
    for which the least unlikely noise would do. "one-to-one" matches whole files (up to some thousand records). With
    weights="learnt" nothing has to be known of the method: the covariance is that of the differences between records
    that are one another's nearest, found anew a few times.
    """

    weights: Annotated[
        Literal["method", "learnt"], "covariance of the noise by its method, or learnt from both files"
    ] = "method"
    p: Annotated[
        float | None, Range(gt=0, le=10), "noise standard deviation / the column's; None: as the release says"
    ] = None

    quick: ClassVar[bool] = True
    reidentifies: ClassVar[bool] = True
    verdict_limit: ClassVar[float] = float("inf")  # some of many records tell the share
    title: ClassVar[str] = "Linkage by the covariance of the noise"
    reference: ClassVar[str] = "Kargupta et al. 2003; Huang, Du & Chen 2005; Abril, Navarro-Arribas & Torra 2012"
    advice: ClassVar[str] = (
        "Who knows the covariance of the noise tells likely changes from unlikely ones, most of all where columns are "
        "correlated. A larger p or fewer released columns help; groups of k over all columns together "
        "(microaggregation, MicroHybrid) bound what is found by 1/k."
    )

    @property
    def whole_release(self) -> bool:
        """What is learnt is learnt from the records at hand."""
        return self.weights != "learnt"

    def guess(self, view: View) -> Answer | str:
        """Link every sought record to that from which it differs by the least unlikely noise."""
        noisy = self._noisy(view)
        if isinstance(noisy, str):
            return noisy
        by = tuple(dict.fromkeys(name for masked in noisy for name in masked.by))
        domains = [domain for domain in each_domain(view, by) if len(domain.sought)]
        parts = [part for domain in domains for part in self._parts(view, noisy, domain)]
        return link_nearest(parts, view.known.rows)

    def stronger(self, method: MethodContract) -> MethodContract | None:
        """Noise of twice the standard deviation."""
        if not isinstance(method, CorrelatedNoise | ExactNoise | KimNoise | SullivanNoise | UncorrelatedNoise):
            return None
        return replace(method, p=min(2 * method.p, 10)) if 0 < method.p < 10 else None

    def _noisy(self, view: View) -> list[Masked] | str:
        if self.weights == "learnt":
            changed = tuple(
                name
                for name in view.known.names
                if name not in view.untouched and view.known[name].levels is None and name not in view.classes
            )
            return [Masked(CorrelatedNoise(), changed)] if changed else "the intruder knows no amount that was changed"
        stated = None if self.p is None else CorrelatedNoise(p=self.p)
        return find_masked(view, self.name, stated, f"{type(self).__name__}(p=0.3), or with weights='learnt'")

    def _parts(self, view: View, noisy: list[Masked], domain: Domain) -> list[Part]:
        models = [self._model(view, masked, domain) for masked in noisy]
        known, released = (np.column_stack(side) for side in list(zip(*models, strict=True))[:2])
        V = block_diag(*(model.covariance for model in models))
        return list(complete_parts(view, domain, known, released, lambda some: whitening(V[np.ix_(some, some)])))

    def _model(self, view: View, masked: Masked, domain: Domain) -> NoiseModel:
        known = view.known.matrix(masked.columns)[domain.sought]
        released = view.released.matrix(masked.columns)[domain.released]
        if self.weights == "learnt":
            return NoiseModel(known, released, learn_covariance(known, released))
        found = noise_model(masked.method, known, released)
        assert found is not None, f"{masked.method.name} declares {self.name}, and nobody says what its noise is"
        # without any noise values themselves are compared
        return found._replace(covariance=found.covariance + LEAST_NOISE * covariance_of(found.released))
