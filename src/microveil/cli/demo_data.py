"""The file of the demo: generated enterprises, with amounts as the logarithms that analysts of them use."""

from __future__ import annotations

from microveil.data import Microdata

_TEXTS = ("enterprise_id", "name", "region", "sector")
_AMOUNTS = (
    *("employees", "residential_revenue", "commercial_revenue", "industrial_revenue", "other_revenue"),
    "total_sales",
)
_LEAST = 10  # of every amount: the cut-off of many business surveys
_PER_RECORD, _MORE = 3, 100  # generated, so that enough are above the cut-off
_DECIMALS = 4


def demo_data(records: int) -> Microdata:
    """Enterprises above the cut-off, with region, sector and the common logarithms of six amounts.

    Amounts of enterprises span a million to one. As logarithms they can be redrawn with exact means and covariances,
    and none is below 0 when turned back. Of revenue the parts are here and of sales the total, so that no column is
    the sum of others.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from microveil.datasets import enterprises_schema, make_enterprises

    table: pa.Table = make_enterprises(_PER_RECORD * records + _MORE, seed="demo")
    least = pc.min_element_wise(*(table[name] for name in _AMOUNTS))
    table = table.filter(pc.greater_equal(least, _LEAST)).slice(0, records)
    schema = enterprises_schema()
    logs = {f"log_{name}": name for name in _AMOUNTS}
    columns = {name: table[name] for name in _TEXTS}
    columns |= {log: pc.round(pc.log10(table[name]), ndigits=_DECIMALS) for log, name in logs.items()}
    sources = {name: name for name in _TEXTS} | logs
    return Microdata(
        pa.table(columns),
        roles={name: schema["roles"][source] for name, source in sources.items()},
        kinds={name: schema["kinds"][source] for name, source in sources.items()},
        hierarchies=schema["hierarchies"],
    )
