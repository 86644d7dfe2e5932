"""The files that a benchmark runs on: reference files where they are found, a generated one where they are not."""

from __future__ import annotations

from collections.abc import Callable

from microveil.core.errors import FileProblem, UnknownName
from microveil.core.parameters import suggest
from microveil.data.microdata import Microdata

_ENTERPRISES = 1000
_SEED = "benchmark of the field: generated enterprises"


def data_called(name: str) -> Microdata:
    """The amounts of a file by its name, in real numbers, so that averages are not rounded back to whole ones."""
    check_name(name)
    return _FILES[name]()


def check_name(name: str) -> None:
    """Refuse a file that the benchmark does not know."""
    if name not in _FILES:
        raise UnknownName(f"no file of the benchmark is called {name!r}{suggest(name, _FILES)}")


def available() -> tuple[str, ...]:
    """The reference files that are found; the generated one alone where none is."""
    found = tuple(name for name in ("census", "eia") if _is_there(name))
    return found or ("generated",)


def _is_there(name: str) -> bool:
    from microveil.datasets import load

    try:
        load(name)
    except FileProblem:
        return False
    return True


def _census() -> Microdata:
    from microveil.reproduce.pil_tables import census

    return Microdata.of(census())


def _eia() -> Microdata:
    from microveil.reproduce import eia

    return Microdata.of(eia.frame_of(eia.original()))


def _generated() -> Microdata:
    import pyarrow as pa

    from microveil.datasets import enterprises_schema, make_enterprises

    made = Microdata(make_enterprises(_ENTERPRISES, seed=_SEED), **enterprises_schema())
    amounts = [name for name in made.columns if made.kinds[name] == "continuous" and made.roles[name] != "weight"]
    return Microdata.of(pa.table({name: made.values(name).numbers for name in amounts}))


_FILES: dict[str, Callable[[], Microdata]] = {"census": _census, "eia": _eia, "generated": _generated}
