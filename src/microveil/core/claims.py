"""All claims, and what is needed to state and check one; other rooms import from here."""

from __future__ import annotations

from microveil.core.claim import AFFINE as AFFINE
from microveil.core.claim import BLANK as BLANK
from microveil.core.claim import CHANGES as CHANGES
from microveil.core.claim import COARSEN as COARSEN
from microveil.core.claim import DROP as DROP
from microveil.core.claim import LINEAR as LINEAR
from microveil.core.claim import PERMUTE as PERMUTE
from microveil.core.claim import Claim as Claim
from microveil.core.claim import Deviation as Deviation
from microveil.core.claim import Example as Example
from microveil.core.claim import InUnions as InUnions
from microveil.core.claim import Verdict as Verdict
from microveil.core.claim import registered_claims as registered_claims
from microveil.core.claims_cells import CellsUnchanged as CellsUnchanged
from microveil.core.claims_cells import ChangeWithin as ChangeWithin
from microveil.core.claims_cells import RangeKept as RangeKept
from microveil.core.claims_cells import RelativeChangeWithin as RelativeChangeWithin
from microveil.core.claims_gaps import AgreeingRowsAtLeast as AgreeingRowsAtLeast
from microveil.core.claims_gaps import EqualRowsAsideGaps as EqualRowsAsideGaps
from microveil.core.claims_groups import EqualRowsAtLeast as EqualRowsAtLeast
from microveil.core.claims_groups import GroupsAtLeast as GroupsAtLeast
from microveil.core.claims_models import ClosenessWithin as ClosenessWithin
from microveil.core.claims_models import DiversityAtLeast as DiversityAtLeast
from microveil.core.claims_moments import CovariancesAmongReplaced as CovariancesAmongReplaced
from microveil.core.claims_moments import CovariancesKept as CovariancesKept
from microveil.core.claims_moments import MeansKept as MeansKept
from microveil.core.claims_moments import TotalsWithin as TotalsWithin
from microveil.core.claims_moments import VariancesKept as VariancesKept
from microveil.core.claims_order import EqualStayEqual as EqualStayEqual
from microveil.core.claims_order import OneToOne as OneToOne
from microveil.core.claims_order import OrderKept as OrderKept
from microveil.core.claims_released import BetweenBounds as BetweenBounds
from microveil.core.claims_released import MultiplesOf as MultiplesOf
from microveil.core.claims_released import SumHolds as SumHolds
from microveil.core.claims_released import TailsAtLeast as TailsAtLeast
from microveil.core.claims_released import ValuesAtLeast as ValuesAtLeast
from microveil.core.claims_values import RankShiftWithin as RankShiftWithin
from microveil.core.claims_values import TableKept as TableKept
from microveil.core.claims_values import ValuesKept as ValuesKept
from microveil.core.evidence import EXACT as EXACT
from microveil.core.evidence import Evidence as Evidence
from microveil.core.evidence import share_of_repeats as share_of_repeats
