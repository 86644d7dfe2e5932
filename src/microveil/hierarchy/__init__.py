"""Hierarchies of generalisation: from every value of a column up to a single one.

`Hierarchy` is a checked table of paths, read from and written to files. The other classes are rules that give the path
of any value; a new one is a file and a line here.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from microveil.core.names import public_names as _public_names
from microveil.core.typos import suggesting as _suggesting
from microveil.hierarchy.dates import Dates as Dates
from microveil.hierarchy.groups import Groups as Groups
from microveil.hierarchy.hierarchy import Hierarchy as Hierarchy
from microveil.hierarchy.intervals import Intervals as Intervals
from microveil.hierarchy.many import read_hierarchies as read_hierarchies
from microveil.hierarchy.many import write_hierarchies as write_hierarchies
from microveil.hierarchy.order import Order as Order
from microveil.hierarchy.prefixes import Prefixes as Prefixes
from microveil.hierarchy.redact import Redact as Redact
from microveil.hierarchy.rule import HierarchyRule as HierarchyRule
from microveil.hierarchy.tree import Tree as Tree


def __dir__() -> list[str]:
    return _public_names(globals())


if not _TYPE_CHECKING:  # where it would let every name pass
    __getattr__ = _suggesting(__name__)
