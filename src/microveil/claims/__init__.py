"""Claims: what a method promises exactly, and what is needed to state and check it."""

from microveil.claims.anonymity import Anonymity as Anonymity
from microveil.claims.cells import CellsUnchanged as CellsUnchanged
from microveil.claims.cells import ChangeWithin as ChangeWithin
from microveil.claims.cells import RangeKept as RangeKept
from microveil.claims.cells import RelativeChangeWithin as RelativeChangeWithin
from microveil.claims.claim import AFFINE as AFFINE
from microveil.claims.claim import BLANK as BLANK
from microveil.claims.claim import CHANGES as CHANGES
from microveil.claims.claim import COARSEN as COARSEN
from microveil.claims.claim import DROP as DROP
from microveil.claims.claim import LINEAR as LINEAR
from microveil.claims.claim import PERMUTE as PERMUTE
from microveil.claims.claim import Claim as Claim
from microveil.claims.claim import Deviation as Deviation
from microveil.claims.claim import Example as Example
from microveil.claims.claim import InUnions as InUnions
from microveil.claims.claim import Verdict as Verdict
from microveil.claims.claim import registered_claims as registered_claims
from microveil.claims.class_risks import AverageRiskWithin as AverageRiskWithin
from microveil.claims.class_risks import FewInSmallClasses as FewInSmallClasses
from microveil.claims.edits import EditHolds as EditHolds
from microveil.claims.evidence import EXACT as EXACT
from microveil.claims.evidence import Evidence as Evidence
from microveil.claims.evidence import repeated_among as repeated_among
from microveil.claims.evidence import share_of_repeats as share_of_repeats
from microveil.claims.gaps import AgreeingRowsAtLeast as AgreeingRowsAtLeast
from microveil.claims.gaps import EqualRowsAsideGaps as EqualRowsAsideGaps
from microveil.claims.groups import EqualRowsAtLeast as EqualRowsAtLeast
from microveil.claims.groups import GroupsAtLeast as GroupsAtLeast
from microveil.claims.models import ClosenessWithin as ClosenessWithin
from microveil.claims.models import DiversityAtLeast as DiversityAtLeast
from microveil.claims.models import FileClosenessWithin as FileClosenessWithin
from microveil.claims.models import FileLikenessWithin as FileLikenessWithin
from microveil.claims.models import LikenessWithin as LikenessWithin
from microveil.claims.moments import CovariancesAmongReplaced as CovariancesAmongReplaced
from microveil.claims.moments import CovariancesKept as CovariancesKept
from microveil.claims.moments import MeansKept as MeansKept
from microveil.claims.moments import TotalsWithin as TotalsWithin
from microveil.claims.moments import VariancesKept as VariancesKept
from microveil.claims.order import EqualStayEqual as EqualStayEqual
from microveil.claims.order import OneToOne as OneToOne
from microveil.claims.order import OrderKept as OrderKept
from microveil.claims.released import BetweenBounds as BetweenBounds
from microveil.claims.released import MultiplesOf as MultiplesOf
from microveil.claims.released import SumHolds as SumHolds
from microveil.claims.released import TailsAtLeast as TailsAtLeast
from microveil.claims.released import ValuesAtLeast as ValuesAtLeast
from microveil.claims.values import RankShiftWithin as RankShiftWithin
from microveil.claims.values import TableKept as TableKept
from microveil.claims.values import ValuesKept as ValuesKept
from microveil.core.names import public_names as _public_names


def __dir__() -> list[str]:
    return _public_names(globals())
