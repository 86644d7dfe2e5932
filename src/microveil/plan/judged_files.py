"""Whether files in blocks keep the limits of scenarios: what counts show exactly, and what a sample shows for sure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.open_types import Json
from microveil.engines import FileRelease
from microveil.engines.pair_of_files import PairOfFiles
from microveil.kernels.tables.sizes import class_sizes
from microveil.measure import Scenario
from microveil.measure.scenarios import at_most_part, at_risk_part, tolerated_share
from microveil.plan.anonymity import agreeing_columns
from microveil.plan.evaluated_files import take_in_blocks
from microveil.plan.evaluation import Evaluation
from microveil.plan.verdict_limits import NO_LIMITS, Judged, State, is_about_nobody, remedy, state_of, title_of
from microveil.plan.worst_case import most_linked, worst_said
from microveil.risk import ScenarioRisk


@dataclass(frozen=True)
class VerdictOfFiles:
    """What one decides by of a release in files: whether stated limits are kept, why, what helps, what nobody measured.

    `ok` is None where nobody stated a limit, and False also where a limit is not shown to be kept.
    """

    line: str
    ok: bool | None
    because: tuple[str, ...]
    worst: Measured | NotApplicable
    help: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    unmeasured: tuple[str, ...] = ()  # measures that need all records at once, by their titles
    measured: bool = True  # False: a limit is not shown to be kept, and none is known to be exceeded
    exposed: str = ""

    @property
    def state(self) -> State:
        """Whether the limits are kept; doubtful: they are, and something else speaks against the file."""
        return state_of(self.ok, self.measured, self.doubts)

    @property
    def title(self) -> str:
        """The decision in one line."""
        return title_of(self.state, self.doubts)

    def told(self) -> list[str]:
        """All of it as lines for people, those after the first indented."""
        lines = [f"{self.title}.", *self.because, worst_said(self.worst)]
        lines += [f"What would help: {'; '.join(self.help)}."] if self.help else []
        if self.unmeasured:
            lines.append(f"Not measured, since blocks do not tell it: {', '.join(self.unmeasured)}.")
        return [f"Verdict: {self.line}", *(f"  {line}" for line in lines)]

    def to_json(self) -> Json:
        """The verdict in plain JSON terms."""
        return {
            "line": self.line,
            "ok": self.ok,
            "title": self.title,
            "because": list(self.because),
            "doubts": list(self.doubts),
            "help": list(self.help),
            "worst": self.worst.to_json(),
            "unmeasured": list(self.unmeasured),
        }


def verdict_of_files(
    release: FileRelease, scenarios: Sequence[Scenario], evaluation: Evaluation, source: PairOfFiles | None = None
) -> VerdictOfFiles:
    """The verdict on a release in files under the limits that scenarios state, with what an evaluation of it found.

    A limit is kept if all records, counted, keep it, or if the upper end of the interval of a sample does. One that
    cannot be judged is not kept.
    """
    files = release.in_blocks() if source is None else source
    agreeing = agreeing_columns(release)
    judged = [judge_in_blocks(files, one, agreeing) for one in scenarios if one.thresholds]
    ok = all(one.kept for one in judged) if judged else None
    worst = evaluation.worst
    return VerdictOfFiles(
        line=_line(evaluation),
        ok=ok,
        because=tuple(one.said for one in sorted(judged, key=lambda one: one.kept)) or (NO_LIMITS,),
        worst=worst,
        help=tuple(dict.fromkeys(one.help for one in judged if not one.kept)),
        doubts=_doubts(judged, worst) if ok else (),
        unmeasured=tuple(
            line.title for line in evaluation.lines if isinstance(line.result, NotApplicable) and line.result.left_out
        ),
        measured=ok is not False or any(one.measured for one in judged if not one.kept),
    )


def judge_in_blocks(files: PairOfFiles, scenario: Scenario, agreeing: Sequence[str]) -> Judged:
    """Whether a release in files keeps the limits of one scenario."""
    named = f"Scenario {scenario.name!r}"
    if is_about_nobody(files.head, scenario):
        return Judged(scenario, True, f"{named} is kept: every record is synthetic and has no original to link.")
    measure = ScenarioRisk(scenarios=(scenario,)).reading_gaps(agreeing)
    found = take_in_blocks(measure, files)
    limit, allowed = scenario.limit("risk"), scenario.limit("share")
    if not isinstance(found, Measured):
        said = f"{named} is not shown to be kept, since it could not be measured: {found.reason}."
        return Judged(scenario, False, said, _ANOTHER.format(scenario.name), measured=False)
    share = found.parts[at_risk_part(scenario)]
    most = found.parts.get(at_most_part(scenario))
    of_whom = "records" if most is None else "records of a random sample"
    above = f"{format_number(share)} % of the {of_whom} have a risk above {limit:g}"
    if most is not None:
        above += f", so that up to {format_number(most)} % of all may have"
    told = f"{above}, where at most {allowed:g} % are allowed"
    if share > allowed:
        return Judged(scenario, False, f"{named} is not kept: {told}.", remedy(files.head, scenario, limit))
    if most is not None and most > allowed:
        said = f"{named} is not shown to be kept: {told}."
        return Judged(
            scenario, False, said, f"{_ANOTHER.format(scenario.name)}; or allow a larger share", measured=False
        )
    asks = _asks(files, measure)
    idle = "" if asks else " The original keeps this limit too, so that it asks for nothing."
    return Judged(scenario, True, f"{named} is kept: {told}.{idle}", asks=asks)


_FIRST = ("k-anonymity", "uniqueness", "individual-risk", "pil")
_ANOTHER = "judge {!r} on a sample of the file in memory, or state a scenario of keys that are not perturbed"


def _asks(files: PairOfFiles, measure: ScenarioRisk) -> bool:
    """Whether the original does not keep the limit of a scenario, as far as counts tell."""
    (scenario,) = measure.scenarios
    if scenario.known:
        return _known_of_original(files.alone(), scenario, measure) > scenario.limit("share")
    already = take_in_blocks(measure, files.alone())
    return not (isinstance(already, Measured) and already.value <= scenario.limit("share"))


def _known_of_original(original: PairOfFiles, scenario: Scenario, measure: ScenarioRisk) -> float:
    """The per cent of records at risk if the original were released as it is: equal ones alone are taken for another.

    Of too many different records to be counted nobody says that they are alike.
    """
    try:
        counted = original.counted_as_they_are(scenario.columns)
    except BadInput:
        return 100.0
    codes = measure.read_gaps(counted.tables(scenario.columns)[1])
    alike, _ = class_sizes(codes, measure.missing, None, counted.counts)
    return scenario.share_at_risk(1.0 / alike, counted.counts)


def _doubts(judged: Sequence[Judged], worst: Measured | NotApplicable) -> tuple[str, ...]:
    """What speaks against taking limits that are kept for safety."""
    found = []
    if not any(one.asks for one in judged):
        found.append("the original keeps them too, so that they ask for nothing")
    tolerated = max(tolerated_share(one.scenario) for one in judged)
    linked = most_linked(worst.parts) if isinstance(worst, Measured) else None
    if linked is None:
        found.append("linking was not tried")
    elif linked[1] > tolerated:
        found.append(
            f"an intruder finds about {format_number(linked[1])} % of the records in the worst case, where the "
            f"scenarios tolerate {format_number(tolerated)} % at most"
        )
    return tuple(found)


def _line(evaluation: Evaluation) -> str:
    """The figures that one looks at first."""
    parts = [
        f"{line.title} {line.result.figure}"
        for line in evaluation.lines
        if line.measure.name in _FIRST and isinstance(line.result, Measured)
    ]
    return " · ".join(parts) or "no figure was measured"
