"""Families of columns that identify nobody by themselves: amounts, codes, categories, days of a survey."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import numpy as np

from tests.detect.columns import Draw, Family
from tests.detect.columns_that_identify import DAYS, one_of
from tests.detect.held_out_words import THINGS, TOWN_ENDS, TOWN_HEADS

COMMENTS = (
    *("nothing to add to the form", "the parcel arrived far too late"),
    *("asked to be called back later", "did not want to answer this"),
)
DIAGNOSES = tuple(f"{a}{b}.{c}" for a in "ABFGM" for b in (12, 33, 51) for c in (1, 8))
ACTIVITIES = tuple(f"{a}.{b}" for a in range(10, 40) for b in (12, 31))


def some(*values: Any) -> Callable[[Draw, int], Any]:
    return lambda draw, n: draw.choice(values, n).tolist()


def survey_days(draw: Draw, n: int) -> list[str]:
    shape, first = one_of(draw, DAYS), date(2019, 1, 1)
    return [(first + timedelta(days=int(days))).strftime(shape) for days in draw.integers(0, 4 * 365, n)]


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
    Family("activity code", False, ("nace", "WZ08"), some(*ACTIVITIES)),
    Family("day of a survey", False, ("interview_date", "Erhebungstag", "fecha_visita"), survey_days),
    Family("product", False, ("product", "Artikel", "item"), products),
    Family("town", False, ("town", "Ort", "municipio"), towns),
    Family("comment of few values", False, ("comment", "Kommentar", "resultado"), some(*COMMENTS)),
    Family("time of day", False, ("arrival", "Uhrzeit"), times),
)
