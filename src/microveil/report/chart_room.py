"""What charts beside one another have in common, so that their bars can be compared."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Room:
    """The largest share that a bar has to show, and which bars stand beside the bins of a histogram."""

    top: float = 0.0
    below: bool = False
    above: bool = False
    missing: bool = False

    def __or__(self, other: Room) -> Room:
        """Room for both charts."""
        return Room(
            max(self.top, other.top),
            self.below or other.below,
            self.above or other.above,
            self.missing or other.missing,
        )
