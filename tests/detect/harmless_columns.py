"""Families of columns that identify nobody by themselves: amounts, codes, categories, days of a survey."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.detect.columns import Draw, Family
from tests.detect.columns_that_identify import DAYS, days_from
from tests.detect.held_out_words import OCCUPATIONS, THINGS, TOWN_ENDS, TOWN_HEADS

COMMENTS = (
    *("nothing to add to the form", "the parcel arrived far too late"),
    *("asked to be called back later", "did not want to answer this"),
)
DIAGNOSES = tuple(f"{a}{b}.{c}" for a in "ABFGM" for b in (12, 33, 51) for c in (1, 8))
MANY_DIAGNOSES = tuple(f"{a}{b:02d}{c}" for a in "BDGHLOQT" for b in range(1, 98, 4) for c in ("", ".0", ".4", ".9"))
REGIONS = tuple(f"{a}{b}{c}{d}" for a in ("FR", "PL", "IT") for b in "BCFH" for c in range(1, 5) for d in range(1, 6))
SECTIONS = tuple(f"{a}{b}.{c}" for a, b in zip("CFGHIJKLMN", range(21, 31), strict=True) for c in (1, 11, 2, 29, 90))
ACTIVITIES = tuple(f"{a}.{b}" for a in range(10, 40) for b in (12, 31))


def some(*values: Any) -> Callable[[Draw, int], Any]:
    return lambda draw, n: draw.choice(values, n).tolist()


def products(draw: Draw, n: int) -> list[str]:
    first, second = (part.split() for part in THINGS)
    made = [f"{a} {b}" for a in first for b in second]
    return draw.choice(draw.choice(made, 60, False), n).tolist()


def towns(draw: Draw, n: int) -> list[str]:
    made = [f"{a} {b}{c}" for a in TOWN_HEADS for b in ("Oak", "Fern", "River", "Clay") for c in TOWN_ENDS]
    return draw.choice(made[: int(draw.integers(20, 80))], n).tolist()


def times(draw: Draw, n: int) -> list[str]:
    return [f"{minutes // 60:02d}:{minutes % 60:02d}" for minutes in draw.integers(0, 1440, n).tolist()]


def _numbers(name: str, headers: tuple[str, ...], draw: Callable[[Draw, int], Any]) -> Family:
    return Family(name, False, headers, lambda d, n: draw(d, n).tolist())


HARMLESS: tuple[Family, ...] = (
    _numbers("amount with cents", ("price", "Umsatz", "importe"), lambda d, n: d.lognormal(7, 1, n).round(2)),
    _numbers("whole amount", ("turnover", "Betrag", "gasto"), lambda d, n: d.lognormal(9, 1.2, n).round()),
    _numbers("salary", ("gross_pay", "Gehalt", "sueldo"), lambda d, n: d.normal(41_000, 9_000, n).round()),
    _numbers("large amount", ("assets", "Bilanzsumme"), lambda d, n: d.lognormal(15, 1.5, n).round()),
    _numbers("small count", ("children", "Anzahl", "visitas"), lambda d, n: d.poisson(1.4, n)),
    _numbers("score", ("z_score", "Punktzahl"), lambda d, n: d.normal(0, 1, n).round(6)),
    _numbers("temperature", ("temp", "Temperatur"), lambda d, n: d.normal(36.9, 0.5, n).round(1)),
    _numbers("share", ("pct_paid", "Anteil"), lambda d, n: d.random(n).round(4)),
    _numbers("age", ("age", "Alter", "edad"), lambda d, n: d.integers(0, 99, n)),
    _numbers("year", ("start_year", "Baujahr"), lambda d, n: d.integers(1950, 2024, n)),
    _numbers("many codes", ("occupation", "municipio"), lambda d, n: d.choice(np.arange(1000, 1300), n)),
    _numbers("weight of a sample", ("weight", "Gewicht"), lambda d, n: d.uniform(10, 900, n).round(2)),
    Family("code", False, ("sector", "tenure_code", "Branche"), some(11, 12, 20, 31, 32, 47, 56)),
    Family("flag", False, ("valid", "paid", "has_phone", "email_opt_in"), some(0, 1)),
    Family("category", False, ("colour", "Farbe", "estado"), some("yellow", "pale grey", "brown", "mixed")),
    Family("size class", False, ("size_class", "Klasse"), some("0-9", "10-49", "50-249", "250+")),
    Family("range of amounts", False, ("band", "tramo"), some("1000-1999", "2000-2999", "3000-4999", "5000-9999")),
    Family("diagnosis code", False, ("icd10", "Diagnose"), some(*DIAGNOSES)),
    Family("one of many diagnosis codes", False, ("icd10", "Diagnose"), some(*MANY_DIAGNOSES)),
    Family("region code", False, ("nuts3", "region", "Kreis"), some(*REGIONS)),
    Family("activity code with its section", False, ("nace", "WZ08"), some(*SECTIONS)),
    Family("occupation", False, ("occupation", "job", "Beruf"), some(*OCCUPATIONS)),
    _numbers("measurement with 4 decimals", ("hct", "serum_iron"), lambda d, n: d.normal(44, 2, n).round(4)),
    _numbers("even amount of 5 digits", ("budget", "Betrag"), lambda d, n: d.integers(10_000, 100_000, n)),
    _numbers("exact amount of 6 digits", ("budget", "Summe"), lambda d, n: d.normal(480_000, 80_000, n).round()),
    Family("activity code", False, ("nace", "WZ08"), some(*ACTIVITIES)),
    Family("day of a survey", False, ("interview_date", "Erhebungstag", "fecha_visita"), days_from(2019, 4, DAYS)),
    Family("day of a stay within a year", False, ("admission_date", "Aufnahmetag"), days_from(2022, 1, DAYS)),
    Family("product", False, ("product", "Artikel", "item"), products),
    Family("town", False, ("town", "Ort", "municipio"), towns),
    Family("comment of few values", False, ("comment", "Kommentar", "resultado"), some(*COMMENTS)),
    Family("time of day", False, ("arrival", "Uhrzeit"), times),
)
