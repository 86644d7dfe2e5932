"""The parts of the internal report on what was done: steps, promises, what was given up, whom it protects against."""

from __future__ import annotations

from microveil.claims.guarantee import Guarantee
from microveil.core.numbers import format_number, format_percent
from microveil.report.parts import Cell, Column, Heading, Items, Pairs, Part, Row, Step, Table, Text, Words
from microveil.report.settings_words import settings_in_words
from microveil.run.release import Release


def done_parts(release: Release | None) -> list[Part]:
    """Everything that is known of how a release was made; nothing of two plain files."""
    if release is None:
        return []
    return [
        *step_parts(release),
        *promise_parts(release),
        *_lost_parts(release),
        *_unchanged_parts(release),
        *_guarantee_parts(release.guarantee),
    ]


def step_parts(release: Release) -> list[Part]:
    """The steps in their order, with their settings."""
    parts: list[Part] = [Heading("What was done")] if release.steps else []
    for number, record in enumerate(release.steps, start=1):
        name, what = record.method.name, record.method.summary()
        by = f", inside each value of {', '.join(record.step.by)}" if record.step.by else ""
        columns = f"on {', '.join(map(str, record.columns))}{by}"
        settings = (settings_in_words(record.method), Words(columns, "below"))
        parts.append(Step((Text((Words(f"{number}. {name}"), f" – {what}")), Text(settings, "soft"))))
    return parts


def promise_parts(release: Release) -> list[Part]:
    """Every promise, and whether the released values keep it."""
    rows = []
    for promise, verdict in release.verdicts():
        state = "holds exactly" if verdict.exactly else "holds up to rounding" if verdict.holds else "BROKEN"
        columns = ", ".join(map(str, promise.claim.columns))
        told = Cell(state, "holds" if verdict.holds else "broken")
        rows.append(Row((str(promise), columns, told, format_number(verdict.largest, 2))))
    if not rows:
        return []
    weights = f"; {release.about_weights}" if release.about_weights else ""
    head = (
        Column("promise"),
        Column("columns", told=True),
        Column("state"),
        Column("largest deviation", number=True, told=True),
    )
    return [
        Heading("What is promised"),
        Text(f"Each promise was checked on the released values themselves{weights}.", "soft"),
        Table(head, tuple(rows), "figures"),
    ]


def _lost_parts(release: Release) -> list[Part]:
    """The promises given up by the reason, which is said once."""
    found: dict[str, list[str]] = {}
    for lost in release.given_up:
        found.setdefault(lost.reason, []).append(f"{lost.method} promised: {lost.promise}")
    if not found:
        return []
    told: list[Part] = [
        Heading("What was given up"),
        Text(
            "Earlier steps promised this, and later steps or rounding made it meaningless. It does not hold for the "
            "file.",
            "soft",
        ),
    ]
    for why, texts in found.items():
        told += [Items(tuple(texts), style="broken"), Text(f"Why: {why}.")]
    return told


def _unchanged_parts(release: Release) -> list[Part]:
    """The columns of which cells came back as they were, with their share."""
    found = [(str(name), format_percent(share)) for name, share in release.unchanged.items() if share > 0]
    if not found:
        return []
    return [
        Heading("What is as it was"),
        Text(
            "Cells of protected columns that hold the original's value, after rounding. Some agree by chance; the "
            "notes say where more do.",
            "soft",
        ),
        Pairs(tuple(found)),
    ]


def _guarantee_parts(guarantee: Guarantee) -> list[Part]:
    rows = tuple(
        Row(
            (
                statement.intruder,
                Cell("protected", "proven") if statement.protects else Cell("exposed", "broken"),
                statement.text,
            )
        )
        for statement in guarantee.statements
    )
    said = f"{guarantee.summary[0].upper()}{guarantee.summary[1:]}. What follows from the method alone, whatever the"
    return [
        Heading("Against whom it protects"),
        Text(f"{said} measured risk.", "soft"),
        Table(tuple(map(Column, ("an intruder who", "state", "what follows"))), rows, "figures"),
    ]
