"""The tables of the papers, ours beside theirs: what is reproduced, under which reading, and what is not."""

from microveil.core.names import public_names as _public_names
from microveil.reproduce import cholesky_tables as cholesky_tables
from microveil.reproduce import eia_comparison as eia_comparison
from microveil.reproduce import local_synthesis_tables as local_synthesis_tables
from microveil.reproduce import microhybrid_tables as microhybrid_tables
from microveil.reproduce import pil_tables as pil_tables
from microveil.reproduce.base import DEFAULT_SEED as DEFAULT_SEED
from microveil.reproduce.base import Cell as Cell
from microveil.reproduce.base import PaperTable as PaperTable
from microveil.reproduce.base import Reproduction as Reproduction
from microveil.reproduce.base import counts_of as counts_of
from microveil.reproduce.base import table as table
from microveil.reproduce.base import tables as tables
from microveil.reproduce.page import check_ending as check_ending
from microveil.reproduce.page import render_html as render_html
from microveil.reproduce.page import render_markdown as render_markdown
from microveil.reproduce.page import write_page as write_page
from microveil.reproduce.text import legend_text as legend_text
from microveil.reproduce.text import table_text as table_text


def __dir__() -> list[str]:
    return _public_names(globals())
