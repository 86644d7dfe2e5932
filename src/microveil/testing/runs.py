"""Releases for the common suite to look at: small files, one seed, made once where several checks look at the same."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import deepcopy
from functools import lru_cache
from typing import Any, NamedTuple

from microveil.core.arrays import AnyArray
from microveil.core.errors import NothingHidden
from microveil.core.streams import Key, Streams
from microveil.data.microdata import Microdata
from microveil.run.contract import Step
from microveil.run.method import Method
from microveil.run.release import Release
from microveil.run.restoring import restore
from microveil.run.state import State
from microveil.run.steps import run_steps
from microveil.testing.samples import as_microdata, backends, sample_columns

ROWS = 160
DOMAIN = "region"


class Seen(NamedTuple):
    """A release, and what its run warned about."""

    release: Release
    warned: tuple[str, ...]


def run(method: Method, data: Any, seed: int = 1, **how: Any) -> Release:
    """Apply a method without the warning about unchanged data (small files may stay as they are)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingHidden)
        return method.apply(data, seed=seed, **how)


def run_all(data: Any, steps: Sequence[Step], seed: int = 1) -> Release:
    """Run several steps, without that warning either."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingHidden)
        return run_steps(data, steps, Key.of(seed))


def run_unchecked(data: Any, steps: Sequence[Step], seed: int = 1) -> Release:
    """The same release without any check of its promises: to see whether a refusal was right."""
    source, key = Microdata.of(data), Key.of(seed)
    state, streams = State.begin(source), Streams(key.for_data(source.mark))
    for number, step in enumerate(steps, start=1):
        state = state.advance(step, streams.at("step", number))
    return Release(state, restore(state), key)


def sample(n: int = ROWS, seed: int = 0, **how: Any) -> Microdata:
    """Microdata whose confidential columns are of every kind."""
    columns = sample_columns(n, seed)
    return as_microdata(columns, **how)


def see(method: Method, data: Any, **how: Any) -> Seen:
    """Apply a method and keep what it warned about."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        release = method.apply(data, **{"seed": 1, **how})
    return Seen(release, tuple(str(one.message) for one in caught))


@lru_cache(maxsize=1)
def seen_on_sample(method: Method) -> Seen:
    """The release of the sample under one seed: nearly every check looks at it."""
    return see(method, sample())


class OnFrame(NamedTuple):
    """The sample as a frame of one library, copies of it from before the run, and its release."""

    data: Microdata
    frame: Any
    arrays: dict[str, AnyArray]
    release: Release


@lru_cache(maxsize=1)
def on_frames(method: Method) -> dict[str, OnFrame]:
    """The release of the sample by each frame library."""
    found = {}
    for backend in backends():
        data = sample(backend=backend)
        frame, arrays = deepcopy(data.frame), {name: data.values(name).data.copy() for name in data.columns}
        found[backend] = OnFrame(data, frame, arrays, run(method, data))
    return found


@lru_cache(maxsize=1)
def seen_in_domains(method: Method) -> Seen:
    """The same inside two subdomains."""
    return see(method, sample(), by=DOMAIN)
