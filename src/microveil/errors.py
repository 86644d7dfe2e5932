"""Everything that microveil raises and warns of, under the name that programs use."""

from microveil.core.errors import BadInput as BadInput
from microveil.core.errors import BrokenPromise as BrokenPromise
from microveil.core.errors import FileProblem as FileProblem
from microveil.core.errors import MicroveilError as MicroveilError
from microveil.core.errors import MissingValues as MissingValues
from microveil.core.errors import NotEnoughRecords as NotEnoughRecords
from microveil.core.errors import NothingHidden as NothingHidden
from microveil.core.errors import NoValue as NoValue
from microveil.core.errors import OverLimit as OverLimit
from microveil.core.errors import UnknownColumn as UnknownColumn
from microveil.core.errors import UnknownName as UnknownName
from microveil.core.errors import UnknownParameter as UnknownParameter
