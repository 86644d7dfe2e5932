"""`python -m tests.frozen`: compare, accept or record frozen behaviour."""

from __future__ import annotations

import argparse
import os
import sys

# read when NumPy is loaded: as in the tests, sums do not depend on the number of threads
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

from tests.frozen import _frame


def _compare(parts: list[str], sample: int) -> int:
    count = 0
    for part in parts or _frame.part_names():
        for one in _frame.other_versions(part):
            print(f"{part}: recorded with another version: {one}", file=sys.stderr)
        found = _frame.differences(part, sample)
        count += len(found)
        for one in found:
            print(f"{part}: {one}")
        print(f"{part}: {len(found)} differences", file=sys.stderr)
    return int(count > 0)


def _accept(part: str, keys: list[str], everything: bool, reason: str) -> int:
    if not reason.strip():
        raise SystemExit("a difference is accepted for a reason: --reason must not be empty")
    if everything == bool(keys):
        raise SystemExit("name the keys to accept, or --all")
    others = _frame.other_versions(part)
    if others and not everything:
        raise SystemExit(
            f"recorded with other versions ({'; '.join(others)}): review all differences, then accept --all"
        )
    found = list(_frame.matching(_frame.differences(part), ["*"] if everything else keys))
    unused = [key for key in keys if not any(_frame.matching(found, [key]))]
    if unused or not found:
        raise SystemExit(f"nothing differs at {', '.join(unused) or part}; nothing was recorded")
    _frame.accept(part, found, reason)
    _frame.note_versions(part)
    print(f"{part}: {len(found)} differences accepted")
    return 0


def main() -> int:
    """Run one of the three commands."""
    parser = argparse.ArgumentParser(prog="python -m tests.frozen", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    compare = commands.add_parser("compare")
    compare.add_argument("parts", nargs="*", metavar="PART")
    compare.add_argument("--sample", type=int, default=1, help="take every n-th key of parts that allow it")
    commands.add_parser("record").add_argument("part", metavar="PART")
    accept = commands.add_parser("accept")
    accept.add_argument("part", metavar="PART")
    accept.add_argument("keys", nargs="*", metavar="KEY")
    accept.add_argument("--all", action="store_true")
    accept.add_argument("--reason", required=True)
    given = parser.parse_args()
    if given.command == "compare":
        return _compare(given.parts, given.sample)
    if given.command == "accept":
        return _accept(given.part, given.keys, given.all, given.reason)
    if _frame.record_file(given.part).exists():
        raise SystemExit(f"{given.part} has a record; use compare and accept")
    _frame.write_record(given.part, _frame.current(given.part))
    _frame.note_versions(given.part)
    return 0


if __name__ == "__main__":
    sys.exit(main())
