"""What a release promises, checked again on the values as they will stand in a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from microveil.claims import Claim
from microveil.core.errors import BrokenPromise
from microveil.core.numbers import format_number
from microveil.run import Release


def check_promises(
    release: Release,
    columns: Mapping[str, object],
    half_units: Mapping[str, float],
    problem: str,
    advice: str,
    concerned: Callable[[Claim], bool] | None = None,
) -> list[str]:
    """The promises concerned on the release with some columns replaced; notes on those that hold up to rounding only.

    A broken one is an error that begins with the `problem` and ends with the `advice`.
    """
    import narwhals as nw

    backend = release.narwhal.implementation
    series = {name: nw.new_series(name, values, backend=backend) for name, values in columns.items()}
    if backend.is_pandas_like():
        labels = release.narwhal.to_native().index
        series = {
            name: nw.from_native(one.to_native().set_axis(labels), series_only=True) for name, one in series.items()
        }
    checked = release.rounded(series, half_units)
    verdicts = [verdict for verdict in checked.check() if concerned is None or concerned(verdict.claim)]
    broken = [verdict for verdict in verdicts if not verdict.holds]
    if broken:
        raise BrokenPromise(f"{problem}: {'; '.join(map(str, broken))}; {advice}")
    return [
        f"in the file, rounding moves this by up to {format_number(verdict.largest, 2)}"
        f"{' standard deviations' * verdict.claim.in_spreads}: {verdict.claim}"
        for verdict in verdicts
        if not verdict.exactly and set(verdict.claim.columns) & set(half_units)
    ]
