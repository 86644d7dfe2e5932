"""The private log of a run: each stage with the time when it began and how long it took."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from microveil.core.open_types import Json

Show = Callable[[str, int, int], None]
STAGES = (
    "intake",
    "risk and utility before",
    "plan",
    "protecting",
    "attacks and utility after",
    "judging",
    "earlier releases",
    "writing",
    "auditing",
    "reports and package",
)


@dataclass
class StageLog:
    """The stages of one run as they go by; nothing in it is given away.

    How long a stage took is read from a clock that nobody sets; what time it was is as the system says.
    """

    show: Show = lambda *_: None
    _lines: list[Json] = field(default_factory=list)
    _since: float = 0.0

    def begin(self, stage: str) -> None:
        """The stage before has ended, this one begins."""
        self._end()
        self.show(stage, 1 + STAGES.index(stage), len(STAGES))
        began = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._lines.append({"stage": stage, "began": began})
        self._since = time.monotonic()

    def note(self, **facts: object) -> None:
        """Something to remember of the stage under way."""
        self._lines[-1] |= facts

    def to_text(self) -> str:
        """One JSON object on a line for each stage; the last is the one that writes these lines."""
        self._end()
        return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in self._lines)

    def _end(self) -> None:
        if self._lines and "seconds" not in self._lines[-1]:
            self._lines[-1]["seconds"] = round(time.monotonic() - self._since, 3)
