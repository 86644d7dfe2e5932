"""Disclosure risk: what an intruder could learn about whom."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from microveil.core.names import public_names as _public_names
from microveil.core.typos import suggesting as _suggesting
from microveil.measure import Scenario as Scenario
from microveil.risk.attribute_disclosure import AttributeDisclosure as AttributeDisclosure
from microveil.risk.base import Risk as Risk
from microveil.risk.distance_linkage import DistanceLinkage as DistanceLinkage
from microveil.risk.global_linkage import GlobalLinkage as GlobalLinkage
from microveil.risk.individual_risk import IndividualRisk as IndividualRisk
from microveil.risk.intervals import RankInterval as RankInterval
from microveil.risk.intervals import SDInterval as SDInterval
from microveil.risk.k_anonymity import KAnonymity as KAnonymity
from microveil.risk.k_map import KMap as KMap
from microveil.risk.key_ranking import KeyRanking as KeyRanking
from microveil.risk.l_diversity import LDiversity as LDiversity
from microveil.risk.population_uniqueness import PopulationUniqueness as PopulationUniqueness
from microveil.risk.probabilistic_linkage import ProbabilisticLinkage as ProbabilisticLinkage
from microveil.risk.reidentification import ReidentificationRisk as ReidentificationRisk
from microveil.risk.replicated_uniques import ReplicatedUniques as ReplicatedUniques
from microveil.risk.robust_interval import RobustInterval as RobustInterval
from microveil.risk.scenario import ScenarioRisk as ScenarioRisk
from microveil.risk.suda import Suda as Suda
from microveil.risk.t_closeness import TCloseness as TCloseness
from microveil.risk.uniqueness import Uniqueness as Uniqueness


def __dir__() -> list[str]:
    return _public_names(globals())


if not _TYPE_CHECKING:  # where it would let every name pass
    __getattr__ = _suggesting(__name__)
