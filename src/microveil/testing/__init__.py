"""The common suite: checks that every registered method, partition, measure and claim must pass.

It ships with the package so that authors of methods outside of it can run it on theirs:
`check_class(MyMethod)` or `check_claim(MyClaim)` raises an AssertionError that names what is broken.
"""

from microveil.core.names import public_names as _public_names
from microveil.testing.claims import check_claim as check_claim
from microveil.testing.measures import check_measure as check_measure
from microveil.testing.methods import check_method as check_method
from microveil.testing.partitions import check_partition as check_partition
from microveil.testing.suite import all_cases as all_cases
from microveil.testing.suite import check_class as check_class
from microveil.testing.values import grid_points as grid_points


def __dir__() -> list[str]:
    return _public_names(globals())
