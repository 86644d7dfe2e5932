"""Plans: run methods in order, log and replay them, evaluate what comes out."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from microveil.core.names import public_names as _public_names
from microveil.core.typos import suggesting as _suggesting
from microveil.plan.advising import Advice as Advice
from microveil.plan.advising import advise as advise
from microveil.plan.advising import advise_against as advise_against
from microveil.plan.alignment import find_writing as find_writing
from microveil.plan.alignment import link_of_written as link_of_written
from microveil.plan.alignment import rows_seem_to_correspond as rows_seem_to_correspond
from microveil.plan.assessment import Assessment as Assessment
from microveil.plan.assessment import assess as assess
from microveil.plan.assessment import assess_pair as assess_pair
from microveil.plan.attacked import Attacked as Attacked
from microveil.plan.attacked import advice_lines as advice_lines
from microveil.plan.broken_rules import tell_broken_rules as tell_broken_rules
from microveil.plan.catalogue import Entry as Entry
from microveil.plan.catalogue import example_of as example_of
from microveil.plan.catalogue import methods as methods
from microveil.plan.comparison import Comparison as Comparison
from microveil.plan.comparison import Trial as Trial
from microveil.plan.comparison import compare as compare
from microveil.plan.comparison import frontier as frontier
from microveil.plan.evaluating import evaluate as evaluate
from microveil.plan.evaluation import Evaluation as Evaluation
from microveil.plan.inspecting import inspect as inspect
from microveil.plan.inspection import Inspection as Inspection
from microveil.plan.judged_files import VerdictOfFiles as VerdictOfFiles
from microveil.plan.judged_files import verdict_of_files as verdict_of_files
from microveil.plan.log import load_log as load_log
from microveil.plan.log import private_log as private_log
from microveil.plan.log import read_logged as read_logged
from microveil.plan.log import refuse_used_key as refuse_used_key
from microveil.plan.log import refuse_used_key_of as refuse_used_key_of
from microveil.plan.log import replay as replay
from microveil.plan.log import save_log as save_log
from microveil.plan.log import scenarios_in as scenarios_in
from microveil.plan.plan import Plan as Plan
from microveil.plan.plan import plan_schema as plan_schema
from microveil.plan.project import Project as Project
from microveil.plan.project_plan import with_plan as with_plan
from microveil.plan.project_schema import project_schema as project_schema
from microveil.plan.project_sections import with_section as with_section
from microveil.plan.release_plan import Published as Published
from microveil.plan.release_plan import ReleasePlan as ReleasePlan
from microveil.plan.silent import silent_lines as silent_lines
from microveil.plan.space import Space as Space
from microveil.plan.technical_roles import with_technical_roles as with_technical_roles
from microveil.plan.tried_change import TriedChange as TriedChange
from microveil.plan.utility_plan import Goal as Goal
from microveil.plan.utility_reached import Reached as Reached
from microveil.plan.verdict import Verdict as Verdict
from microveil.plan.verdict import verdict_of as verdict_of
from microveil.plan.verdict import verdict_of_pair as verdict_of_pair
from microveil.plan.worst_case import worst_said as worst_said
from microveil.plan.worst_of_quick import WorstCase as WorstCase
from microveil.run.contract import Step as Step


def __dir__() -> list[str]:
    return _public_names(globals())


if not _TYPE_CHECKING:  # where it would let every name pass
    __getattr__ = _suggesting(__name__)
