"""Generated projects: a small file and the project file about it, both drawn from one number."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tests.frozen._project_methods import METHODS, Columns, some

FORMATS = ("csv", "parquet", "feather", "sav", "dta", "xlsx")
SCHOOLS = ["none", "low", "middle", "high"]
HIERARCHIES: dict[str, Any] = {
    "region": {
        "north": ["coast", "*"],
        "west": ["coast", "*"],
        "south": ["inland", "*"],
        "east": ["inland", "*"],
    },
    "place": {"prefixes": {"lengths": [2, 1]}},
    "age": {"intervals": {"widths": [10, 20]}},
    "job": {"groups": {"levels": [{"hands": ["baker", "smith", "nurse"], "desk": ["clerk", "teacher", "judge"]}]}},
    "school": {"order": {"sizes": [2]}},
    "since": {"dates": {"levels": ["month", "year", "decade"]}},
    "phone": {"redact": {"replaced": [1, 2]}},
}
KINDS = {"sex": "nominal", "region": "nominal", "place": "nominal", "job": "nominal", "phone": "nominal"}
KINDS |= {"school": "ordinal", "health": "ordinal", "age": "continuous", "visits": "continuous"}
AMOUNTS = ["income", "wealth", "rent", "goods", "services", "total"]
WHOLE = ["age", "visits"]
# each method leads a plan five times; those with partitions and models inside more often
LEADS = [*sorted(METHODS), "microaggregation", "lattice", "micro-hybrid", "swap-in-groups", "microaggregation"]
LEADS += ["k-anonymise", "lattice", "micro-hybrid", "local-masking", "microaggregation"]
# methods that draw new records: columns that they neither draw nor keep are empty afterwards
NEW_RECORDS = ("cart", "sequential-regression", "multiple-imputation", "cholesky-synthesis", "gaussian-copula")
NEW_RECORDS += ("latin-hypercube", "smoothed-bootstrap")
RULES = {
    "income": "income >= 0",
    "rent": "rent <= 0.9 * income",
    "total": "total == goods + services",
    "age": "age >= 18",
}
TITLES = {"income": "Income in euros", "sex": "Sex of the person"}


@dataclass(frozen=True)
class Generated:
    """A drawn project: its data by column, the fields of its project file, and the formats of both files."""

    number: int
    data: dict[str, list[Any]]
    fields: dict[str, Any]
    source: str
    target: str
    lead: str

    def save(self, folder: Path) -> Path:
        """Write the data and the project file; JSON is YAML."""
        write_source(self.data, folder / f"source.{self.source}")
        path = folder / "project.yaml"
        path.write_text(json.dumps(self.fields, indent=1, default=str), encoding="utf-8")
        return path


def generated(number: int) -> Generated:
    """Draw the project of a number."""
    draw = Random(f"project {number}")
    rows = draw.randint(60, 240)
    data = _everything(rows, number)
    names = _chosen(draw)
    data = {name: data[name] for name in names}
    lead = LEADS[number % len(LEADS)]
    columns, facts = _facts(draw, names)
    rules = [RULES[name] for name in names if name in RULES and _rule_fits(name, names) and draw.random() < 0.35]
    columns = Columns(**{**columns.__dict__, "rules": rules})
    gaps = _with_gaps(draw, number, data, facts, [name for name in columns.all if not _in_rules(name, rules)])
    steps = [_step(draw, columns, lead, gaps)]
    while len(steps) < 4 and draw.random() < 0.4:
        left = _left_for_later(draw, columns, steps)
        if len(left.amounts) < 1 or len(left.categories) < 1:
            break
        steps.append(_step(draw, left, draw.choice(sorted(METHODS)), gaps))
    plan: dict[str, Any] = {"steps": steps}
    if draw.random() < 0.15:
        plan["integers"] = draw.choice(["round", "keep exact"])
    source, target = draw.choice(FORMATS), draw.choice(FORMATS)
    fields: dict[str, Any] = {
        "version": 2,
        "dataset": {"path": f"source.{source}"},
        "integers": draw.choice(["round", "round", "keep exact"]),
        "columns": facts,
        "constraints": rules,
        "scenarios": _scenarios(draw, columns),
        "plan": plan,
    }
    return Generated(number, data, fields, source, target, lead)


# -- columns ---------------------------------------------------------------------------------------


def _everything(rows: int, number: int) -> dict[str, list[Any]]:
    rng = np.random.default_rng([20261116, number])
    size = rng.normal(0.0, 1.0, rows)
    income = np.round(np.exp(7.0 + 0.5 * size + rng.normal(0.0, 0.3, rows)), 2)
    goods = np.round(rng.gamma(2.0, 150.0, rows) * (rng.random(rows) > 0.1), 2)
    services = np.round(rng.gamma(1.5, 90.0, rows), 2)
    first = date(2015, 1, 1)
    found: dict[str, Any] = {
        "id": [f"p-{place:05d}" for place in rng.permutation(rows * 3)[:rows]],
        "home": np.sort(rng.integers(1, max(2, rows // 2), rows)),
        "sex": rng.choice(["m", "f"], rows),
        "region": rng.choice(["north", "south", "east", "west"], rows, p=[0.4, 0.3, 0.2, 0.1]),
        "place": [
            f"{a}{b}{c}"
            for a, b, c in zip(
                rng.choice(list("AB"), rows), rng.integers(1, 4, rows), rng.choice(list("xy"), rows), strict=True
            )
        ],
        "job": rng.choice(
            ["baker", "smith", "nurse", "clerk", "teacher", "judge"], rows, p=[0.3, 0.2, 0.2, 0.2, 0.08, 0.02]
        ),
        "phone": [f"{a:03d}" for a in rng.integers(120, 140, rows)],
        "school": np.array(SCHOOLS)[np.clip(np.round(1.5 + size), 0, 3).astype(int)],
        "health": np.clip(np.round(3 + 0.5 * size + rng.normal(0, 1, rows)), 1, 5).astype(int),
        "age": np.clip(np.round(45 + 8 * size + rng.normal(0, 12, rows)), 18, 95).astype(int),
        "visits": rng.poisson(np.exp(0.4 - 0.2 * size)),
        "since": [first + timedelta(days=int(days)) for days in rng.integers(0, 3000, rows)],
        "income": income,
        "wealth": np.round(rng.normal(0, 800, rows) + 600 * size, 1),
        "rent": np.round(income * rng.uniform(0.1, 0.6, rows), 2),
        "goods": goods,
        "services": services,
        "total": np.round(goods + services, 2),
        "weight": np.round(rng.uniform(5, 40, rows), 1),
        "stratum": rng.integers(1, 4, rows),
    }
    return {name: values.tolist() if isinstance(values, np.ndarray) else values for name, values in found.items()}


def _chosen(draw: Random) -> list[str]:
    """Draw the columns of a file: technical ones now and then, two categories and two amounts at least."""
    technical = [
        name
        for name, share in (("id", 0.3), ("home", 0.25), ("weight", 0.25), ("stratum", 0.12))
        if draw.random() < share
    ]
    categories = some(draw, ["sex", "region", "place", "job", "school", "health", "phone"], 2, 4)
    sums = draw.random() < 0.25
    amounts = ["goods", "services", "total"] if sums else some(draw, ["income", "wealth", "rent", "goods"], 2, 3)
    numbers = some(draw, WHOLE, 1, 2) if draw.random() < 0.8 else []
    dates = ["since"] if draw.random() < 0.12 else []
    names = [*technical[:2], *categories, *numbers, *dates, *amounts]
    while len(names) > 9:
        names.remove(next(name for name in names if name not in amounts and name not in categories[:2]))
    return names


def _rule_fits(name: str, names: list[str]) -> bool:
    return {"rent": "income" in names, "total": "goods" in names and "services" in names}.get(name, True)


def _in_rules(name: str, rules: list[str]) -> bool:
    return any(name in rule.split() for rule in rules)


def _facts(draw: Random, names: list[str]) -> tuple[Columns, dict[str, Any]]:
    facts: dict[str, Any] = {}
    technical = {"id": "identifier", "home": "household", "weight": "weight", "stratum": "stratum"}
    keys, with_hierarchy = [], []
    for name in names:
        if name in technical:
            facts[name] = {"role": technical[name]}
            continue
        is_key = name in KINDS or name == "since"
        role = (
            draw.choice(["key", "key", "key", "other", "confidential"])
            if is_key
            else draw.choice(["confidential"] * 4 + ["other", "key"])
        )
        facts[name] = {"role": role}
        if name in KINDS and (draw.random() < 0.7 or name in ("health", "age", "visits", "phone")):
            facts[name]["kind"] = KINDS[name]
        if name == "school":
            facts[name] |= {"kind": "ordinal", "levels": SCHOOLS}
        if name in HIERARCHIES and draw.random() < 0.6:
            facts[name]["hierarchy"] = HIERARCHIES[name]
            with_hierarchy.append(name)
        if name in TITLES and draw.random() < 0.4:
            facts[name]["label"] = TITLES[name]
        if role == "key" and is_key:
            keys.append(name)
    found = Columns(
        amounts=[name for name in names if name in AMOUNTS],
        whole=[name for name in names if name in WHOLE],
        ordered=[name for name in names if name in ("school", "health")],
        nominal=[name for name in names if KINDS.get(name) == "nominal"],
        with_hierarchy=with_hierarchy,
        keys=keys,
        rules=[],
        household="home" in names,
        weight="weight" in names,
    )
    return found, facts


def _with_gaps(
    draw: Random, number: int, data: dict[str, list[Any]], facts: dict[str, Any], names: list[str]
) -> list[str]:
    """Empty some cells of some columns of a third of all files, or give them a code that means no answer."""
    if draw.random() > 0.35 or not names:
        return []
    chosen = some(draw, names, 1, 2)
    rng = np.random.default_rng([7, number])
    for name in chosen:
        code: Any = None
        if name in WHOLE and draw.random() < 0.6:
            code = -9
            facts[name]["missing"] = [code]
        empty = rng.random(len(data[name])) < draw.choice([0.03, 0.1])
        data[name] = [code if gone else value for value, gone in zip(data[name], empty, strict=True)]
    return chosen


def _step(draw: Random, columns: Columns, name: str, gaps: list[str]) -> dict[str, Any]:
    step = METHODS[name](draw, columns)
    touched = [*step.get("columns", ()), *step.get("given", ())]
    if any(name in gaps for name in touched):
        policy = draw.choice([None, "error", "drop", "drop", "drop", "drop", "mask", "mask", "mask", "mask"])
        step |= {} if policy is None else {"missing": policy}
    free = [
        name
        for name in columns.categories
        if name not in touched and name not in gaps and name not in ("place", "phone", "job")
    ]
    if free and draw.random() < 0.2:
        step["by"] = some(draw, free, 1, 1 if draw.random() < 0.6 else 2)
    return step


def _left_for_later(draw: Random, columns: Columns, steps: list[dict[str, Any]]) -> Columns:
    """Columns for one more step: those that new records have, and mostly such as no step has changed."""
    left = set(columns.all)
    for step in steps:
        changed = set(step.get("columns", ()))
        if next(iter(_name_and_settings(step)), None) in NEW_RECORDS and "given" in step:
            left &= {*changed, *step["given"]}
        if draw.random() < 0.8 and any(name in left - changed for name in columns.amounts):
            left -= changed
    kept = {
        name: [one for one in value if one in left]
        for name, value in columns.__dict__.items()
        if isinstance(value, list)
    }
    return Columns(**{**columns.__dict__, **kept, "rules": columns.rules})


def _name_and_settings(step: dict[str, Any]) -> dict[str, Any]:
    method = step["method"]
    return {method: {}} if isinstance(method, str) else method


def _scenarios(draw: Random, columns: Columns) -> list[dict[str, Any]]:
    pool = columns.keys or columns.categories
    found: list[dict[str, Any]] = []
    for place in range(draw.choice([0, 1, 1, 2])):
        scenario: dict[str, Any] = {"name": f"intruder {place + 1}", "keys": some(draw, pool, 1, 3)}
        if draw.random() < 0.3:
            scenario["known"] = some(draw, columns.amounts, 1, 1)
        if draw.random() < 0.8:
            scenario["thresholds"] = {"risk": draw.choice([0.2, 0.34, 0.5]), "share": draw.choice([0, 5, 20])}
        found.append(scenario)
    return found


# -- files of data, written without microveil -------------------------------------------------------------


def write_source(data: dict[str, list[Any]], path: Path) -> None:
    """Write columns in the format that the ending says."""
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(data)
            writer.writerows(["" if cell is None else cell for cell in row] for row in zip(*data.values(), strict=True))
        return
    if path.suffix == ".xlsx":
        import openpyxl

        book = openpyxl.Workbook()
        for row in (list(data), *zip(*data.values(), strict=True)):
            book.active.append(row)
        book.save(path)
        return
    import pyarrow as pa

    table = pa.table(data)
    if path.suffix == ".parquet":
        import pyarrow.parquet as parquet

        parquet.write_table(table, path)
    elif path.suffix == ".feather":
        import pyarrow.feather as feather

        feather.write_feather(table, path)
    else:
        import pyreadstat

        write = pyreadstat.write_sav if path.suffix == ".sav" else pyreadstat.write_dta
        labels = {"column_labels": {name: TITLES[name] for name in data if name in TITLES}}
        write(table.to_pandas(), str(path), **labels)
