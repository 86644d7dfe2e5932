"""Studies: the search for the plan that loses least within the limits stated."""

from microveil.core.names import public_names as _public_names
from microveil.study.aims import Aims as Aims
from microveil.study.confirming import Confirmed as Confirmed
from microveil.study.held import Held as Held
from microveil.study.held import SearchLimits as SearchLimits
from microveil.study.over import Over as Over
from microveil.study.searching import search as search
from microveil.study.short_search import ShortSearch as ShortSearch
from microveil.study.short_search import search_shortly as search_shortly
from microveil.study.study import Study as Study
from microveil.study.tried import Tried as Tried


def __dir__() -> list[str]:
    return _public_names(globals())
