"""`make house`: figures of the tree beside those of an earlier one, printed and written to docs/house.md."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tools.house.additions import measure_additions
from tools.house.earlier import describe, first_commit, take_out
from tools.house.figures import figures_of
from tools.house.page import page
from tools.recipes import PACKAGE, ROOT, recipes


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(prog="python -m tools.house", description=__doc__)
    parser.add_argument(
        "--before", default="", help="commit or tag to compare with; the first with the package if none"
    )
    parser.add_argument("--no-additions", action="store_true", help="leave out what additions cost: it takes minutes")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "docs" / "house.md")
    asked = parser.parse_args()
    concepts = ROOT / "tools" / "concepts.toml"
    before = asked.before or first_commit(ROOT, PACKAGE)
    told = describe(ROOT, before) if before else ""
    then = None
    if told:
        with tempfile.TemporaryDirectory() as folder:
            then = figures_of(take_out(ROOT, before, PACKAGE, Path(folder)), concepts)
    names = (
        describe(ROOT, "HEAD"),
        told or f"{before}, which this clone does not hold (git fetch --unshallow gets it)",
    )
    additions = {} if asked.no_additions else measure_additions(recipes())
    text = page(figures_of(ROOT / PACKAGE, concepts), then, names, additions)
    asked.output.write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
