"""Files with rules that every record keeps, for the benchmarks of edits: real ones, and generated ones of any size."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

import microveil as mv

_PARTS = ("residential", "commercial", "industrial", "other")
_CENSUS = (
    "AGI",
    "EMCONTRB",
    "FEDTAX",
    "STATETAX",
    "TAXINC",
    "POTHVAL",
    "INTVAL",
    "PEARNVAL",
    "FICA",
    "WSALVAL",
    "ERNVAL",
)


class RuleFile(NamedTuple):
    """A frame, its amounts, the rules of these, and a column of subdomains."""

    name: str
    frame: pd.DataFrame
    amounts: list[str]
    rules: list[str]
    by: str

    def data(self, integers: str = "keep exact", rules: bool = True) -> mv.Microdata:
        """The amounts and the subdomains; "keep exact": without rounding."""
        return mv.Microdata(
            self.frame[[self.by, *self.amounts]],
            roles=dict.fromkeys(self.amounts, "confidential") | {self.by: "key"},
            kinds=dict.fromkeys(self.amounts, "continuous"),
            edits=self.rules if rules else [],
            integers=integers,
        )


def census() -> RuleFile:
    """Census: nothing is negative, and one total is the sum of two parts. Subdomains: thirds by income tax."""
    frame = mv.datasets.load("census", "pandas")
    frame["third"] = pd.qcut(frame["FEDTAX"], 3, labels=["low", "middle", "high"]).astype(str)
    rules = [f"{name} >= 0" for name in _CENSUS] + ["PTOTVAL == POTHVAL + PEARNVAL"]
    return RuleFile("Census", frame, [*_CENSUS, "PTOTVAL"], rules, "third")


def eia() -> RuleFile:
    """EIA as it is: what inspect proposes as rules that hold in all records."""
    frame = mv.datasets.load("eia", "pandas")
    amounts = list(frame.columns[5:])
    rules = [f"{name} >= 0" for name in ("RESREVENUE", "RESSALES", "OTHRSALES", "TOTREVENUE", "TOTSALES")]
    return RuleFile("EIA", frame, amounts, rules, "STATE")


def eia_corrected() -> RuleFile:
    """EIA with corrections of negative parts left out, and totals added up: nothing is negative, totals are sums."""
    found = eia()
    frame, rules = found.frame.copy(), [f"{name} >= 0" for name in found.amounts]
    for what, other in (("REVENUE", "OTHREVENUE"), ("SALES", "OTHRSALES")):
        parts = [f"RES{what}", f"COM{what}", f"IND{what}", other]
        frame[parts] = frame[parts].clip(lower=0)
        frame[f"TOT{what}"] = frame[parts].sum(axis=1)
        rules.append(f"TOT{what} == {' + '.join(parts)}")
    return RuleFile("EIA, corrected", frame, found.amounts, rules, "STATE")


def thyroid() -> RuleFile:
    """Thyroid: five measurements between bounds. Subdomains: sex."""
    frame = mv.datasets.load("thyroid", "pandas")
    bounds = {"age": (1, 455), "tsh": (0, 500), "t3": (0, 11), "t4u": (0.25, 2.25), "fti": (0, 400)}
    rules = [f"{low} <= {name} <= {high}" for name, (low, high) in bounds.items()]
    frame["sex"] = np.where(frame["male"] == 1, "male", "female")
    return RuleFile("Thyroid", frame, list(bounds), rules, "sex")


def enterprises(records: int = 4_000) -> RuleFile:
    """Generated enterprises with totals added up: ten amounts with zeros and heavy tails."""
    frame = mv.datasets.make_enterprises(records, seed=1, backend="pandas")
    amounts, rules = [], []
    for what in ("revenue", "sales"):
        parts = [f"{part}_{what}" for part in _PARTS]
        frame[f"total_{what}"] = frame[parts].sum(axis=1)
        amounts += [*parts, f"total_{what}"]
        rules += [*(f"{name} >= 0" for name in parts), f"total_{what} == {' + '.join(parts)}"]
    return RuleFile("enterprises", frame, amounts, rules, "region")


def survey(records: int = 4_000) -> RuleFile:
    """Generated persons: four amounts with gaps and many zeros."""
    frame = mv.datasets.make_survey(records, seed=1, backend="pandas")
    amounts = ["income", "expenditure", "wealth", "debts"]
    return RuleFile("survey", frame, amounts, [f"{name} >= 0" for name in amounts], "region")
