"""The benchmark of the field: a fixed catalogue of plans on reference data, measured alike and ranked."""

from microveil.benchmark.agreement import agreements as agreements
from microveil.benchmark.agreement import table_two as table_two
from microveil.benchmark.data import available as available
from microveil.benchmark.data import check_name as check_name
from microveil.benchmark.entries import entries_for as entries_for
from microveil.benchmark.journal import Result as Result
from microveil.benchmark.league import best_of_each_method as best_of_each_method
from microveil.benchmark.league import league as league
from microveil.benchmark.page import league_rows as league_rows
from microveil.benchmark.page import map_name as map_name
from microveil.benchmark.page import map_svg as map_svg
from microveil.benchmark.page import render_markdown as render_markdown
from microveil.benchmark.running import DEFAULT_SEED as DEFAULT_SEED
from microveil.benchmark.running import JOURNALS as JOURNALS
from microveil.benchmark.running import check_numbers as check_numbers
from microveil.benchmark.running import run as run
from microveil.core.names import public_names as _public_names


def __dir__() -> list[str]:
    return _public_names(globals())
