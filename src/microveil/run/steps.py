"""Running steps one after the other on a file, from a key to a release."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from microveil.core.progress import stage
from microveil.core.streams import Key, Streams
from microveil.data.microdata import AnyData, Microdata
from microveil.run.contract import Step
from microveil.run.engine import Engine, LocalEngine
from microveil.run.release import Release
from microveil.run.state import State

Progress = Callable[[str, int, int], None]
Path = tuple[str | int, ...]


def run_steps(
    data: AnyData,
    steps: Sequence[Step],
    key: Key,
    *,
    paths: Sequence[Path] | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
    aside: Mapping[str, Microdata] | None = None,
) -> Release:
    """Run the steps and return the release; every promise is checked, and a broken one is an error.

    `paths` say where the streams of each step begin below the key (by default its number); `engine` runs the parts (in
    memory by default); `aside` holds other files that methods read, by name. `progress` is called before each step; if
    it has a method `within`, that is told from inside slow work which share of the present step is done.
    """
    source = Microdata.of(data)
    state, streams = State.begin(source, aside), Streams(key.for_data(source.mark))
    for number, step in enumerate(steps, start=1):
        path: Path = ("step", number) if paths is None else tuple(paths[number - 1])
        with stage(progress, step.method.name, number, len(steps)):
            state = state.advance(step, streams.at(*path), engine or LocalEngine())
    return Release.finish(state, key)
