"""The pages of the app: each is a file here and its routes in this list."""

from starlette.routing import Route

from microveil.app.pages import (
    columns,
    compare,
    data,
    figures,
    history,
    jobs,
    methods,
    pair,
    project,
    release,
    reports,
    risk,
    roles,
    rules,
    scenarios,
    search,
)

ROUTES: list[Route] = [
    *data.ROUTES,
    *roles.ROUTES,
    *columns.ROUTES,
    *rules.ROUTES,
    *scenarios.ROUTES,
    *figures.ROUTES,
    *risk.ROUTES,
    *methods.ROUTES,
    *search.ROUTES,
    *compare.ROUTES,
    *release.ROUTES,
    *reports.ROUTES,
    *pair.ROUTES,
    *history.ROUTES,
    *project.ROUTES,
    *jobs.ROUTES,
]
