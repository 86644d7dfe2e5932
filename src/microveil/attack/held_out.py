"""Base of attacks that compare with people who were not in the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from microveil.attack.base import Attack
from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.data.microdata import AnyData
from microveil.measure import Linked, Pair
from microveil.run.release import AnyFile


@dataclass(frozen=True, kw_only=True)
class HeldOutAttack(Attack):
    """Base of attacks that take records of the same population that were not in the original: a hold-out."""

    def __call__(
        self,
        original: AnyFile,
        protected: AnyFile | None = None,
        *,
        columns: Sequence[str] | None = None,
        by: str | Sequence[str] | None = None,
        linked: Linked = True,
        holdout: AnyData | None = None,
    ) -> Measured | NotApplicable:
        """Measure a release as every measure does.

        `holdout` are records of the same population that were not in the original: what a release says about them it
        says about everybody, and learning that is no breach.
        """
        pair = Pair.of(original, protected, columns, linked)
        if holdout is None:
            return self.of_pair(pair, by)
        if by is not None:
            raise BadInput("a hold-out is compared with the whole file; leave by out")
        if pair.one_file:
            raise BadInput(f"{self.name} compares two files; give the original and the protected one")
        return self.beside(pair, holdout)

    # -- for members -----------------------------------------------------------------------------

    def beside(self, pair: Pair, holdout: AnyData) -> Measured | NotApplicable:
        """What the attack finds, compared with what it finds of the hold-out."""
        raise TypeError(f"{type(self).__name__} must implement beside(pair, holdout)")
