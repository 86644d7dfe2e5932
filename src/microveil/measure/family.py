"""A family of measures: what evaluations, pages, the catalogue and the common suite must know of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from microveil.core.families import UNPLACED, Family


@dataclass(frozen=True)
class Question:
    """A question, in words what its answers mean, the measures that answer it best, and the others by name.

    A question that names no measure is answered by all of its family that no other question names.
    """

    title: str
    meaning: str
    first: tuple[str, ...] = ()
    further: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The measures that it names, in their order."""
        return (*self.first, *self.further)


@dataclass(frozen=True)
class MeasureFamily(Family):
    """A family of measures: `heading` stands above its figures, `questions` are what they answer on a page.

    `order` is its place in lists of figures, `asked` that of its questions among those of other families.
    `best_unchanged`: the original released as it is has the best figure, and noise makes it no better, as with all
    that protecting costs. Otherwise noise makes a figure no worse, as with all that it is for.

    >>> MeasureFamily("attack").heading
    'Measures of attack'
    """

    heading: str = ""
    questions: tuple[Question, ...] = field(default=(), hash=False)
    asked: int = UNPLACED
    best_unchanged: bool = False

    def __post_init__(self) -> None:
        self._set_by_default(title=f"Measures of {self.name}", one=f"measure of {self.name}", home=self.name)
        self._set_by_default(heading=self.title)
        if all(question.names for question in self.questions):
            rest = Question(self.heading, f"What each {self.one} says.")
            object.__setattr__(self, "questions", (*self.questions, rest))
