"""Evaluation: every measure that applies to a pair of files, in one table."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from narwhals import Implementation

from microveil.core.cards import Html, card, folded, listed, paragraph, table
from microveil.core.errors import BadInput, UnknownName
from microveil.core.families import sort_families
from microveil.core.measured import Measured, NotApplicable
from microveil.core.open_types import Json
from microveil.core.parameters import suggest
from microveil.core.registry import find, registered
from microveil.core.words import counted, list_all
from microveil.data.frames import AnyFrame
from microveil.measure import Linked, Measure, MeasureFamily, Pair, Scenario
from microveil.plan.alignment import rows_seem_to_correspond
from microveil.plan.anonymity import agreeing_columns
from microveil.plan.assessed_pair import with_doubtful_keys
from microveil.plan.attacked import Attacked, advice_lines, attacked
from microveil.plan.compared import compare_columns
from microveil.plan.households_together import tell_households
from microveil.plan.questions import by_question, is_asked_first
from microveil.plan.repeated_units import Units, find_grouped_units
from microveil.plan.sampled import take_sample
from microveil.plan.silent import ROLES_IN_PYTHON, silent_lines
from microveil.plan.unknown_weight import NO_WEIGHT, UnknownWeight, find_known, unknown_columns, unknown_weight
from microveil.plan.worst_case import Said, attacks_on, in_every_way, in_scenarios, worst_case, worst_said
from microveil.run.release import AnyFile, Release

_MOST_BEFORE = 200_000
_ENOUGH_ROWS = 30  # to tell whether rows correspond
QUICK, ALL = "quick", "all"
ALL_RECORDS_UP_TO = 300_000  # above it even "all" tells slow measures from a sample: linkage would take hours
Measures = Literal["quick", "all"] | Sequence[Measure | str] | None


@dataclass(frozen=True)
class Line:
    """One line of an evaluation: a measure, what it said, and what it says of the original as it is.

    `before` is None for measures that compare two files. `other_ways` holds what the same attack found comparing in
    other ways, or by the intruders of scenarios: the worst case looks at these too.
    """

    measure: Measure
    result: Measured | NotApplicable
    before: Measured | NotApplicable | None = None
    other_ways: tuple[Said, ...] = ()

    @property
    def family(self) -> str:
        """The family of the measure, such as `loss` or `risk`."""
        return self.measure.family

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """The scenarios that were measured; none for other measures."""
        said = ((self.measure, self.result), *self.other_ways)
        told = [one for measure, result in said if isinstance(result, Measured) for one in measure.stated_scenarios]
        return tuple(dict.fromkeys(told))

    @property
    def title(self) -> str:
        """The measure's name for people."""
        return self.measure.title or type(self.measure).__name__


@dataclass(frozen=True)
class Evaluation:
    """All figures of a pair of files; printed as a table, shown as HTML in a notebook."""

    lines: tuple[Line, ...]
    records: int
    protected_records: int
    columns: tuple[str, ...]
    notes: tuple[str, ...] = ()
    library: str | Implementation = "pyarrow"  # the data frame library that the original came in
    weight: UnknownWeight = NO_WEIGHT
    proven_k: int | None = None  # one of so many records is found at most, where that is proven
    attacks: tuple[str, ...] | None = None  # the titles of those that the methods make possible; None: of all
    unused: tuple[str, ...] = ()  # what no attack made use of, in sentences
    unknown: tuple[str, ...] = ()  # released columns that no attack knows unless a scenario says so
    sampled: int | None = None  # records from which intervals are told, where figures are of some of them
    units: Units | None = None  # those with several records each, of which a proof says nothing

    def __getitem__(self, name: str) -> Measured | NotApplicable:
        for line in self.lines:
            if name in (line.measure.name, type(line.measure).__name__):
                return line.result
        known = [line.measure.name for line in self.lines]
        raise UnknownName(f"no measure {name!r} here{suggest(name, known)}")

    @property
    def worst(self) -> Measured | NotApplicable:
        """The worst case: per cent of records re-identified, the highest over attacks and stated scenarios."""
        unknown = (*self.weight.sentences, *self.unused)
        return worst_case(self.said, self._told_by, unknown, self.attacks, self.proven_k, self.units)

    @property
    def _told_by(self) -> int:
        """How many records intervals are told by that no measure gave."""
        return self.protected_records if self.sampled is None else self.sampled

    @property
    def attacked(self) -> tuple[Attacked, ...]:
        """What each attack found, that which found most first, and what to do against those that succeed."""
        return attacked(self.said, self.protected_records, self.proven_k, self.unknown, self.sampled)

    @property
    def said(self) -> tuple[Said, ...]:
        """Every measure with what it said, comparing in other ways too."""
        return tuple(one for line in self.lines for one in ((line.measure, line.result), *line.other_ways))

    @property
    def families(self) -> tuple[MeasureFamily, ...]:
        """The families of the measures that were asked for, in their order."""
        return sort_families(line.measure.described for line in self.lines)

    def of(self, family: str) -> tuple[Line, ...]:
        """The lines of a family, such as `loss` or `risk`."""
        return tuple(line for line in self.lines if line.family == family)

    def to_json(self) -> Json:
        """All figures in plain JSON terms."""
        return {
            "records": self.records,
            "protected_records": self.protected_records,
            "columns": list(self.columns),
            "notes": list(self.notes),
            "worst": self.worst.to_json(),
            "attacked": [one.to_json() for one in self.attacked],
            **{family.name: [_line_in_json(line) for line in self.of(family.name)] for family in self._all_families},
        }

    @property
    def _all_families(self) -> tuple[MeasureFamily, ...]:
        """Every family that there is: one of which nothing was asked has no lines."""
        return sort_families([*(cls.described for cls in registered(Measure)), *self.families])

    def to_text(self) -> str:
        """All figures as JSON text."""
        return json.dumps(self.to_json(), indent=2, ensure_ascii=False)

    def __repr__(self) -> str:
        out = [f"Evaluation of {self.protected_records} protected against {self.records} original records"]
        asked = any(line.measure.reidentifies for line in self.lines)
        out += [worst_said(self.worst)] if asked or isinstance(self.worst, Measured) else []
        out += [f"  {line}" for line in advice_lines(self.attacked)]
        for family in self.families:
            out.append(family.name)
            for line in self.of(family.name):
                if isinstance(line.result, Measured):
                    out.append(f"  {line.title:<34} {line.result.figure:>12}  {line.result.said}")
            silent = silent_lines([(line.title, line.result) for line in self.of(family.name)], ROLES_IN_PYTHON)
            out += [f"  does not apply: {text}" for text in silent]
        return "\n".join([*out, *(f"note: {note}" for note in self.notes)])

    def to_frame(self) -> AnyFrame:
        """All figures as a data frame, one row per measure, in the library that the data came in.

        A measure that does not apply has no value and says why in `reading`.
        """
        import narwhals as nw

        rows = [
            {"family": line.family, "question": found.question.title, **_row(line)}
            for found in by_question(self.lines)
            for line in (*found.first, *found.further, *found.silent)
        ]
        columns = {name: [row[name] for row in rows] for name in ("family", "question", *_FRAME_COLUMNS)}
        found: AnyFrame = nw.from_dict(columns, backend=self.library).to_native()  # type: ignore[arg-type] # an eager one
        return found

    def _repr_html_(self) -> str:
        parts = []
        for found in by_question(self.lines):
            parts.append(paragraph(Html(f"<b>{found.question.title}</b>")))
            parts.append(table(_CARD_HEAD, map(_cells, found.first)))
            parts.append(
                folded(counted(len(found.further), "further measure"), table(_CARD_HEAD, map(_cells, found.further)))
            )
            silent = [f"{line.title}: {_reading(line)}" for line in found.silent]
            parts.append(folded(f"{counted(len(silent), 'measure')} without a figure", listed(silent)))
        compared = f"{counted(self.protected_records, 'protected record')} against {self.records:,} original"
        return card(f"Evaluation of {compared}", *parts)


_CARD_HEAD = ("measure", "before", "after", "how to read it")
_FRAME_COLUMNS = ("measure", "title", "before", "value", "unit", "better", "low", "high", "reading")


def _row(line: Line) -> Json:
    result, before = line.result, line.before
    found = result if isinstance(result, Measured) else None
    low, high = (None, None) if found is None or found.interval is None else found.interval
    return {
        "measure": line.measure.name,
        "title": line.title,
        "before": before.value if isinstance(before, Measured) else None,
        "value": None if found is None else found.value,
        "unit": line.measure.unit,
        "better": line.measure.better,
        "low": low,
        "high": high,
        "reading": _reading(line),
    }


def _reading(line: Line) -> str:
    return line.result.said if isinstance(line.result, Measured) else f"does not apply: {line.result.reason}"


def _cells(line: Line) -> tuple[object, ...]:
    before = line.before.figure if isinstance(line.before, Measured) else ""
    after = line.result.figure if isinstance(line.result, Measured) else ""
    return line.title, before, after, _reading(line)


def _line_in_json(line: Line) -> Json:
    before = {} if line.before is None else {"before": line.before.to_json()}
    return {"title": line.title, **line.result.to_json(), **before}


def evaluate_in_memory(
    original: AnyFile,
    protected: AnyFile | None,
    measures: Measures,
    columns: Sequence[str] | None,
    by: str | Sequence[str] | None,
    linked: Linked,
    scenarios: Sequence[Scenario],
    progress: Callable[[str, int, int], None] | None,
) -> Evaluation:
    """Every measure of files whose records are all at hand, as `evaluate` says."""
    pair = Pair.of(original, protected, columns, linked)
    for scenario in scenarios:
        scenario.check_columns(list(pair.before.columns))
    seen = compare_columns(pair, columns, by)
    pair = seen.pair
    agreeing: tuple[str, ...] = ()
    release = original if protected is None else protected
    if isinstance(release, Release):
        agreeing = agreeing_columns(release)
    elif not pair.single:
        pair = with_doubtful_keys(pair, scenarios)
    chosen, overview = choose_measures(measures, scenarios, agreeing), measures is None
    if overview or isinstance(measures, str):
        # of a release it is known which attacks its methods make possible; of other files each says what it would need
        told = pair.plan is None and measures != QUICK
        chosen = tuple(measure for measure in chosen if told or measure.concerns(pair))
    lines = []
    for number, measure in enumerate(chosen, start=1):
        if progress is not None:
            progress(measure.title or measure.name, number, len(chosen))
        reason = measure.too_long_for_overview(pair) if overview else ""
        if reason:
            lines.append(Line(measure, NotApplicable(measure.name, reason, left_out=True)))
            continue
        large = max(pair.before.n, pair.after.n) > ALL_RECORDS_UP_TO
        sampled = overview or measures == QUICK or (measures == ALL and large)

        def take(one: Measure, sampled: bool = sampled) -> Measured | NotApplicable:
            return take_sample(one, pair, by, sampled)

        (_, result), *others = in_every_way(measure, take(measure), pair, take)
        others += in_scenarios([(measure, result), *others], scenarios, pair, take)
        lines.append(Line(measure, result, _before(measure, pair, by, sampled), tuple(others)))
    library = pair.before.narwhal.implementation
    known = find_known([scenario for line in lines for scenario in line.scenarios])
    weight = unknown_weight(pair, [name for name in seen.weights if name not in known])
    counts = (pair.before.n, pair.after.n)
    proven_k = release.guarantee.k if isinstance(release, Release) else None
    said = [one for line in lines for one in ((line.measure, line.result), *line.other_ways)]
    unused = (*tell_households(pair, said), *_tell_shuffled(pair, release, linked))
    return Evaluation(
        tuple(lines),
        *counts,
        pair.columns,
        seen.notes,
        library,
        weight,
        proven_k,
        attacks_on(pair),
        unused,
        unknown_columns(pair),
        units=None if (units := find_grouped_units(pair)) is None else units.of,
    )


def _tell_shuffled(pair: Pair, protected: AnyFile | None, linked: Linked) -> tuple[str, ...]:
    """A sentence where rows of plain files are taken to correspond by default and do not seem to."""
    plain = linked is True and not pair.one_file and not isinstance(protected, Release) and pair.link is not None
    if not plain or pair.before.n < _ENOUGH_ROWS or rows_seem_to_correspond(pair.before, pair.after):
        return ()
    told = (
        "The rows of the two files do not seem to correspond: if they were shuffled, figures of linkage say nothing; "
        "give the release itself, or say that nobody knows which rows belong together."
    )
    return (told,)


def _before(
    measure: Measure, pair: Pair, by: str | Sequence[str] | None, sampled: bool
) -> Measured | NotApplicable | None:
    """What the measure says of the original alone; None if it compares files, or there is no second one.

    Of a large original only the measures that people look at first are taken.
    """
    if not measure.alone or pair.single:
        return None
    if sampled and pair.before.n > _MOST_BEFORE and not is_asked_first(measure):
        return None
    return take_sample(measure, Pair.of(pair.before, None, pair.columns), by, sampled)


def choose_measures(
    measures: Measures, scenarios: Sequence[Scenario] = (), agreeing: Sequence[str] = ()
) -> tuple[Measure, ...]:
    """The measures asked for: all of an overview, the quick ones, or those given by themselves or by name."""
    if measures is None or measures == ALL:
        return default_measures(scenarios, agreeing)
    if measures == QUICK:
        return tuple(measure for measure in default_measures(scenarios, agreeing) if measure.quick)
    if isinstance(measures, str | Measure):
        raise BadInput(f"measures={measures!r} is not {QUICK!r}, {ALL!r} or a list of measures; put one into a list")
    ready = {measure.name: measure for measure in default_measures(scenarios, agreeing)}
    return tuple(
        measure if isinstance(measure, Measure) else ready.get(measure) or _by_name(measure) for measure in measures
    )


def _by_name(name: str) -> Measure:
    """The measure of a name alone."""
    cls = find(name, Measure)
    if not cls.needs_nothing():
        needed = list_all([parameter.name for parameter in cls.parameters() if parameter.required])
        raise BadInput(
            f"{cls.name} needs {needed}, which its name alone does not say; leave it out, or in Python give the "
            f"measure itself: {cls.__name__}({needed.replace(' and ', ', ').replace(', ', '=..., ')}=...)"
        )
    return cls()


def default_measures(scenarios: Sequence[Scenario] = (), agreeing: Sequence[str] = ()) -> tuple[Measure, ...]:
    """Every registered measure that needs no further information, in the order of families; with the scenarios stated.

    Gaps of the columns `agreeing` agree with any value there.
    """
    ready = [cls for cls in registered(Measure) if cls.needs_nothing()]
    ordered = sorted(ready, key=lambda cls: (cls.described.place, cls.name))
    return tuple(cls().take_scenarios(scenarios, agreeing) for cls in ordered)
