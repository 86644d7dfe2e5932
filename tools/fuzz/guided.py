"""Inputs led by the coverage of our own code: python -m tools.fuzz.guided KIND MINUTES.

It needs atheris (pip install atheris), which is no dependency, and which must see our modules being loaded: so nothing
of them is imported before.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory


def guided(kind: str, minutes: float) -> None:
    """Run libFuzzer over one kind of input; it stops at the first fault and says which bytes lead there."""
    import atheris

    with atheris.instrument_imports(include=["microveil.io", "microveil.plan", "microveil.hierarchy"]):
        from tools.fuzz.targets import PROJECT, fault_of, input_of

    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "data.csv").write_bytes(input_of("csv", 0))
        corpus = folder / "corpus"
        corpus.mkdir()
        for number in range(200):
            (corpus / str(number)).write_bytes(input_of(kind, number))

        def try_one(content: bytes) -> None:
            fault = fault_of(kind, content, folder)
            if fault:
                raise RuntimeError(fault)

        words = [f"-max_total_time={int(60 * minutes)}", "-timeout=60", "-rss_limit_mb=6000", "-max_len=20000"]
        dictionary = ["-only_ascii=1"] if kind == PROJECT else []
        atheris.Setup([sys.argv[0], *words, *dictionary, str(corpus)], try_one)
        started = time.monotonic()
        try:
            atheris.Fuzz()
        finally:
            print(f"{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    guided(sys.argv[1], float(sys.argv[2]))
