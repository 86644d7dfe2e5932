"""The benchmark of the field: a fixed catalogue of plans on reference data, measured alike and ranked."""

from microveil.benchmark.running import DEFAULT_SEED as DEFAULT_SEED
from microveil.benchmark.running import run as run
from microveil.core.names import public_names as _public_names


def __dir__() -> list[str]:
    return _public_names(globals())
