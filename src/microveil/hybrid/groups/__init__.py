"""Groups of a hybrid file: how they are formed, and what a user should know about what was made of them."""

from microveil.hybrid.groups.categories import new_categories as new_categories
from microveil.hybrid.groups.columns import cluster_columns as cluster_columns
from microveil.hybrid.groups.columns import named_columns as named_columns
from microveil.hybrid.groups.columns import refuse_nothing as refuse_nothing
from microveil.hybrid.groups.forming import Grouping as Grouping
from microveil.hybrid.groups.moments import tell_exact_moments as tell_exact_moments
from microveil.hybrid.groups.moments import tell_moved_moments as tell_moved_moments
from microveil.hybrid.groups.nearness import near_originals as near_originals
from microveil.hybrid.groups.ranges import outside_range as outside_range
from microveil.hybrid.groups.report import describe_groups as describe_groups
from microveil.hybrid.groups.unchanged import tell_unchanged_in_groups as tell_unchanged_in_groups
from microveil.hybrid.groups.unchanged import tell_unchanged_records as tell_unchanged_records
