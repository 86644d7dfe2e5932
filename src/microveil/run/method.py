"""Methods: frozen values that turn microdata into a release.

A method implements the hooks of `MethodContract`, above all `run` on arrays. Everything around it (which columns,
which kinds, missing values, subdomains, streams, restoring the user's frame, checking the claims) is done once, in
`microveil.run.state` and `microveil.run.release`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from microveil.core.streams import Key
from microveil.data.microdata import AnyData
from microveil.run.contract import MethodContract, MissingPolicy
from microveil.run.contract import Step as Step
from microveil.run.contract import depends as depends
from microveil.run.job import Job as Job
from microveil.run.job import Outcome as Outcome
from microveil.run.release import Release
from microveil.run.steps import run_steps


@dataclass(frozen=True, kw_only=True)
class Method(MethodContract):
    """Base of all protection methods."""

    def apply(
        self,
        data: AnyData,
        *,
        columns: Sequence[str] | str | None = None,
        given: Sequence[str] | str | None = None,
        by: Sequence[str] | str | None = None,
        seed: int | str | bytes | Key | None = None,
        missing: MissingPolicy = "error",
    ) -> Release:
        """Protect `columns` of the data and return a Release.

        Without `columns`, the confidential columns are protected (all but identifiers and technical
        columns if none has that role). `by` runs the method inside subdomains. `missing` says what
        to do about missing continuous values: "error", "drop" the incomplete records, or "mask" the
        observed cells only. `seed=None` draws a fresh key from the operating system.
        """
        return run_steps(data, [Step(self, columns, given, by, missing)], Key.of(seed))
