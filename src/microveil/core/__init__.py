"""The ground: parameters, registry, random streams, measured values, errors."""

from microveil.core.errors import BadInput as BadInput
from microveil.core.errors import BrokenPromise as BrokenPromise
from microveil.core.errors import FileProblem as FileProblem
from microveil.core.errors import MicroveilError as MicroveilError
from microveil.core.errors import MissingValues as MissingValues
from microveil.core.errors import NotEnoughRecords as NotEnoughRecords
from microveil.core.errors import NothingHidden as NothingHidden
from microveil.core.errors import UnknownName as UnknownName
from microveil.core.measured import Measured as Measured
from microveil.core.measured import NotApplicable as NotApplicable
from microveil.core.names import public_names as _public_names
from microveil.core.parameters import FrozenDict as FrozenDict
from microveil.core.parameters import Grid as Grid
from microveil.core.parameters import Parameter as Parameter
from microveil.core.parameters import Range as Range
from microveil.core.parameters import nearest as nearest
from microveil.core.registry import Value as Value
from microveil.core.registry import definitions as definitions
from microveil.core.registry import find as find
from microveil.core.registry import registered as registered
from microveil.core.streams import Key as Key
from microveil.core.streams import Streams as Streams


def __dir__() -> list[str]:
    return _public_names(globals())
