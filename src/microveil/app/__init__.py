"""The same in the browser: pages over a project file, on this machine alone.

The project file is the only state; every button is one public call, shown as the command that does the same.
"""

from microveil.app.server import create_app as create_app
from microveil.app.serving import serve as serve
from microveil.core.names import public_names as _public_names


def __dir__() -> list[str]:
    return _public_names(globals())
