"""Microdata and releases: roles and kinds of columns, in and out of the user's own frame."""

from microveil.data.measure import Measure as Measure
from microveil.data.measure import Pair as Pair
from microveil.data.method import Job as Job
from microveil.data.method import Method as Method
from microveil.data.method import Outcome as Outcome
from microveil.data.microdata import Microdata as Microdata
from microveil.data.release import Release as Release
from microveil.data.schema import KINDS as KINDS
from microveil.data.schema import ROLES as ROLES
from microveil.data.schema import Column as Column
from microveil.data.table import Table as Table
from microveil.data.table import Values as Values
