"""One visit of a page: what was asked, the project as it is now, and how the answer is made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from microveil.app.calls import CALLS
from microveil.app.guard import LARGEST
from microveil.app.jobs import Job
from microveil.app.stamps import written_anew
from microveil.app.templating import environment
from microveil.app.warming import LINE
from microveil.app.words import in_form_words
from microveil.app.workspace import ChangedMeanwhile, Now, Workspace
from microveil.core.errors import MicroveilError
from microveil.core.open_types import Json
from microveil.plan import Project
from microveil.plan.project_sections import lines_of

# every page by its address, in the order of the work; the others stand apart from it
STEPS = (
    ("/data", "Data"),
    ("/roles", "Roles"),
    ("/rules", "Rules"),
    ("/scenarios", "Scenarios"),
    ("/figures", "Figures"),
    ("/risk", "Risk before"),
    ("/methods", "Methods"),
    ("/search", "Search"),
    ("/compare", "Compare"),
    ("/release", "Release"),
)
OTHERS = (("/pair", "Two files"), ("/history", "History"), ("/project", "Project as text"))
MOST_FIELDS = 100_000  # of a form: a file may have thousands of columns


@dataclass(frozen=True)
class Visit:
    """A request and the project that it is about; `error` and `form` are those of a change that was refused."""

    request: Request
    space: Workspace
    now: Now
    error: str = ""
    form: FormData = field(default_factory=FormData)
    unsaved: tuple[tuple[str, str], ...] = ()  # what somebody wrote on a page that was changed in the meantime

    @property
    def project(self) -> Project:
        """The project; pages that need one are shown only where there is one."""
        assert self.now.project is not None
        return self.now.project

    @property
    def query(self) -> Mapping[str, str]:
        """What the address says behind its question mark."""
        return self.request.query_params

    def page(self, name: str, title: str, **content: Any) -> Response:
        """The page of a template; a refused change is told on it."""
        text = (
            environment()
            .get_template(name)
            .render(
                title=title,
                here=self.request.url.path,
                pages=STEPS,
                apart=OTHERS,
                now=self.now,
                # a form that was refused stays one of the version on which it was filled in
                filled_on=str(self.form.get("base") or self.now.mark),
                project_name=self.space.path.name,
                error=self.space.from_here(self.error),
                unsaved=self.unsaved,
                said=self._said(),
                busy=self.space.jobs.running(),
                calls=CALLS,
                warming=self._warming(),
                written=partial(lines_of, self.now.text),
                **content,
            )
        )
        # a folder may have a name that is no text: it is shown with marks of question
        return HTMLResponse(text.encode("utf-8", "replace"), 422 if self.error else 200)

    def _warming(self) -> str:
        """What is told while loops are compiled, after the first start."""
        process = self.request.app.state.warming
        return LINE if process is not None and process.poll() is None else ""

    def _said(self) -> str:
        number = self.query.get("saved", "")
        if self.error:
            return ""
        if self.query.get("same"):
            return "Nothing was changed, so that no new version was saved."
        if not number.isdecimal():
            return ""
        return f"Saved as version {number}.{_GAPS_LEFT if self.query.get('gaps') else ''}"

    def save(self, change: Callable[[str], str], why: str, **told: str) -> Response:
        """Change the project, and show the page again, or the next one if the button says so.

        `told` is what the page says beside that, if there is a new version.
        """
        before = self.now.version
        version = self.space.save(change, str(self.form.get("base", "")), why)
        is_new = before is None or version.number != before.number
        to = str(self.form.get("then", ""))
        known = to if to in dict(STEPS) else ""
        return self.again(
            known, **({"saved": str(version.number), **told} if is_new else {} if known else {"same": "yes"})
        )

    def again(self, to: str = "", at: str = "", **query: str) -> Response:
        """The page, or another one, loaded anew: what was sent is not sent twice.

        `at` is the part of a long page that is shown first: whoever pressed a button far down sees what came of it.
        """
        address = to or str(self.form.get("back") or self.request.url.path)
        if not address.startswith("/") or address.startswith("//"):
            address = "/"
        asked = f"?{urlencode(query)}" if query else ""
        return RedirectResponse(f"{address}{asked}{f'#{at}' if at else ''}", status_code=303)

    def start(self, what: str, settings: Json, to: str = "", at: str = "") -> Response:
        """Begin a job, and show the page on which it is told, there where it is told."""
        call = CALLS[what]
        about = self.now.mark_of(call.about)
        job = self.space.jobs.start(what, settings, call.command(self.space.path, settings), about)
        return self.again(to, at or f"job-{job.number}")

    def is_old(self, job: Job | None) -> bool:
        """Whether what a job depends on says something else in the project by now."""
        return job is not None and job.mark != self.now.mark_of(CALLS[job.what].about)

    def written_anew(self, job: Job | None) -> str:
        """Which files that a job read are no longer what they were, in a sentence; empty while all are."""
        return "" if job is None else written_anew(self.space.folder, job.files)


Show = Callable[[Visit], Response]
_GAPS_LEFT = (
    " Records with these codes have gaps now: steps of the plan that would have refused them protect the other values"
    " and leave the gaps, which the page Methods shows."
)


def page(path: str, show: Show, save: Show | None = None, *, needs: bool = True) -> list[Route]:
    """The routes of one page: shown, and changed by its form; a refused change shows it again with the reason.

    `needs`: it is about the project, and is shown only where there is one that can be read.
    """

    async def shown(request: Request) -> Response:
        return await run_in_threadpool(_shown, request)

    def _shown(request: Request) -> Response:
        visit = _visit(request)
        return _instead(visit) if needs and visit.now.project is None else _told(show, visit)

    async def changed(request: Request) -> Response:
        form = await _form_of(request)
        return await run_in_threadpool(_changed, request, form)

    def _changed(request: Request, form: FormData) -> Response:
        visit = replace(_visit(request), form=form)
        if needs and visit.now.project is None:
            return _instead(visit)
        try:
            return (save or show)(visit)
        except ChangedMeanwhile as problem:
            return _told(show, replace(visit, error=sentence(problem), form=FormData(), unsaved=_written(form)))
        except MicroveilError as problem:
            return _told(show, replace(visit, error=in_form_words(sentence(problem))))

    answers: list[Route] = [Route(path, shown, methods=["GET"])]
    return [*answers, Route(path, changed, methods=["POST"])] if save is not None else answers


def part(path: str, show: Show, *, needs: bool = True) -> Route:
    """A part of a page that is asked for by itself."""

    def _shown(request: Request, form: FormData) -> Response:
        visit = replace(_visit(request), form=form)
        return _instead(visit) if needs and visit.now.project is None else _told(show, visit)

    async def shown(request: Request) -> Response:
        form = await _form_of(request) if request.method == "POST" else FormData()
        return await run_in_threadpool(_shown, request, form)

    handler: Callable[[Request], Awaitable[Response]] = shown
    return Route(path, handler, methods=["GET", "POST"])


async def _form_of(request: Request) -> FormData:
    """What was sent; one field may be as long as the whole form, and files are not taken.

    Browsers send every end of a line as two signs, also those in the name of a column.
    """
    sent = await request.form(max_fields=MOST_FIELDS, max_part_size=LARGEST)
    texts = ((name, value) for name, value in sent.multi_items() if isinstance(value, str))
    return FormData([(name, value.replace("\r\n", "\n")) for name, value in texts])


def _visit(request: Request) -> Visit:
    space: Workspace = request.app.state.space
    return Visit(request, space, space.now())


def _instead(visit: Visit) -> Response:
    """Where there is no project the file comes first; one that cannot be read is mended as text."""
    return visit.again("/project") if visit.now.is_there else visit.again("/data", first=visit.request.url.path)


def _told(show: Show, visit: Visit) -> Response:
    """The page, or why it cannot be shown."""
    try:
        return show(visit)
    except MicroveilError as problem:
        if visit.error:
            problem = type(problem)(visit.error)
        return replace(visit, error=sentence(problem)).page("problem.html", "This page cannot be shown")


def _written(form: FormData) -> tuple[tuple[str, str], ...]:
    """What somebody wrote or chose, to be made again: no passphrase, and nothing that the page itself sends."""
    hidden = ("base", "act", "count", "passphrase", "again")
    return tuple((name, str(value)) for name, value in form.multi_items() if name not in hidden and str(value).strip())


def sentence(problem: MicroveilError) -> str:
    """What went wrong, as a sentence."""
    text = " ".join(str(problem).split())
    return f"{text}{'' if text.endswith(('.', '?', '!')) else '.'}"
