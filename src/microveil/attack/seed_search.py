"""A weak seed that gives the release once more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from microveil.attack.aside import AttackAside
from microveil.attack.seeds import try_seeds, weak_seeds
from microveil.core.measured import Measured, NotApplicable
from microveil.core.parameters import Example, Range
from microveil.core.words import counted
from microveil.measure import Linked
from microveil.run.release import AnyFile


@dataclass(frozen=True, kw_only=True)
class SeedSearch(AttackAside, name="seed-search"):
    """100 if a weak seed gives the released records once more, 0 if none of those tried does.

    Use it before a release whose seed somebody chose: small numbers, years, words and your own `guesses` are tried on
    the public plan. Draws follow from the seed and from the whole original, so that only an intruder who knows all of
    it but a few values gains: with the seed every guess about these can be tested. It says nothing about seeds that
    were not tried; a fresh key (no seed) cannot be found. In large files fewer are tried, which the figure
    tells. `known` are the changed columns that must come out, all by default.
    """

    numbers: Annotated[int, Range(ge=0, le=10_000_000), "whole numbers from 0 on that are tried"] = 1000
    guesses: Annotated[tuple[str, ...], Example(["spring2024"]), "further seeds that somebody may have taken"] = ()

    title: ClassVar[str] = "Search for the seed"
    reference: ClassVar[str] = "Garfinkel & Leclerc 2020"
    advice: ClassVar[str] = (
        "The seed was guessed, and with it everything that was drawn. Leave the seed out, so that a fresh key is drawn."
    )
    needs: ClassVar[str] = "it runs the plan again and again; ask for it by itself: SeedSearch()(data, release)"

    def __call__(
        self,
        original: AnyFile,
        protected: AnyFile | None = None,
        *,
        columns: Sequence[str] | None = None,
        by: str | Sequence[str] | None = None,
        linked: Linked = True,  # records are compared as a whole file
    ) -> Measured | NotApplicable:
        """Try the seeds on the plan of a release."""
        if columns is not None or by is not None:
            return self.not_applicable("a seed is that of the whole release; leave columns and by out")
        found = try_seeds(original, protected, self.known, weak_seeds(self.numbers, self.guesses))
        if isinstance(found, str):
            return self.not_applicable(found)
        value = 100.0 if found.found is not None else 0.0
        tried = counted(found.tried, "seed")
        return self.measured(
            value,
            parts={
                "certain": value,
                "precision": value / 100,
                "baseline": 0.0,
                "seeds tried": float(found.tried),
                "most records alike": 100 * found.best,
            },
            reading=(
                f"The seed {found.found!r} gives the release once more: protect the file anew, without a seed."
                if value
                else f"None of {tried} gives the release once more."
            ),
        )
