"""Packages: the files of a release that are given away, with what people need to use and to check them."""

from microveil.core.names import public_names as _public_names
from microveil.package.auditing import Audit as Audit
from microveil.package.auditing import audit as audit
from microveil.package.codebook_text import codebook_text as codebook_text
from microveil.package.ddi import codebook_xml as codebook_xml
from microveil.package.ddi import find_faults as find_faults
from microveil.package.earlier import EarlierRelease as EarlierRelease
from microveil.package.earlier import compare_with_earlier as compare_with_earlier
from microveil.package.earlier import earlier_releases as earlier_releases
from microveil.package.earlier import tell_composition as tell_composition
from microveil.package.findings import Finding as Finding
from microveil.package.past_runs import PastRun as PastRun
from microveil.package.past_runs import compare_runs as compare_runs
from microveil.package.past_runs import history as history
from microveil.package.register import Register as Register
from microveil.package.register import add_release as add_release
from microveil.package.register import read_register as read_register
from microveil.package.register import revoke_release as revoke_release
from microveil.package.register_check import check_register as check_register
from microveil.package.register_entries import Entry as Entry
from microveil.package.running import Run as Run
from microveil.package.running import run_project as run_project
from microveil.package.running_files import FilesRun as FilesRun
from microveil.package.running_files import run_project_in_blocks as run_project_in_blocks
from microveil.package.variables import Category as Category
from microveil.package.variables import Variable as Variable
from microveil.package.variables import released_columns as released_columns
from microveil.package.variables import variables_of as variables_of
from microveil.package.variables_of_files import variables_of_files as variables_of_files
from microveil.package.writing import Package as Package
from microveil.package.writing import write_package as write_package


def __dir__() -> list[str]:
    return _public_names(globals())
