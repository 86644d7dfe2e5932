"""Questions about all records that are asked together, so that one pass over a file answers many.

Whoever wants to know something calls what it is given with the question, and gets the answer: a summary of all records.
The first question without an answer ends the call; when all have asked, one pass answers them, and every call is made
again with one answer more. What is done between two questions is little, and comes out the same each time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

K = TypeVar("K", bound=Hashable)
R = TypeVar("R")
Question = Callable[..., Any]  # the summary of some records
Ask = Callable[[Question], Any]


class _Unanswered(BaseException):
    """Raised inside a call that needs an answer which nobody has yet; nothing but this module catches it."""

    def __init__(self, question: Question) -> None:
        super().__init__()
        self.question = question


def ask_together(
    calls: Mapping[K, Callable[[Ask], R]], answer: Callable[[Mapping[K, Question]], Mapping[K, Any]]
) -> dict[K, R]:
    """What the calls return, each given a way to ask; `answer` makes one pass for the questions at hand."""
    answers: dict[K, list[Any]] = {key: [] for key in calls}
    returned: dict[K, R] = {}
    while True:
        asked: dict[K, Question] = {}
        for key, call in calls.items():
            if key not in returned:
                try:
                    returned[key] = call(_answering(answers[key]))
                except _Unanswered as waiting:
                    asked[key] = waiting.question
        if not asked:
            return returned
        for key, found in answer(asked).items():
            answers[key].append(found)


def _answering(known: list[Any]) -> Ask:
    given = iter(known)

    def ask(question: Question) -> Any:
        for found in given:
            return found
        raise _Unanswered(question)

    return ask
