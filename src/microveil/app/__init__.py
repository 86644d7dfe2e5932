"""The same in the browser: pages over a project file, on this machine alone.

The project file is the only state; every button is one public call, shown as the command that does the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from microveil.core.names import public_names as _public_names

if TYPE_CHECKING:
    from microveil.app.server import create_app as create_app
    from microveil.app.serving import serve as serve


def __getattr__(name: str) -> Any:
    """The app is loaded when it is asked for: the process of a job needs none of its pages."""
    if name == "create_app":
        from microveil.app.server import create_app

        return create_app
    if name == "serve":
        from microveil.app.serving import serve

        return serve
    raise AttributeError(f"module 'microveil.app' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*_public_names(globals()), "create_app", "serve"})
