"""Plant small faults in the package and see whether the tests notice: python -m tools.mutants --help.

Each fault is planted in a temporary copy of the tree, never in the tree itself. A fault that no test notices is printed
with its place; either a test is missing, or nobody could notice it: then the reason stands in tools/survivors.toml.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from tools.mutations import Mutant, mutants_in

ROOT = Path(__file__).resolve().parents[1]
SURVIVORS = Path("tools/survivors.toml")
FOLDERS = [
    "src/microveil/attack",
    "src/microveil/core",
    "src/microveil/claims",
    "src/microveil/run",
    "src/microveil/io",
    "src/microveil/kernels/rotation",
    "src/microveil/synth/feasible_rotation.py",
    "src/microveil/synth/zero_patterns.py",
]
# quick ones first: the first failure ends a run
_CLAIM_TESTS = (
    "tests/testing/test_claims.py",
    "tests/claims",
    "tests/run/test_promise_rules.py",
    "tests/run/test_promises.py",
    "tests/run/test_release.py",
)
_ROUNDING_TESTS = (
    "tests/run/test_controlled_rounding.py",
    "tests/run/test_inside_rules.py",
    "tests/run/test_edit_notes.py",
)
_ROTATION_TESTS = (
    "tests/synth/test_zero_patterns.py",
    "tests/synth/test_feasible_rotation.py",
    "tests/hybrid/test_hybrids_in_rules.py",
)
# which tests are asked about a file: the first prefix that fits
TESTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("src/microveil/attack", ("tests/attack",)),
    ("src/microveil/claims/examples.py", ()),
    (
        "src/microveil/claims/edits.py",
        ("tests/testing/test_claims.py", "tests/claims", "tests/run/test_promise_rules.py"),
    ),
    (
        "src/microveil/core/edits.py",
        ("tests/core/test_edits.py", "tests/synth/test_rules.py", "tests/loss/test_edit_violations.py"),
    ),
    ("src/microveil/kernels/rotation", ("tests/kernels/rotation", "tests/synth/test_feasible_rotation.py")),
    ("src/microveil/run/controlled_rounding.py", _ROUNDING_TESTS),
    ("src/microveil/run/inside_rules.py", _ROUNDING_TESTS),
    ("src/microveil/synth/feasible_rotation.py", _ROTATION_TESTS),
    ("src/microveil/synth/zero_patterns.py", _ROTATION_TESTS),
    ("src/microveil/claims/guarantee", ("tests/claims", "tests/run", "tests/report")),
    ("src/microveil/claims", _CLAIM_TESTS),
    ("src/microveil/core", ("tests/core", "tests/run", "tests/plan", "tests/test_reproducible.py")),
    ("src/microveil/run", ("tests/run", "tests/plan", "tests/data", "tests/frozen/test_marks.py")),
    ("src/microveil/io", ("tests/io", "tests/fuzz", "tests/run", "tests/plan/test_log.py")),
)
_LEFT_OUT = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".hypothesis", "build", "dist")


@dataclass(frozen=True)
class Result:
    """What became of a fault."""

    mutant: Mutant
    killed: bool
    how: str
    source: bytes  # of the file without the fault, as it was when the copy was made


def asked_about(file: str, root: Path) -> tuple[str, ...]:
    """The tests that are asked about a file, of those that exist."""
    named = next((tests for prefix, tests in TESTS if file.startswith(prefix)), ())
    return tuple(test for test in named if (root / test).exists())


def argued(root: Path) -> set[tuple[str, str | None, str]]:
    """The survivors that nobody could notice, by file and line without and with the fault; each needs its reason."""
    path = root / SURVIVORS
    entries = tomllib.loads(path.read_text()).get("survivor", []) if path.exists() else []
    for entry in entries:
        if not str(entry.get("reason", "")).strip():
            raise SystemExit(f"{SURVIVORS}: the survivor {entry} has no reason; say why no test can notice it")
    return {(entry["file"], entry.get("was"), entry["line"]) for entry in entries}


def draw(root: Path, folders: list[str], number: int, seed: int) -> list[Mutant]:
    """Some faults of all that could be planted where tests are stated, the same for the same seed."""
    possible = [mutant for mutant in mutants_in(root, folders) if asked_about(mutant.file, root)]
    known = argued(root)
    possible = [mutant for mutant in possible if not _is_argued(mutant, root, known)]
    chosen = random.Random(seed).sample(possible, min(number, len(possible)))
    return sorted(chosen, key=lambda mutant: (mutant.file, mutant.start))


def drawn_before(root: Path, folders: list[str], file: Path) -> list[Mutant]:
    """The faults that another state of the tree was asked about, as far as their lines are still there."""
    wanted = {tuple(entry) for entry in json.loads(file.read_text())}
    found: dict[tuple[str, ...], Mutant] = {}
    for mutant in mutants_in(root, folders):
        found.setdefault((mutant.file, *mutant.changed_line((root / mutant.file).read_bytes())), mutant)
    return [mutant for place, mutant in found.items() if place in wanted]


def _is_argued(mutant: Mutant, root: Path, known: set[tuple[str, str | None, str]]) -> bool:
    old, new = mutant.changed_line((root / mutant.file).read_bytes())
    return not known.isdisjoint({(mutant.file, old, new), (mutant.file, None, new)})


class Copy:
    """A copy of the tree in which faults are planted and removed again."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.origin = folder / "tree", root
        shutil.copytree(root, self.root, ignore=_LEFT_OUT)

    def test(self, tests: Sequence[str], seconds: float) -> tuple[bool, str]:
        """Whether the tests pass here, and the last line that says so."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "not full", *tests]
        try:
            done = subprocess.run(
                command, cwd=self.root, env=self._surroundings(), capture_output=True, text=True, timeout=seconds
            )
        except subprocess.TimeoutExpired:
            return False, f"no end after {seconds:g} seconds"
        said = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return done.returncode == 0, said[0] if said else f"pytest ended with {done.returncode}"

    def plant(self, mutant: Mutant, seconds: float) -> Result:
        """Plant a fault, ask the tests, remove it."""
        path = self.root / mutant.file
        source, times = path.read_bytes(), path.stat()
        try:
            path.write_bytes(mutant.applied(source))
            passed, how = self.test(asked_about(mutant.file, self.origin), seconds)
        finally:
            path.write_bytes(source)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        return Result(mutant, not passed, how, source)

    def check(self) -> None:
        """Refuse to work where the copy is not what is imported."""
        command = [sys.executable, "-c", "import microveil; print(microveil.__file__)"]
        found = subprocess.run(
            command, cwd=self.root, env=self._surroundings(), capture_output=True, text=True, check=True
        ).stdout.strip()
        if not Path(found).is_relative_to(self.root):
            raise SystemExit(f"the copy in {self.root} is not used: microveil comes from {found}")

    def _surroundings(self) -> dict[str, str]:
        shared = os.environ.get("MICROVEIL_DATA", str(self.origin.parent / "shared"))
        # compiled files of a fault must not outlive it
        ours = {"PYTHONPATH": str(self.root / "src"), "PYTHONDONTWRITEBYTECODE": "1", "MICROVEIL_DATA": shared}
        return {**os.environ, **ours}


def run(root: Path, mutants: Sequence[Mutant], jobs: int, seconds: float) -> Iterator[Result]:
    """Plant the faults, several at a time; the tests must pass without any first."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies: SimpleQueue[Copy] = SimpleQueue()
        for number in range(jobs):
            copies.put(Copy(root, Path(folder) / str(number)))
        first = copies.get()
        first.check()
        for tests in dict.fromkeys(asked_about(mutant.file, root) for mutant in mutants):
            passed, how = first.test(tests, 10 * seconds)
            if not passed:
                raise SystemExit(f"the tests {' '.join(tests)} fail without any fault: {how}")
        copies.put(first)

        def one(mutant: Mutant) -> Result:
            mine = copies.get()
            try:
                return mine.plant(mutant, seconds)
            finally:
                copies.put(mine)

        with ThreadPoolExecutor(jobs) as pool:
            yield from pool.map(one, mutants)


def told(result: Result) -> str:
    """A line on a fault that was noticed, and a difference for one that was not."""
    mutant = result.mutant
    place = f"{mutant.file}:{mutant.line}"
    if result.killed:
        return f"killed    {place} {mutant.what} ({result.how})"
    sides = (result.source, mutant.applied(result.source))
    before, after = (text.decode().splitlines() for text in sides)
    difference = "\n".join([*difflib.unified_diff(before, after, lineterm="", n=0)][2:])
    return f"SURVIVED  {place} {mutant.what}\n{difference}"


def main(words: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Plant faults and print what became of them; 1 if any survived."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="*", default=FOLDERS, help="folders or files in which faults are planted")
    parser.add_argument("-n", type=int, default=60, help="how many faults (60)")
    parser.add_argument("-j", type=int, default=1, choices=(1, 2), help="how many at a time (1)")
    parser.add_argument("--seed", type=int, default=1, help="which ones are drawn (1)")
    parser.add_argument("--drawn", type=Path, help="a file of faults: written, or asked about again where it exists")
    parser.add_argument("--seconds", type=float, default=120, help="how long tests may take for one fault (120)")
    chosen = parser.parse_args(words)
    folders = chosen.folders or FOLDERS
    if chosen.drawn and chosen.drawn.exists():
        mutants = drawn_before(root, folders, chosen.drawn)
    else:
        mutants = draw(root, folders, chosen.n, chosen.seed)
    if chosen.drawn and not chosen.drawn.exists():
        places = [(one.file, *one.changed_line((root / one.file).read_bytes())) for one in mutants]
        chosen.drawn.write_text(json.dumps(places, indent=1))
    survived = 0
    for result in run(root, mutants, chosen.j, chosen.seconds):
        survived += not result.killed
        print(told(result), flush=True)
    print(f"{len(mutants) - survived} of {len(mutants)} faults were noticed (seed {chosen.seed}); {survived} survived")
    return int(survived > 0)


if __name__ == "__main__":
    sys.exit(main())
