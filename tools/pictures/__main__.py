"""Draws all pictures again, or those whose names are given: `python -m tools.pictures attacks_keys`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from tools.pictures import (
    attacks_files,
    attacks_intersections,
    attacks_keys,
    attacks_noise,
    attacks_synthetic,
    edits,
    which_method,
)

_FOLDER = Path("docs/pictures")
PICTURES: dict[str, Callable[[], str]] = {
    "attacks_files": attacks_files.picture,
    "attacks_intersections": attacks_intersections.picture,
    "attacks_keys": attacks_keys.picture,
    "attacks_noise": attacks_noise.picture,
    "attacks_synthetic": attacks_synthetic.picture,
    "map_with_rules": edits.map_with_rules,
    "one_move": edits.one_move,
    "possible_values": edits.possible_values,
    "which_method": which_method.picture,
}


def main() -> None:
    """Write them into the folder of the documentation."""
    _FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or PICTURES:
        (_FOLDER / f"{name}.svg").write_text(PICTURES[name]() + "\n")


if __name__ == "__main__":
    main()
