"""What the buttons of the app do: each is a job with a name; another is a file here and a name in this list."""

from microveil.app.calls.assessing import RISK
from microveil.app.calls.call import Call
from microveil.app.calls.comparing import COMPARE
from microveil.app.calls.inspecting import INSPECT
from microveil.app.calls.pairing import PAIR
from microveil.app.calls.releasing import AUDIT, RUN
from microveil.app.calls.searching import SEARCH

CALLS: dict[str, Call] = {call.name: call for call in (INSPECT, RISK, COMPARE, SEARCH, RUN, AUDIT, PAIR)}
