"""`make bench`: every engine against its plain version in the same run, and its growth; writes benchmarks/results.md.

`python -m benchmarks --quick` runs the small sizes only; `python -m benchmarks mdav refine` runs some of them. Products
of matrices take one thread: with more, processor time says how many cores there were, and waiting counts as work.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
# read when numpy is loaded, which only the benchmarks do, and handed on to the processes that they start
BLAS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
LIBRARIES = ("numpy", "scipy", "numba", "pyarrow")


def main(words: list[str]) -> None:
    os.environ.update(dict.fromkeys(BLAS, "1"))
    quick = "--quick" in words
    wanted = [word for word in words if not word.startswith("-")]
    names = sorted(path.stem for path in HERE.glob("*.py") if "\ndef run(" in path.read_text(encoding="utf-8"))
    unknown = [name for name in wanted if name not in names]
    if unknown:
        sys.exit(f"no benchmark called {unknown}; there are {names}")
    for name in wanted or names:
        module = importlib.import_module(f"benchmarks.{name}")
        print(f"{name} ...", flush=True)
        title = (module.__doc__ or name).strip().splitlines()[0]
        write_section(name, f"{title}{' (quick)' if quick else ''}", module.run(quick))


def write_section(name: str, title: str, rows: list[dict[str, object]]) -> None:
    """Put the table of one benchmark in place of its last one."""
    sections = _existing()
    sections[name] = f"## {name}\n\n{title}\n\n{_machine()}\n\n{_table(rows)}\n"
    _write(sections)


def _write(sections: dict[str, str]) -> None:
    text = "# Benchmarks\n\nMade by `make bench`. Seconds are CPU time; compare ratios, machines differ.\n\n"
    text += "\n".join(sections[name] for name in sorted(sections))
    (HERE / "results.md").write_text(text, encoding="utf-8")


def _existing() -> dict[str, str]:
    """The sections of the last run, so that running some of the benchmarks keeps the others."""
    path = HERE / "results.md"
    if not path.exists():
        return {}
    parts = path.read_text(encoding="utf-8").split("\n## ")[1:]
    return {part.splitlines()[0]: f"## {part.strip()}\n" for part in parts}


def _machine() -> str:
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {os.environ.get(BLAS[0], 'any number of')} BLAS thread"
    return f"{machine}, Python {platform.python_version()}, {libraries}"


def _table(rows: list[dict[str, object]]) -> str:
    if not rows:
        return "nothing measured"
    heads = list(dict.fromkeys(head for row in rows for head in row))
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(_cell(row.get(head, "")) for head in heads) + " |" for row in rows]
    return "\n".join(lines)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main(sys.argv[1:])
