"""Reference files as standardised or raw matrices."""

from __future__ import annotations

import csv

import numpy as np

from microveil.reproduce.eia import ATTRIBUTES
from tests.conftest import shared_file

AMOUNTS = list(ATTRIBUTES)
EIA_COLUMNS = ("UTILITYID", *AMOUNTS)


def read(name, columns=None):
    with shared_file("data", f"{name}.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    return np.array([[float(row[column]) for column in columns or rows[0]] for row in rows])
