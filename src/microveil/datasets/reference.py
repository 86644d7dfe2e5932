"""The public reference files on which the literature compares methods."""

from __future__ import annotations

import os
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from microveil.core.errors import FileProblem, UnknownName
from microveil.data.frames import AnyFrame
from microveil.datasets.frames import check_backend, to_backend

REFERENCE_FILES = {
    "census": "1080 people, 13 income and tax variables; Current Population Survey 1995, CASC project",
    "eia": "4092 monthly reports of electric utilities, revenues and sales; form EIA-826 1996, CASC project",
    "tarragona": "834 companies of the Tarragona area 1995, 13 balance-sheet variables; CASC project",
    "testdata": "4580 people in households, 15 variables; International Household Survey Network",
    "francdat": "8 records with 4 keys and a weight, the worked example of individual risk; CASC project",
    "free1": "4000 people, 34 variables; demonstration file of mu-Argus, CASC project",
    "thyroid": "1947 patients, 5 continuous and 15 dichotomous variables; Quinlan 1987, UCI repository",
}


def load(name: str, backend: str = "pyarrow") -> AnyFrame:
    """A reference file as a plain frame: for reproducing published tables.

    The csv file is looked for in the folder named by the environment variable MICROVEIL_DATA (`../shared`
    when unset) and in its subfolder `data`. The names are the keys of `REFERENCE_FILES`.

    Reference: Brand, Domingo-Ferrer and Mateo-Sanz (2002), Reference data sets to test and compare SDC
    methods for protection of numerical microdata, CASC project.

    >>> load("cencus")
    Traceback (most recent call last):
    microveil.core.errors.UnknownName: no reference file called 'cencus'; the nearest is 'census'
    """
    check_backend(backend)
    if name not in REFERENCE_FILES:
        near = get_close_matches(str(name).lower(), REFERENCE_FILES, n=1, cutoff=0.5)
        hint = f"the nearest is {near[0]!r}" if near else f"there are {list(REFERENCE_FILES)}"
        raise UnknownName(f"no reference file called {name!r}; {hint}")
    return to_backend(_read(_find(name)), backend)


def _find(name: str) -> Path:
    folder = Path(os.environ.get("MICROVEIL_DATA") or "../shared")
    for path in (folder / "data" / f"{name}.csv", folder / f"{name}.csv"):
        if path.is_file():
            return path
    raise FileProblem(
        f"{name}.csv is neither in {folder} nor in {folder / 'data'}; "
        "set the environment variable MICROVEIL_DATA to the folder that holds it"
    )


def _read(path: Path) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    try:
        return csv.read_csv(path)
    except (pa.ArrowInvalid, OSError) as problem:
        raise FileProblem(f"{path} cannot be read as a csv file: {problem}") from problem
