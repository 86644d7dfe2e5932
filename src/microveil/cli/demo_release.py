"""The whole way from a raw file to a signed package, on generated data: every command is shown before it runs."""

from __future__ import annotations

import secrets
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from microveil.cli.console import out
from microveil.core.errors import BadInput

Do = Callable[[Sequence[str], Path], None]  # runs one command in a folder
_KEY, _PASSPHRASE = "jane.key", "passphrase.txt"

_SECTIONS = """
utility:
- {{name: {mean}, statistic: mean, of: {amount}, tolerance: {tolerance}}}
- {{name: {counts}, table: [{groups}], tolerance: 0.02}}
- {{name: {equation}, regression: {formula}, overlap: 0.8}}

release:
  title: {title}
  kind: {kind}
  need: {need}
  formats: [csv, {format}]
  review: 2099-06-30
  signers: ["Jane Doe, data protector"]
"""


@dataclass(frozen=True)
class Walk:
    """One file with what is added to its project before it is run."""

    name: str
    what: str
    stated: Mapping[str, str | float]

    @property
    def sections(self) -> str:
        """The figures that must survive, and what the release is to be."""
        return _SECTIONS.format(**self.stated)

    @property
    def file(self) -> str:
        """The raw file."""
        return f"{self.name}.csv"

    def write(self, folder: Path, records: int) -> None:
        """Generate the raw file."""
        from pyarrow.csv import write_csv

        from microveil.cli.demo_data import demo_data
        from microveil.datasets import make_survey

        table = make_survey(records, seed="demo") if self.name == "survey" else demo_data(records).frame
        write_csv(table, folder / self.file)


WALKS = (
    Walk(
        "survey",
        "people in households",
        {
            "mean": "mean income",
            "amount": "income",
            "tolerance": 0.1,
            "counts": "people by region",
            "groups": "region",
            "equation": "spending equation",
            "formula": "expenditure ~ income",
            "title": "Household survey",
            "kind": "scientific",
            "need": "Research on incomes and spending, under contract.",
            "format": "parquet",
        },
    ),
    Walk(
        "enterprises",
        "enterprises whose parts add up to totals",
        {
            "mean": "mean revenue",
            "amount": "total_revenue",
            "tolerance": 0.001,
            "counts": "enterprises by sector",
            "groups": "sector",
            "equation": "revenue equation",
            "formula": "total_revenue ~ total_sales",
            "title": "Enterprise survey",
            "kind": "public",
            "need": "Statistics of enterprises, for everybody.",
            "format": "xlsx",
        },
    ),
)


def show_release(folder: Path, records: int, do: Do | None = None) -> None:
    """Carry both files to signed packages in folders of their own; the first command that fails ends it."""
    from microveil.certify.keys import require_signing

    require_signing()
    for walk in WALKS:
        place = folder / walk.name
        place.mkdir(parents=True)
        _walk(walk, place, records, do or _run)
    out.print("What came of it:", markup=False)
    for walk in WALKS:
        runs = folder / walk.name / "runs" / "0001"
        out.print(f"  {runs / 'package'}: data, codebook, report and certificate, to give away", markup=False)
        out.print(f"  {runs / 'internal' / 'report.html'}: the full report, which stays", markup=False)


def _walk(walk: Walk, place: Path, records: int, do: Do) -> None:
    walk.write(place, records)
    _say(f"{walk.file}: {records} {walk.what}, generated.")
    passphrase = place / _PASSPHRASE
    passphrase.touch(mode=0o600)
    passphrase.write_text(f"{secrets.token_urlsafe(24)}\n", encoding="utf-8")
    do(["inspect", walk.file, "--schema", "project.schema.json"], place)
    _say("Into project.yaml come the figures that must survive, and what the release is to be:")
    out.print(walk.sections.strip(), markup=False)
    with (place / "project.yaml").open("a", encoding="utf-8") as project:
        project.write(walk.sections)
    do(["run", "project.yaml"], place)
    secret = ["--passphrase-file", _PASSPHRASE]
    do(["key", "new", _KEY, "--name", "Jane Doe, data protector", *secret], place)
    do(["sign", "runs/0001/package", "--key", _KEY, *secret], place)
    do(["audit", "runs/0001/package", "--trust", f"{_KEY}.pub", "--project", "project.yaml"], place)
    do(["history"], place)


def _say(text: str) -> None:
    out.print(f"\n{text}", markup=False)


def _run(words: Sequence[str], folder: Path) -> None:
    """One command in a process of its own, shown first, as if somebody had typed it in that folder."""
    out.print(f"\n{folder.name}$ {shlex.join(('microveil', *words))}", markup=False, style="bold")
    sys.stdout.flush()
    ended = subprocess.run([sys.executable, "-m", "microveil", *words], cwd=folder, check=False)
    if ended.returncode:
        raise BadInput(f"microveil {words[0]} ended with status {ended.returncode}; what it said stands above")
