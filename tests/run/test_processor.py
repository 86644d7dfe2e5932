"""What depends on the processor says so: in the method, in the private log, and where another gives other numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.core.errors import BrokenPromise
from microveil.run.log import check_log, log_of, rerun, seal_of
from microveil.run.processor import depends_on_processor, describe_processor, tell_other_processor

DRAW = np.random.default_rng(1)
FRAME = pa.table({name: DRAW.normal(size=60) for name in ("x", "y", "z")})


def test_a_method_inside_another_counts() -> None:
    models = mv.synth.SequentialRegression()
    assert depends_on_processor(models)
    assert depends_on_processor(mv.hybrid.MicroHybrid(synthesiser=models))
    assert not depends_on_processor(mv.hybrid.MicroHybrid())
    assert depends_on_processor(mv.hybrid.Combine(synthesiser=models))
    assert depends_on_processor(mv.mask.Microaggregation(partition=mv.partition.Mixture()))
    assert depends_on_processor(mv.synth.MultipleImputation())
    assert depends_on_processor(mv.synth.MultipleImputation(model=mv.synth.Cart()))
    assert not depends_on_processor(mv.mask.UncorrelatedNoise())


def test_the_catalogue_says_it() -> None:
    words = "What it gives may depend on the processor"
    assert words in repr(mv.methods("sequential-regression"))
    assert words not in repr(mv.methods("uncorrelated-noise"))


def test_the_log_names_the_processor_where_it_matters() -> None:
    log = log_of(mv.synth.SequentialRegression().apply(FRAME, seed=1))
    assert log["processor"] == describe_processor()
    assert set(log["processor"]) == {"machine", "system", "instructions", "linear algebra", "kernels"}
    assert check_log(log, "the log") == log
    assert "processor" not in log_of(mv.mask.UncorrelatedNoise().apply(FRAME, seed=1))


def test_nothing_of_the_log_names_the_machine() -> None:
    import getpass
    import platform
    import sys

    told = repr(describe_processor())
    assert platform.node() not in told
    assert getpass.getuser() not in told
    assert sys.prefix not in told


def other_log(**changed: Any) -> dict[str, Any]:
    """A log whose release is another one, as if it had been made elsewhere."""
    log = log_of(mv.synth.SequentialRegression().apply(FRAME, seed=1))
    log["released"] = {**log["released"], "fingerprint": "another"}
    log["processor"] = {**log["processor"], **changed}
    return {**log, "seal": seal_of(log)}


def test_other_numbers_on_another_processor_are_explained() -> None:
    with pytest.raises(
        BrokenPromise,
        match=r"What sequential-regression gives may depend on the processor, and the log was made on another one "
        r"\(machine riscv, here .*; sets of instructions A B, here .*\); run it on a processor like that$",
    ):
        rerun(other_log(machine="riscv", instructions=["A", "B"]), FRAME)


def test_on_the_same_processor_something_else_is_wrong() -> None:
    with pytest.raises(BrokenPromise, match=r"with other versions \(none differ\)$"):
        rerun(other_log(), FRAME)


def test_kernels_that_were_chosen_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)  # some machines choose kernels for everybody
    logged = describe_processor()
    assert tell_other_processor(logged) == ""
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Nehalem")
    assert tell_other_processor(logged) == "kernels of linear algebra those of the processor, here Nehalem"
