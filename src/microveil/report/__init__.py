"""Reports: what was done, what is promised, lost and at risk, for the people who decide."""

from microveil.core.names import public_names as _public_names
from microveil.core.numbers import format_number as format_number
from microveil.report.catalogue import catalogue_text as catalogue_text
from microveil.report.catalogue import write_catalogue as write_catalogue
from microveil.report.comparison_page import comparison_body as comparison_body
from microveil.report.comparison_page import render_comparison as render_comparison
from microveil.report.comparison_page import write_comparison as write_comparison
from microveil.report.external import ExternalContent as ExternalContent
from microveil.report.external import render_external as render_external
from microveil.report.identity import NamedFile as NamedFile
from microveil.report.limits_kept import LimitsKept as LimitsKept
from microveil.report.limits_kept import limits_kept as limits_kept
from microveil.report.limits_kept import limits_of_scenarios as limits_of_scenarios
from microveil.report.map_text import text_map as text_map
from microveil.report.mapped import plan_map as plan_map
from microveil.report.of_release import card_of as card_of
from microveil.report.of_release import report_of as report_of
from microveil.report.page import InternalContent as InternalContent
from microveil.report.page import render as render
from microveil.report.page import write_report as write_report
from microveil.report.risk_page import render_risk as render_risk
from microveil.report.risk_page import risk_body as risk_body
from microveil.report.risk_page import write_risk_page as write_risk_page
from microveil.report.side_by_side import SideBySide as SideBySide
from microveil.report.side_by_side import beside as beside
from microveil.report.sign_off import Signed as Signed
from microveil.report.sign_off import sign_off_report as sign_off_report
from microveil.report.study_page import render_study as render_study
from microveil.report.study_page import study_body as study_body
from microveil.report.study_page import write_study_page as write_study_page
from microveil.report.tried_plans import map_of_trials as map_of_trials
from microveil.report.writing_reports import check_form as check_form


def __dir__() -> list[str]:
    return _public_names(globals())
