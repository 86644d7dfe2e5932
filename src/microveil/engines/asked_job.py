"""A job without records, for a method that learns from a file in blocks: what it gathers is asked for by passes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from microveil.core.errors import BadInput
from microveil.data.table import Table, Values
from microveil.engines.asking import Ask, Question
from microveil.run.job import Job
from microveil.run.parts import Part, Ran, Run
from microveil.run.state import Doing, Path


def header(head: Doing, rows: int) -> Table:
    """Names, kinds and levels of the columns, and how many records there are; no record."""
    return Table({name: _empty(values) for name, values in head.table.columns.items()}, rows)


def _empty(values: Values) -> Values:
    return values.take(slice(0, 0))


def path_of(head: Doing, label: str) -> Path:
    """The path of the streams of a subdomain."""
    return (*head.job.streams.path, *((label,) if label else ()))


def job_of(head: Doing, label: str, ask: Ask, ends: Mapping[str, tuple[float, float]] | None = None) -> Job:
    """The job of a subdomain, whose engine asks for what is gathered; `ends` of columns are known."""
    streams = head.job.streams.at(label) if label else head.job.streams
    return replace(head.job, streams=streams, engine=Asking(ask), ends=ends or {})


@dataclass(frozen=True)
class Asking:
    """An engine that has no records and asks for what is gathered of them."""

    ask: Ask

    def gather(self, table: Table, job: Job, of: Question) -> Any:
        """The answer, once a pass was made for it."""
        return self.ask(of)

    def map(self, parts: Iterable[Part], run: Run, rows: int) -> list[Ran]:
        """No part is here to be run."""
        raise BadInput("a method that learns from a file in blocks may gather and no more")

    def split(self, rows: int) -> Iterable[slice]:
        """No row is here to be split."""
        raise BadInput("a method that learns from a file in blocks may gather and no more")
