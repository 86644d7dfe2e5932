"""What tamper cases share: their list, packages to tamper with, and what is kept of an answer."""

from __future__ import annotations

import atexit
import contextlib
import io
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

import microveil as mv

TODAY = date(2026, 11, 16)
KEY = "aae24849842d7082b66f57ce8270bd04da2c39ffb97df22803c270983032c4e5"
FORMATS = ("csv", "parquet", "feather", "spss", "stata", "xlsx")
CASES: dict[str, Callable[[Path], Any]] = {}
_FILE = re.compile(
    r"[\w.-]*\w\.(?:csv\.gz|csv|parquet|feather|sav|zsav|dta|xlsx|txt|xml|html|jsonl\.head|jsonl|json|bin|gz|zip|md|pdf|7z)\b"
)
_COLUMN = re.compile(r"(?<!\w)'(\w+)'(?!\w)")


def case(name: str, *given: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a function under a name; it gets an empty folder and what is given, and returns the answer."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        if name in CASES:
            raise ValueError(f"two cases are called {name!r}")
        CASES[name] = lambda folder: function(folder, *given)
        return function

    return enter


def each(name: str, given: Iterable[Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a function once for each of these, which are tuples that begin with the end of the name."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        for one in given:
            called, *rest = one if isinstance(one, tuple) else (one, one)
            case(f"{name}: {called}", *rest)(function)
        return function

    return enter


# -- what is kept of an answer ---------------------------------------------------------------------------


def answer(made: Any) -> Any:
    """Return what is kept of an answer: the outcome, and of each finding its check, and the file and columns named."""
    if isinstance(made, list):
        return _facts(made, any(one.state == "broken" for one in made), False)
    if hasattr(made, "findings"):
        return _facts(made.findings, bool(made.broken), bool(made.undecided))
    return made


def _facts(findings: Iterable[Any], is_broken: bool, is_open: bool) -> dict[str, Any]:
    told: dict[str, list[str]] = {"broken": [], "undecided": []}
    checks: dict[str, Counter[str]] = {}
    for one in findings:
        checks.setdefault(one.state, Counter())[one.check] += 1
        if one.state in told:
            files, columns = dict.fromkeys(_FILE.findall(one.text)), dict.fromkeys(_COLUMN.findall(one.text))
            told[one.state].append(" ".join([one.check, *files, *(f"'{name}'" for name in columns)]))
    others = {state: " ".join(sorted(counted)) for state, counted in checks.items() if state not in told}
    outcome = "failed" if is_broken else "undecided" if is_open else "passed"
    return {"outcome": outcome, **{state: sorted(lines) for state, lines in told.items() if lines}, **others}


def audit(path: Path, **known: Any) -> Any:
    """Audit as of a fixed day."""
    return mv.package.audit(path, **{"today": TODAY, **known})


def beside(folder: Path, name: str, original: str = "firms.csv") -> Any:
    """Audit a file with the project of its folder, and the original there."""
    return audit(folder / name, project=folder / "project.yaml", original=folder / original)


def command(*words: object) -> dict[str, Any]:
    """Run a command of microveil; return its exit status, and how many lines say that something is broken."""
    from microveil.cli import main

    shown, told = io.StringIO(), io.StringIO()
    status: Any = 0
    said = mock.patch.object(sys, "argv", ["microveil", *map(str, words)])
    with said, contextlib.redirect_stdout(shown), contextlib.redirect_stderr(told):
        try:
            main()
        except SystemExit as end:
            status = end.code or 0
    lines = shown.getvalue().splitlines()
    return {"status": status, "broken": sum(line.startswith("BROKEN") for line in lines)}


# -- files and packages, each made once -----------------------------------------------------------------


@cache
def kept_folder() -> Path:
    """A folder for what is made once, until the process ends."""
    place = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, place, True)
    return Path(place)


def signer(number: int) -> Any:
    """A key that signs, the same in every process."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return mv.certify.PrivateKey(Ed25519PrivateKey.from_private_bytes(bytes([number] * 32)))


FACTS: dict[str, Any] = {
    "roles": {
        "name": "identifier",
        "home": "household",
        "sex": "key",
        "region": "key",
        "income": "confidential",
        "weight": "weight",
    },
    "kinds": {"sex": "nominal", "region": "nominal"},
}
LABELS: dict[str, Any] = {
    "labels": {"sex": {1: "men", 2: "women", 9: "unknown"}},
    "titles": {"income": "Income per month"},
}


@cache
def survey_file() -> Path:
    """A file of people with two keys, an income, a weight and a household; no name is released."""
    rng = np.random.default_rng(3)
    sex = rng.integers(1, 3, size=120)
    region = np.array(["north", "south", "east"])[rng.integers(0, 3, size=120)].astype(object)
    region[:4] = None
    table = pa.table(
        {
            "name": [f"canary-{place:04d}" for place in range(120)],
            "home": np.repeat(np.arange(60), 2),
            "sex": sex,
            "region": pa.array(region),
            "income": np.round(rng.gamma(2.0, 1300.0, size=120), 2),
            "weight": np.round(rng.uniform(5, 9, size=120), 1),
        }
    )
    path = kept_folder() / "secret-survey.parquet"
    pyarrow.parquet.write_table(table, path)
    return path


def released(seed: str = KEY) -> Any:
    """Incomes of five like one another; keys and weights as they are."""
    data = mv.read(survey_file(), **FACTS, **LABELS, edits=["income >= 0"])
    return mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)).apply(data, columns=["income"], seed=seed)


@cache
def _run(name: str, formats: tuple[str, ...], limited: bool) -> Path:
    release = released()
    scenario = mv.risk.Scenario("neighbour", ("sex",), thresholds={"risk": 0.2})
    scenarios = [scenario] if limited else []
    figures = mv.evaluate(release.original, release, measures=["pil"], scenarios=scenarios)
    place = kept_folder() / name
    said = {"review": "2027-06-30"} if limited else {}
    mv.package.write_package(
        release, place, formats, evaluation=figures, scenarios=scenarios, date="2026-11-16", reproducible=True, **said
    )
    return place


def run_of_all_formats(folder: Path) -> Path:
    """A copy of a run whose package has every format and keeps a stated limit."""
    return Path(shutil.copytree(_run("all", FORMATS, True), folder / "0001"))


def small_run(folder: Path) -> Path:
    """A copy of a run whose package has a CSV file."""
    return Path(shutil.copytree(_run("small", ("csv",), False), folder / "0001"))


@cache
def _signed() -> Path:
    place = kept_folder() / "signed"
    shutil.copytree(_run("all", FORMATS, True) / "package", place)
    mv.certify.sign_folder(place, signer(1))
    mv.certify.sign_folder(place, signer(2))
    return place


def signed_package(folder: Path) -> Path:
    """A copy of a package that two people signed."""
    return Path(shutil.copytree(_signed(), folder / "package"))


def certified_anew(folder: Path, **said: object) -> Any:
    """Write the certificate of a folder as a dishonest producer would: of the files as they are now."""
    old = mv.certify.read_certificate(folder).statement
    names = [one.name for one in sorted(folder.iterdir()) if one.name != mv.certify.CERTIFICATE]
    kind = old.predicate_type
    statement = mv.certify.Statement.of_files(folder, names, {**old.predicate, **said}, kind)
    (folder / mv.certify.CERTIFICATE).write_bytes(statement.to_bytes())
    return statement


def restated(folder: Path, **said: object) -> Any:
    """Write a certificate that says something else of the same files."""
    old = mv.certify.read_certificate(folder).statement
    statement = mv.certify.Statement(old.subjects, {**old.predicate, **said}, old.predicate_type)
    mv.certify.write_certificate(folder, statement)
    return statement


def frame(rows: int = 40) -> pd.DataFrame:
    """Records in an order that says nothing."""
    pay = [(37 * place * place + 11) % 101 + 0.5 for place in range(rows)]
    return pd.DataFrame({"sex": [1, 2, 2, 1] * (rows // 4), "pay": pay})


def rows_turned(path: Path) -> None:
    """Write the records of a text file the other way round."""
    rows = path.read_text().splitlines()
    path.write_text("\n".join([rows[0], *reversed(rows[1:])]) + "\n")


def made_by_plan(folder: Path, ending: str = "csv") -> Path:
    """Write what the plan of `project.yaml` makes of its data; the same in every run."""
    project = mv.plan.Project.load(folder / "project.yaml")
    release = project.plan.run(project.read(folder), seed=KEY)
    path = folder / f"made.{ending}"
    mv.write(release, path, reproducible=True)
    return path
