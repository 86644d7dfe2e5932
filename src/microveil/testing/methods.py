"""The common suite for methods: what every protection method must pass, whatever it does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from microveil.core.errors import BadInput, BrokenPromise, MissingValues
from microveil.data.microdata import Microdata
from microveil.data.schema import TECHNICAL_ROLES
from microveil.run.method import Method
from microveil.run.release import Release
from microveil.testing.attacks import (
    check_guarantee_against_attacks,
    check_guarantee_against_linkage,
    check_ties_record,
)
from microveil.testing.blocks import check_in_blocks
from microveil.testing.declared import check_change, check_coarsens, check_looks_back
from microveil.testing.engines import check_any_engine
from microveil.testing.in_groups import check_in_groups
from microveil.testing.memory import check_memory
from microveil.testing.moments import check_moments
from microveil.testing.passes import check_left_out, check_passes
from microveil.testing.passing import check_every_column_changed, check_unchanged_told
from microveil.testing.replaying import check_replay
from microveil.testing.runs import ROWS, on_frames, run, sample, seen_in_domains, seen_on_sample
from microveil.testing.samples import as_frame, as_microdata, numbers_of, sample_columns, with_gaps
from microveil.testing.two_steps import check_two_steps
from microveil.testing.values import VALUE_CHECKS, check_round_trips, refusal, run_checks
from microveil.testing.written import check_digits, check_written, check_written_formats

Check = Callable[[Any], None]

_OTHER_SEEDS = range(2, 22)
_FEW = (1, 2, 3, 5, 8, 13, 21)  # records: below and above what groups, covariances and regressions need
_SIZES = (99, 100, 101)  # groups of the same size, and those in which one or more records are left over


def check_same_seed_same_release(method: Method) -> None:
    """One key gives one release; another key another one, if anything is drawn."""
    first, data = seen_on_sample(method).release, sample()
    found = numbers_of(first.frame, first.columns)

    def gives_the_same(seed: int) -> bool:
        return numbers_of(run(method, data, seed).frame, first.columns) == found

    assert gives_the_same(1), "one seed, two releases"
    if method.random:
        # one seed may agree by chance: every second record can be drawn in two ways only
        assert not all(map(gives_the_same, _OTHER_SEEDS)), f"{1 + len(_OTHER_SEEDS)} seeds, one release"
    else:
        assert gives_the_same(_OTHER_SEEDS[0]), "the seed matters to a method that draws nothing"


def check_input_untouched(method: Method) -> None:
    """The user's frame is as it was."""
    for backend, (data, frame, arrays, _) in on_frames(method).items():
        for name, array in arrays.items():
            # what is compared with a release later is the array that the method was given
            assert np.array_equal(data.values(name).data, array), f"{backend}: the values of {name} were changed"
        names = data.columns
        assert numbers_of(data.frame, names) == numbers_of(frame, names), f"{backend}: the input was changed"


def check_frame_comes_back(method: Method) -> None:
    """Library, columns, order and types are the user's; columns not acted on are untouched."""
    for backend, (data, *_, release) in on_frames(method).items():
        assert type(release.frame) is type(data.frame)
        before, after = data.narwhal, release.narwhal
        assert list(after.columns) == list(before.columns), f"{backend}: columns or their order changed"
        rows = release.origin
        if (rows < 0).any():
            continue
        kept = [name for name in before.columns if name not in release.columns]
        source, now = numbers_of(data.frame, kept), numbers_of(release.frame, kept)
        for name in kept:
            assert now[name] == [source[name][row] for row in rows], f"{backend}: {name} was not to be touched"
        if not _recodes(release):
            assert after.schema == before.schema, f"{backend}: types changed"
        if backend.startswith("pandas"):
            index = data.narwhal.to_native().index
            assert list(release.narwhal.to_native().index) == [index[row] for row in rows], "the index changed"


def _recodes(release: Release) -> bool:
    return any(release.data.kinds[name] != release.original.kinds[name] for name in release.columns) or any(
        release.narwhal.get_column(name).dtype != release.original.narwhal.get_column(name).dtype
        and release.original.kinds[name] != "continuous"
        for name in release.columns
    )


def check_frames_alike(method: Method) -> None:
    """All frame libraries give the same release."""
    found = {
        backend: numbers_of(seen.release.frame, seen.release.columns) for backend, seen in on_frames(method).items()
    }
    first = next(iter(found.values()))
    for backend, numbers in found.items():
        assert numbers == first, f"{backend} gives other numbers"


def check_missing_values(method: Method) -> None:
    """A gap is refused, left out or left alone, as declared; it never becomes a number."""
    release = seen_on_sample(method).release
    named = [name for name in release.columns if release.original.roles[name] not in TECHNICAL_ROLES]
    continuous = [name for name in named if release.original.kinds[name] == "continuous"]
    data = as_microdata(with_gaps(sample_columns(ROWS), named))
    if continuous:
        message = refusal("a file with missing values", MissingValues, lambda: run(method, data))
        assert continuous[0] in message, f"the message does not name {continuous[0]}"
    dropped = run(method, data, missing="drop")
    for name in continuous:
        assert None not in numbers_of(dropped.frame, [name])[name], f"{name}: an incomplete record was not left out"
    if method.skips_missing:
        masked = run(method, data, missing="mask")
        for name in continuous:
            gaps = [numbers_of(data.frame, [name])[name][row] is None for row in masked.origin]
            now = [value is None for value in numbers_of(masked.frame, [name])[name]]
            assert all(is_gap for was_gap, is_gap in zip(gaps, now, strict=True) if was_gap), (
                f"{name}: a gap became a number"
            )
    elif continuous:
        message = refusal("masking around gaps", MissingValues, lambda: run(method, data, missing="mask"))
        assert "complete" in message


def check_empty_column(method: Method) -> None:
    """A column without any value is released as it is and breaks no promise, or the message says what is lacking."""
    if not method.skips_missing or "continuous" not in method.kinds:
        return
    columns = {**sample_columns(ROWS), "wealth": np.full(ROWS, np.nan)}
    try:
        release = run(method, as_microdata(columns), columns=["income", "wealth", "hours"], missing="mask")
    except BadInput as problem:
        if "'wealth'" in str(problem) or "complete records" in str(problem):
            return
        raise
    assert set(numbers_of(release.frame, ["wealth"])["wealth"]) == {None}, "a column without any value was given some"
    for verdict in release.check():
        assert verdict.holds, str(verdict)


def check_identifiers(method: Method) -> None:
    """No identifier is used: what follows a name gives it away, also where the name itself is left out."""
    data = sample().with_(roles={"age": "identifier", "sex": "identifier"})
    amounts = "continuous" in method.kinds
    columns = ["income", "wealth"] if amounts else ["place"]
    uses: dict[str, dict[str, Any]] = {"by": {"columns": columns, "by": ["sex"]}}
    if "identifier" not in method.default_roles:
        uses["columns"] = {"columns": [*columns, "age" if amounts else "sex"]}
    if method.conditions:
        uses["given"] = {"columns": columns, "given": ["age"]}
    for what, how in uses.items():
        message = refusal(f"an identifier in {what}", BadInput, partial(run, method, data, **how))
        assert "identifier" in message or what in message, f"an identifier in {what} is refused with: {message}"


def check_small_files(method: Method) -> None:
    """From one record up: a release that keeps its promises, or a clear refusal."""
    for n in _FEW:
        try:
            release = run(method, sample(n))
        except BadInput:
            continue
        assert all(verdict.holds for verdict in release.check()), f"n={n}: {release.check()}"


def check_claims(method: Method) -> None:
    """Every claim holds at consecutive sizes, whole numbers kept exact."""
    for n in _SIZES:
        try:
            release = run(method, sample(n, seed=n, integers="keep exact"), seed=n)
        except BrokenPromise as problem:
            raise AssertionError(f"n={n}: {problem}") from problem
        for verdict in release.check():
            assert verdict.holds, f"n={n}: {verdict}"
            assert verdict.exactly, f"n={n}: {verdict} holds only up to rounding, and nothing was rounded"


def check_hard_columns(method: Method) -> None:
    """Claims survive collinear columns, 90 % zeros, huge and shifted values; a constant stays constant."""
    if "continuous" not in method.kinds:
        return
    draw = np.random.default_rng(5)
    x, y = draw.normal(size=ROWS), draw.gamma(1.0, size=ROWS)
    columns = {
        "x": x,
        "total": x + y,
        "y": y,
        "zeros": np.where(draw.random(ROWS) < 0.9, 0.0, y),
        "huge": 1e9 * y,
        "shifted": 1e12 + 1e3 * x,
        "constant": np.full(ROWS, 3000.0),
    }
    frame = as_frame({**columns, "weight": np.ones(ROWS)}, "pyarrow")
    release = run(method, Microdata(frame, roles={"weight": "weight"}), columns=list(columns))
    for verdict in release.check():
        assert verdict.holds, str(verdict)
    if release.data.kinds["constant"] == "continuous":
        assert len(set(numbers_of(release.frame, ["constant"])["constant"])) == 1, (
            "a constant column got several values"
        )


def check_columns_independent(method: Method) -> None:
    """Adding a column moves no other one, and two equal columns do not share their noise."""
    if not method.columns_apart or "continuous" not in method.kinds:
        return
    columns = sample_columns(ROWS)
    frame = as_frame({"a": columns["income"], "b": columns["income"], "c": columns["wealth"]}, "pyarrow")
    both, all_three = run(method, frame, columns=["a", "b"]), run(method, frame, columns=["a", "b", "c"])
    assert numbers_of(both.frame, ["a"]) == numbers_of(all_three.frame, ["a"]), "another column moved this one"
    if method.random:
        found = numbers_of(both.frame, ["a", "b"])
        assert found["a"] != found["b"], "two columns share their noise"


def check_subdomains(method: Method) -> None:
    """Inside subdomains, a method that draws nothing does what it does on each of them alone."""
    data, release = sample(), seen_in_domains(method).release
    assert all(verdict.holds for verdict in release.check())
    if method.random:
        return
    labels, _ = data.domains("region")
    for domain in (0, 1):
        rows = np.flatnonzero(labels == domain)
        alone = run(method, data.with_(data.narwhal[rows.tolist()].to_native()))
        inside = np.flatnonzero(labels[release.origin] == domain)
        together = release.narwhal[inside.tolist()].to_native()
        assert numbers_of(together, alone.columns) == numbers_of(alone.frame, alone.columns)


def check_nothing_secret(method: Method) -> None:
    """Neither the text of a release nor its notes hold the key, or the one that follows from it and the data."""
    release = run(method, sample(), seed=987654321)
    shown = repr(release) + repr(release.key) + " ".join(release.notes)
    assert release.key.hex not in shown
    assert release.streams.key.hex not in shown
    assert "987654321" not in shown


# What a class does whatever its parameters: checked on its example only.
CLASS_CHECKS: tuple[Check, ...] = (
    *VALUE_CHECKS,
    check_input_untouched,
    check_frame_comes_back,
    check_frames_alike,
    check_any_engine,
    check_in_blocks,
    check_identifiers,
    check_nothing_secret,
    check_replay,
    check_written_formats,
    check_two_steps,
    check_looks_back,
    check_memory,
)
# What parameters may change: checked at every grid point.
POINT_CHECKS: tuple[Check, ...] = (
    check_round_trips,
    check_claims,
    check_moments,
    check_same_seed_same_release,
    check_missing_values,
    check_empty_column,
    check_small_files,
    check_hard_columns,
    check_subdomains,
    check_in_groups,
    check_every_column_changed,
    check_unchanged_told,
    check_coarsens,
    check_change,
    check_columns_independent,
    check_passes,
    check_left_out,
    check_written,
    check_digits,
    check_ties_record,
    check_guarantee_against_linkage,
    check_guarantee_against_attacks,
)
METHOD_CHECKS = (*POINT_CHECKS, *CLASS_CHECKS)


def check_method(method: Method) -> None:
    """Run the whole suite on one method; the first failure is raised with the name of its check."""
    run_checks(method, METHOD_CHECKS)
