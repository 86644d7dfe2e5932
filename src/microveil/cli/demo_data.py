"""The file of the demo: generated enterprises, with the rules that every statistician of them knows."""

from __future__ import annotations

from microveil.data import Microdata

_TEXTS = ("enterprise_id", "name", "region", "sector")
_PARTS = ("residential_revenue", "commercial_revenue", "industrial_revenue", "other_revenue")
_TOTAL = "total_revenue"
_COLUMNS = (*_TEXTS, "employees", *_PARTS, _TOTAL, "total_sales")
_PER_RECORD, _MORE = 1.25, 100  # generated, so that enough have totals that add up


def demo_data(records: int) -> Microdata:
    """Enterprises whose revenue adds up, with region, sector, employees, revenue in parts and in all, and sales.

    Amounts span a million to one and have zeros. The rules: nothing is negative, parts add up to their total, and an
    enterprise has somebody who works there.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from microveil.datasets import enterprises_schema, make_enterprises

    table: pa.Table = make_enterprises(int(_PER_RECORD * records) + _MORE, seed="demo")
    parts = table[_PARTS[0]]
    for name in _PARTS[1:]:
        parts = pc.add(parts, table[name])
    table = table.filter(pc.equal(parts, table[_TOTAL])).slice(0, records).select(_COLUMNS)
    schema = enterprises_schema()
    return Microdata(
        table,
        roles={name: schema["roles"][name] for name in _COLUMNS},
        kinds={name: schema["kinds"][name] for name in _COLUMNS},
        hierarchies=schema["hierarchies"],
        edits=[
            "employees >= 1",
            *(f"{name} >= 0" for name in (*_PARTS, "total_sales")),
            f"{_TOTAL} == {' + '.join(_PARTS)}",
        ],
    )
