"""The plan, step by step: what each does, promises and costs, and the form of one step."""

from __future__ import annotations

from typing import Any

from starlette.responses import HTMLResponse, Response

from microveil.app.fields import fields_of, is_whole, settings_from, ticked, whole_in
from microveil.app.left_alone import untouched_columns
from microveil.app.looking import looked
from microveil.app.templating import environment
from microveil.app.visit import Visit, page, part
from microveil.app.words import GAPS
from microveil.core.errors import BadInput, MicroveilError, UnknownColumn
from microveil.core.open_types import Json
from microveil.core.registry import Value, find, registered
from microveil.data.schema import check_names
from microveil.plan import Plan, Step, methods, with_section
from microveil.plan.project_sections import comments_above, other_plan_in
from microveil.plan.proposed_text import TAKE_OTHER_LINES
from microveil.report.settings_words import settings_told
from microveil.run.contract import MISSING_POLICIES
from microveil.run.method import Method

_KEEPING = [("method", "as the method has it"), ("these", "those ticked here; if none is, nothing is kept")]


def show(visit: Visit) -> Response:
    """The steps of the plan, and the methods that can be added."""
    steps = visit.project.plan.steps if visit.project.plan is not None else ()
    return visit.page(
        "methods.html",
        "Methods",
        steps=[_told(number, step) for number, step in enumerate(steps)],
        families=_families(),
        untouched=untouched_columns(visit.project),
        job=visit.space.jobs.last("compare"),
        why=[
            one.replace(TAKE_OTHER_LINES, "take the other plan below") for one in comments_above(visit.now.text, "plan")
        ],
        other_plan=bool(other_plan_in(visit.now.text)),
        plan_text=visit.project.plan.to_text() if visit.project.plan is not None else "",
    )


def _told(number: int, step: Step) -> Json:
    entry = methods(step.method.name)[0]
    acts_on = step.columns or ("its columns",)
    return {
        "number": number,
        "name": step.method.name,
        "summary": entry.summary,
        "settings": settings_told(step.method),
        "columns": step.columns,
        "given": step.given,
        "by": step.by,
        "missing": GAPS[step.missing] if step.missing != "error" else "",
        "claims": [str(claim) for claim in step.method.claims(acts_on)],
    }


def _families() -> list[tuple[str, str, list[tuple[str, str, str]]]]:
    """Every method by its family, with its first sentence and the kinds of columns that it is for."""
    found: dict[str, tuple[str, str, list[tuple[str, str, str]]]] = {}
    for cls in registered(Method):
        about = cls.described
        family = found.setdefault(cls.family, (about.title or cls.family, about.meaning, []))
        family[2].append((cls.name, cls.summary(), f"for columns that are {', '.join(cls.kinds)}"))
    return list(found.values())


def save(visit: Visit) -> Response:
    """Move or remove a step, or try the plan as it is."""
    act = str(visit.form.get("act", ""))
    if act == "try":
        if visit.project.plan is None:
            raise BadInput("the plan has no step yet; add one")
        settings = {"plans": [visit.space.path.name], "path": visit.project.path}
        return visit.start("compare", settings, "/compare")
    if act == "other":
        return _take_other(visit)
    steps = list(visit.project.plan.steps) if visit.project.plan is not None else []
    number = whole_in(visit.form, "number")
    if not 0 <= number < len(steps):
        raise BadInput("there is no such step any more; look at the plan as it is now")
    if act == "remove":
        del steps[number]
    elif act in ("up", "down"):
        other = number + (1 if act == "down" else -1)
        if 0 <= other < len(steps):
            steps[number], steps[other] = steps[other], steps[number]
    else:
        raise BadInput("this button is not known; load the page again")
    return visit.save(lambda text: _with_steps(text, visit, steps), f"step {number + 1} of the plan: {act}")


def _take_other(visit: Visit) -> Response:
    """Put the plan that a look proposed instead, with its scenarios, in the place of those of the project."""
    other = other_plan_in(visit.now.text)
    if not other:
        raise BadInput("the project proposes no other plan any more; look at the plan as it is now")

    def change(text: str) -> str:
        for name, value in other.items():
            text = with_section(text, name, value)
        return text

    return visit.save(change, "the other plan that was proposed, with its scenarios")


def _with_steps(text: str, visit: Visit, steps: list[Step]) -> str:
    old = visit.project.plan
    made = Plan(steps, old.integers if old is not None else None).to_mapping() if steps else None
    return with_section(text, "plan", made)


# -- one step ------------------------------------------------------------------------------------


def show_step(visit: Visit) -> Response:
    """The form of one step: an old one by its number, a new one by its method."""
    cls, settings, step = _asked(visit, as_typed=True)
    entry = methods(cls.name)[0]
    fields = fields_of(cls, settings, cls.name, _wrong(visit, cls))
    chosen = {
        what: visit.form.getlist(what) if visit.form else list(getattr(step, what) or () if step else ())
        for what in ("columns", "given", "by")
    }
    return visit.page(
        "step.html",
        f"{cls.name}, step {int(visit.query['number']) + 1}" if step is not None else f"A new step: {cls.name}",
        entry=entry,
        fields=fields,
        chosen=chosen,
        options=_columns(visit, {str(name) for names in chosen.values() for name in names}),
        keeps=str(visit.form.get("keeps") or ("these" if step is not None and step.given is not None else "method")),
        keeping=_KEEPING,
        number=visit.query.get("number", ""),
        kinds=", ".join(entry.data_kinds),
        roles=" or ".join(cls.default_roles) if isinstance(cls.default_roles, tuple) else "",
        missing=str(visit.form.get("missing") or (step.missing if step else "error")),
        gaps=[(name, GAPS.get(name, name)) for name in MISSING_POLICIES],
    )


def _asked(visit: Visit, *, as_typed: bool = False) -> tuple[type[Method], Json, Step | None]:
    def said(cls: type[Value]) -> Json:
        return settings_from(cls, visit.form, cls.name, as_typed=as_typed)

    steps = visit.project.plan.steps if visit.project.plan is not None else ()
    number = visit.query.get("number", "")
    if is_whole(number):
        if int(number) >= len(steps):
            raise BadInput("there is no such step any more; look at the plan as it is now")
        step = steps[int(number)]
        spec = step.method.to_spec()
        settings: Json = {} if isinstance(spec, str) else dict(spec[step.method.name])
        cls: Any = type(step.method)
        return cls, said(cls) if visit.form else settings, step
    made = find(visit.query.get("method", ""), Method)
    example = {} if made.needs_nothing() else dict(made.example)
    return made, said(made) if visit.form else example, None


def _wrong(visit: Visit, cls: type[Method]) -> tuple[str, ...]:
    """The way to the parameter for which the form was refused."""
    if not visit.error:
        return ()
    try:
        _check_columns(cls.from_spec({cls.name: settings_from(cls, visit.form, cls.name)}), visit)
    except MicroveilError as problem:
        return tuple(map(str, problem.place))
    return ()


def _check_columns(method: Value, visit: Visit) -> None:
    """Refuse settings that name a column which is not there, before the run does."""
    seen = looked(visit)
    known = list(dict.fromkeys((*visit.project.columns, *(seen.columns if seen is not None else ()))))
    for way, names in method.named_columns():
        try:
            check_names(names, known, way[-1])
        except UnknownColumn as problem:
            problem.place = way
            raise


def _columns(visit: Visit, named: set[str]) -> list[tuple[str, str]]:
    """The columns that a step may act on, with what they are, and those that it names whatever they are."""
    return [
        (name, f"{name} ({facts.get('role', 'other')}, {facts.get('kind', 'continuous')})")
        for name, facts in visit.project.columns.items()
        if facts.get("role") != "identifier" or name in named
    ]


def save_step(visit: Visit) -> Response:
    """Put the step into the plan if the method takes what the form says."""
    cls, settings, old = _asked(visit)
    fields: Json = {"method": {cls.name: settings} if settings else cls.name}
    for what in ("columns", "given", "by"):
        names = ticked(visit.form, what, getattr(old, what) or () if old is not None else ())
        check_names(tuple(names), list(visit.project.columns), what)
        if names or (what == "given" and visit.form.get("keeps") == "these"):
            fields[what] = names
    fields["missing"] = str(visit.form.get("missing", "error"))
    step = Step.from_mapping(fields)
    _check_columns(step.method, visit)
    steps = list(visit.project.plan.steps) if visit.project.plan is not None else []
    if old is not None:
        steps[int(visit.query["number"])] = step
    else:
        steps.append(step)
    version = visit.space.save(
        lambda text: _with_steps(text, visit, steps),
        str(visit.form.get("base", "")),
        f"{cls.name} {'changed' if old is not None else 'added'}",
    )
    return visit.again("/methods", saved=str(version.number))


def show_fields(visit: Visit) -> Response:
    """The inputs as they are after a choice: what another method has inside, and what no longer matters."""
    cls, settings, _ = _asked(visit, as_typed=True)
    fields = fields_of(cls, settings, cls.name)
    return HTMLResponse(environment().get_template("fields.html").render(fields=fields, address=_address(visit)))


def _address(visit: Visit) -> str:
    return f"/methods/fields?{visit.request.url.query}"


ROUTES = [
    *page("/methods", show, save),
    *page("/methods/step", show_step, save_step),
    part("/methods/fields", show_fields),
]
