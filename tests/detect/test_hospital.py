"""Nothing that identifies leaves a hospital file, by any method or format, unless somebody said so."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import MicroveilError
from microveil.core.registry import registered
from microveil.detect import UnstatedRoles
from microveil.plan.catalogue import example_of
from microveil.run import Method
from tests.detect.hospital import CANARIES, IDENTIFYING, LANGUAGES, OTHERS, hospital
from tests.io.frames import all_bytes
from tests.marks import ANY_FILE

# each with the language of the column names that it is written with in make test
ENDINGS = {
    "csv": "English",
    "feather": "English",
    "parquet": "German",
    "xlsx": "German",
    "sav": "Spanish",
    "dta": "Spanish",
}
METHODS_AT_LEAST = 40  # that can run on such a file; fewer would mean that the tests look at nothing


def identifying(language: str) -> set[str]:
    return {names[LANGUAGES[language]] for names in IDENTIFYING.values()}


def methods() -> list[Method]:
    found = (example_of(cls) for cls in registered(Method))
    return [method for method in found if isinstance(method, Method)]


def release_of(method: Method, data: mv.Microdata) -> mv.Release | None:
    """The release of a method on its own choice of columns; None where the file does not fit it."""
    try:
        return method.apply(data, given=[] if method.conditions else None, seed=1)
    except MicroveilError:
        return None


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_columns_that_identify_are_found_whatever_their_language(language: str) -> None:
    roles = mv.inspect(hospital(language)).roles
    assert {name for name, role in roles.items() if role == "identifier"} == identifying(language)
    place = LANGUAGES[language]
    assert {roles[OTHERS[what][place]] for what in ("diagnosis", "hiv", "cost")} == {"confidential"}
    assert {roles[OTHERS[what][place]] for what in ("age", "sex", "ward", "admitted")} == {"key"}


@pytest.mark.full  # the common suite asks every method not to use identifiers
@ANY_FILE
def test_no_method_writes_what_identifies(tmp_path: Path) -> None:
    proposed = mv.inspect(hospital("English")).data
    ran = 0
    for method in methods():
        out = tmp_path / f"{method.name}.csv"
        release = release_of(method, proposed)
        if release is not None and not release.exposed:
            ran += 1
            mv.write(release, out, reproducible=True)
            found = all_bytes(out)
            assert [canary for canary in CANARIES if canary.encode() in found] == [], method.name
            assert not identifying("English") & set(pd.read_csv(out).columns), method.name
    assert ran >= METHODS_AT_LEAST


@pytest.mark.full  # tests below and of the command line show it for some methods
@ANY_FILE
def test_no_method_writes_what_identifies_where_nobody_stated_it(tmp_path: Path) -> None:
    """Made whole by a synthesiser, or left as it was: refused unless no value is left at all."""
    unstated = mv.inspect(hospital("English")).data.with_(roles=dict.fromkeys(identifying("English")))
    for method in methods():
        out = tmp_path / f"{method.name}.csv"
        release = release_of(method, unstated)
        if release is None or release.exposed:
            continue
        try:
            mv.write(release, out, reproducible=True)
        except UnstatedRoles:
            assert not out.exists()
            continue
        found = all_bytes(out)
        assert [canary for canary in CANARIES if canary.encode() in found] == [], method.name


@pytest.mark.parametrize(
    ("ending", "language"),
    [
        pytest.param(ending, language, marks=() if ENDINGS[ending] == language else pytest.mark.full)
        for ending, language in product(ENDINGS, LANGUAGES)
    ],
)
def test_no_format_holds_what_identifies(tmp_path: Path, language: str, ending: str) -> None:
    frame = hospital(language)
    cost = OTHERS["cost"][LANGUAGES[language]]
    out = tmp_path / f"out.{ending}"
    for data in (frame, mv.Microdata(frame)):
        with pytest.raises(UnstatedRoles) as problem:
            mv.write(mv.mask.UncorrelatedNoise().apply(data, columns=[cost]), out)
        assert set(problem.value.found) == identifying(language)
    assert not list(tmp_path.iterdir())
    mv.write(mv.mask.UncorrelatedNoise().apply(mv.inspect(frame).data, columns=[cost]), out)
    found = all_bytes(out)
    assert b"surgery" in found  # what is released can be seen, so a canary would be
    assert [canary for canary in CANARIES if canary.encode() in found] == []


@pytest.mark.parametrize("method", ["cart", "uncorrelated-noise"])
def test_the_command_line_stops_before_it_writes(tmp_path: Path, run, method: str) -> None:
    hospital("Spanish").to_csv(tmp_path / "h.csv", index=False)
    said = run("protect", tmp_path / "h.csv", "-m", method, "-o", tmp_path / "o.csv", status=2, match="--role correo=")
    assert all(name in said for name in identifying("Spanish"))
    assert "nothing was written" in said
    assert [path.name for path in tmp_path.iterdir()] == ["h.csv"]
