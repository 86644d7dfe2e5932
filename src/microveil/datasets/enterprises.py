"""A business file with zeros, skew and totals that are almost sums."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from microveil.core.arrays import Bools, Codes, Floats, Ints
from microveil.core.streams import Key
from microveil.data.frames import AnyFrame
from microveil.datasets import enterprise_terms as terms
from microveil.datasets.drawing import Draws, draws_of, zipf
from microveil.datasets.frames import check_backend, join_texts, labels, numbers, to_backend
from microveil.datasets.schema import FileSchema

_IDENTIFIERS = ("enterprise_id", "name")
_KEYS = ("region", "sector", "employees")
_AMOUNTS = tuple(f"{part}_{what}" for part in (*terms.PARTS, "total") for what in ("revenue", "sales"))

# centre and spread of the logarithm of each part, and how much of it follows the size of the enterprise
_CENTRE = (8.3, 7.8, 7.7, 5.4)
_SPREAD = (1.7, 1.9, 1.85, 2.0)
_SIZE_SHARE = (0.96, 0.95, 0.88, 0.82)
_ZERO = (0.03, 0.03, 0.04, 0.05)
_INACTIVE = 0.003
_EXACT_TOTAL = 0.94


def enterprises_roles() -> dict[str, str]:
    """Role of each column of `make_enterprises`: amounts are confidential, size, place and sector known.

    >>> enterprises_roles()["employees"], enterprises_roles()["total_sales"]
    ('key', 'confidential')
    """
    return (
        dict.fromkeys(_IDENTIFIERS, "identifier")
        | dict.fromkeys(_KEYS, "key")
        | dict.fromkeys(_AMOUNTS, "confidential")
    )


def enterprises_schema() -> FileSchema:
    """Roles, kinds and hierarchies of `make_enterprises`, in the order of its columns.

    >>> enterprises_schema()["hierarchies"]["sector"]["10.71"]
    ('10.7', '10', 'C', 'all')
    """
    nominal = dict.fromkeys((*_IDENTIFIERS, "region", "sector"), "nominal")
    return {
        "roles": enterprises_roles(),
        "kinds": nominal | dict.fromkeys(("employees", *_AMOUNTS), "continuous"),
        "levels": {},
        "hierarchies": {"sector": dict(terms.SECTORS)},
    }


def make_enterprises(n: int = 1000, seed: int | str | bytes | Key | None = None, backend: str = "pyarrow") -> AnyFrame:
    """A generated file of n enterprises: for trying methods for continuous data where they are hardest.

    Revenue and sold quantity come in four parts with zeros and a strong skew; quantities are nearly
    collinear with revenues; the totals are the exact sum of the parts in about 94 % of the records and
    near it otherwise; some records repeat the figures of another; nothing is missing. The shape follows
    the EIA reference file of the CASC project. `enterprises_schema` says what the columns are.

    >>> make_enterprises(200, seed=1).column_names[:4]
    ['enterprise_id', 'name', 'region', 'sector']
    """
    check_backend(backend)
    draws = draws_of("enterprises", n, seed)
    section = draws.choice(terms.SECTION_WEIGHTS, "sector", "section")
    figures = _figures(draws, section)
    figures = _repeat_some(draws, figures)
    columns = _identify(draws, section) | {name: numbers(values) for name, values in figures.items()}
    import pyarrow as pa

    return to_backend(pa.table({name: columns[name] for name in enterprises_roles()}), backend)


def _identify(draws: Draws, section: Codes) -> dict[str, Any]:
    roots = ["".join(parts) for parts in product(terms.NAME_STARTS, terms.NAME_MIDDLES, terms.NAME_ENDS)]
    root = draws.choice(np.ones(len(roots)), "name")
    form = draws.choice(np.ones(len(terms.NAME_FORMS)), "name", "form")
    return {
        "enterprise_id": numbers(np.arange(100_001, 100_001 + draws.n)),
        "name": join_texts(" ", labels(roots, root), labels(terms.NAME_FORMS, form)),
        "region": labels(terms.REGIONS, draws.choice(zipf(len(terms.REGIONS), 0.7), "region")),
        "sector": labels(list(terms.SECTORS), _sectors(draws, section)),
    }


def _sectors(draws: Draws, section: Codes) -> Codes:
    table = np.zeros((len(terms.SECTIONS), len(terms.SECTORS)))
    for code, above in enumerate(terms.SECTORS.values()):
        row = table[terms.SECTIONS.index(above[2])]
        row[code] = 1.0 / (1 + np.count_nonzero(row))
    return draws.choice_by(table, section, "sector")


def _figures(draws: Draws, section: Codes) -> dict[str, Ints]:
    """Employees, the parts and their totals, as whole numbers."""
    size = draws.normal("size")
    price = -2.7 + 0.18 * draws.normal("price")
    active = ~draws.happens(_INACTIVE, "inactive")
    figures = {"employees": np.ceil(np.exp(2.9 + 1.45 * size + 0.45 * draws.normal("employees"))).astype(np.int64)}
    for part in range(len(terms.PARTS)):
        figures |= _part(draws, part, section, size, price, active)
    for what in ("revenue", "sales"):
        parts = np.sum([figures[f"{part}_{what}"] for part in terms.PARTS], axis=0)
        figures[f"total_{what}"] = _total(draws, f"total_{what}", parts)
    return figures


def _part(draws: Draws, part: int, section: Codes, size: Floats, price: Floats, active: Bools) -> dict[str, Ints]:
    name, share = terms.PARTS[part], _SIZE_SHARE[part]
    shift = np.array(terms.PART_SHIFT)[section, part]
    scaled = share * size + np.sqrt(1 - share**2) * draws.normal(name, "revenue")
    sold = active & ~draws.happens(_ZERO[part], name, "zero")
    revenue = np.maximum(np.round(np.exp(_CENTRE[part] + shift + _SPREAD[part] * scaled)), 1)
    unit_price = np.exp(price + 0.15 * draws.normal(name, "sales"))
    sales = np.maximum(np.round(revenue / unit_price), 1)
    return {
        f"{name}_revenue": np.where(sold, revenue, 0).astype(np.int64),
        f"{name}_sales": np.where(sold, sales, 0).astype(np.int64),
    }


def _total(draws: Draws, name: str, parts: Ints) -> Ints:
    """The sum of the parts; where it is not exact it misses by one as rounding does, seldom by up to 2 %."""
    u = draws.uniform(name)
    up = draws.happens(0.5, name, "up") | (parts == 0)
    rounding = np.ones_like(parts)
    correction = np.ceil(0.02 * parts * draws.uniform(name, "correction")).astype(np.int64)
    miss = np.where(u < _EXACT_TOTAL + 0.055, rounding, np.maximum(correction, 1))
    return parts + np.where((u < _EXACT_TOTAL) | (parts == 0), 0, np.where(up, miss, -miss))


def _repeat_some(draws: Draws, figures: dict[str, Ints]) -> dict[str, Ints]:
    count = draws.n // 250 if draws.n >= 250 else int(draws.n >= 20)
    chosen = draws.streams.at("repeated").generator().permutation(draws.n)[: 2 * count]
    source, target = chosen[:count], chosen[count:]
    for values in figures.values():
        values[target] = values[source]
    return figures
