"""Inputs led by the coverage of our own code: python -m tools.fuzz.guided KIND MINUTES.

It needs atheris, which must see our modules being loaded: so nothing but kernels is imported before. What fails is
written to tests/fuzz/corpus, which the tests read from then on. The same numbers are drawn every time, so that a check
that passed passes again; another SEED in the environment draws others.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import pkgutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

CORPUS = Path(__file__).resolve().parents[2] / "tests" / "fuzz" / "corpus"


def _load_kernels() -> None:
    """Load what Numba compiles before anybody watches: it cannot compile what atheris wrote into a function."""
    import microveil.kernels

    for found in pkgutil.walk_packages(microveil.kernels.__path__, "microveil.kernels."):
        importlib.import_module(found.name)


def guided(kind: str, minutes: float) -> None:
    """Run libFuzzer over one kind of input; it stops at the first fault and says which bytes lead there."""
    import atheris

    _load_kernels()
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

        words = [f"-max_total_time={max(1, int(60 * minutes))}", "-timeout=60", "-rss_limit_mb=6000", "-max_len=20000"]
        kept = CORPUS / f"{kind.replace('.', '_')}--"
        words += [f"-artifact_prefix={kept}", f"-seed={os.environ.get('SEED', '1')}", "-verbosity=0"]
        dictionary = ["-only_ascii=1"] if kind == PROJECT else []
        atheris.Setup([sys.argv[0], *words, *dictionary, str(corpus)], try_one)
        print(f"{kind}: {60 * minutes:.0f} s, led by coverage", flush=True)  # it ends the process by itself
        atheris.Fuzz()


if __name__ == "__main__":
    if importlib.util.find_spec("atheris") is None:
        print("atheris is not installed here: no input is led by coverage")
        sys.exit()
    guided(sys.argv[1], float(sys.argv[2]))
