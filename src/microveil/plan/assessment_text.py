"""An assessment as lines of text, in words that need no statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.words import list_all
from microveil.plan.assessed_file import HIGH, LEVELS, FileRisk, Special
from microveil.plan.key_changes import KeyChange

if TYPE_CHECKING:
    from microveil.plan.assessment import Assessment

_MOST_CHANGES = 8
_LINKED = "records linked by all compared columns"
_IN_POPULATION = "records alone in the population, estimated"
_NO = ("", "")
TWO_MODELS = (
    "Who is alone in the population and how many would be re-identified come from two models, which need not agree: "
    "the first fits one superpopulation (such as Pitman's) to how often all combinations of keys occur, the second "
    "sums over the records an expectation from each one's own weight (negative binomial). The second takes it that "
    "about as many people share a record's keys as its weight says. That is near the truth with few or coarse keys, "
    "where most records share them in the file; with many keys most combinations belong to one person, and the first "
    "is to be believed. In doubt believe the higher figure."
)


@dataclass(frozen=True)
class FigureRow:
    """One figure of one or two files; None where a file has none. `ranges` are what is likely of an estimate."""

    title: str
    original: float | None
    protected: float | None = None
    unit: str = ""
    ranges: tuple[str, str] = ("", "")

    def cells(self, both: bool) -> list[str]:
        """Title and figures as text."""
        values = (self.original, self.protected) if both else (self.original,)
        return [self.title, *map(self._text, values, self.ranges)]

    def _text(self, value: float | None, likely: str) -> str:
        if value is None:
            return "–"
        return f"{format_number(value)} {self.unit}{f' ({likely})' if likely else ''}".strip()


def figure_rows(found: Assessment) -> list[FigureRow]:
    """The main figures, those of the protected file beside those of the original."""
    gaps = any(file.gaps for file in (found.original, found.protected) if file is not None)
    before = _figures(found.original, gaps)
    after = _figures(found.protected, gaps) if found.protected is not None else {}
    if found.withheld:
        after["records"] = (found.protected_records, "")
    if found.linked is not None:
        before[_LINKED], after[_LINKED] = (found.linked.original, "%"), (found.linked.protected, "%")
    ranges = {_IN_POPULATION: (_likely(found.original), "" if found.protected is None else _likely(found.protected))}
    return [
        FigureRow(
            title, before.get(title, (None, ""))[0], after.get(title, (None, ""))[0], unit, ranges.get(title, _NO)
        )
        for title, unit in {title: unit for part in (before, after) for title, (_, unit) in part.items()}.items()
    ]


def _likely(file: FileRisk) -> str:
    """What share of the records is likely alone in the population, as far as models differ."""
    if not isinstance(file.population, Measured):
        return ""
    ends = (format_number(file.population.parts[end], 2) for end in ("likely at least", "likely at most"))
    return f"{' to '.join(ends)} %"


def _figures(file: FileRisk, gaps: bool) -> dict[str, tuple[float | None, str]]:
    rows: dict[str, tuple[float | None, str]] = {"records": (file.records, "")}
    rows |= {_below(k): (file.below[k], "") for k in LEVELS}
    if gaps:
        rows |= {f"{_below(k)}, if a missing value may be any": (file.below_wildcard[k], "") for k in LEVELS}
    rows["expected re-identifications"] = (file.expected, "")
    if file.household_expected is not None:
        rows["expected re-identifications through households"] = (file.household_expected, "")
    rows["mean risk of a record"] = (100 * file.expected / file.records, "%")
    rows["largest risk of a record"] = (100 * file.largest, "%")
    rows[f"records with a risk above {100 * HIGH:g} % by their keys"] = (file.above_high, "")
    if isinstance(file.population, Measured):
        rows[_IN_POPULATION] = (file.population.value, "%")
    if isinstance(file.special, Special):
        rows["singled out by keys (SUDA)"] = (file.special.records, "")
        rows["largest DIS score"] = (file.special.largest_dis, "")
    return rows


def _below(k: int) -> str:
    return "records alone (below 2-anonymity)" if k == LEVELS[0] else f"records below {k}-anonymity"


def headline(file: FileRisk) -> str:
    """The risk of one file in one or two sentences, the more cautious of two models first."""
    share = format_number(100 * file.below[2] / file.records, 2)
    keys = _keys(len(file.keys))
    alone = f"{file.below[2]:,} of {file.records:,} records ({share} %) are alone with their {keys}"
    found = f"about {format_number(file.expected)} would be re-identified"
    if file.household_expected is not None:
        found += f", {format_number(file.household_expected)} if one member gives the household away"
    population = file.population
    if not isinstance(population, Measured) or population.value <= 100 * file.expected / file.records:
        return f"{alone}; {found}."
    many = format_number(population.value * file.records / 100, 2)
    return (
        f"About {many} of {file.records:,} records ({format_number(population.value, 2)} %; {_likely(file)} are "
        f"likely) are estimated to be alone with their {keys} in the population too, and whoever knows these finds "
        f"them for sure. In the file {alone}. "
        f"By a less cautious model, in which weights say how many people share the keys of a record, {found}."
    )


def _keys(count: int) -> str:
    return "key" if count == 1 else f"{count} keys"


def assumption(file: FileRisk) -> str:
    """What the individual risk rests on."""
    if file.weighted:
        return (
            "The weights estimate the population; the risk of a record is the expected 1/F, F the people with its keys."
        )
    return "No column has the role weight: the file is taken for the whole population, and the risk of a record is 1/f."


def change_said(change: KeyChange, file: FileRisk) -> str:
    """What one change of a key would do, in words."""
    return f"{change.change}: {_records(change.alone)} alone instead of {file.below[2]:,}"


def special_said(special: Special | NotApplicable) -> str:
    """What each key adds to special uniques, or why they were not searched for."""
    if isinstance(special, NotApplicable):
        return f"Special uniques were not searched for: {special.reason}."
    if not special.records:
        return "No record is singled out by its keys (SUDA score 0)."
    up_to = "" if special.largest_size >= special.keys else f" (combinations of up to {special.largest_size} keys)"
    ranked = sorted(special.contributions.items(), key=lambda item: -item[1])
    shares = [f"{key} {format_number(share, 2)} %" for key, share in ranked if share > 0]
    return f"Share of the SUDA score that involves each key{up_to}: {list_all(shares)}."


def text_lines(found: Assessment) -> list[str]:
    """The whole assessment as lines."""
    both = found.protected is not None or bool(found.withheld)
    file = found.shown
    lines = [f"Risk by {_keys(len(found.original.keys))}: {', '.join(found.original.keys)}"]
    rows = figure_rows(found)
    lines += _table([["", "original", "protected"][: 2 + both], *(row.cells(both) for row in rows)])
    lines += [found.withheld] if found.withheld else []
    lines += ["", "Records most at risk" + (f" in the {_which(found)} file" if both else "")]
    lines += [f"  row {one.row} (risk {format_number(100 * one.risk, 2)} %): {one.why}" for one in file.riskiest]
    lines += ["", "Riskiest combinations of keys"]
    lines += [
        f"  {_records(one.records)}, risk {format_number(100 * one.risk, 2)} %: {one.words}"
        for one in file.combinations
    ]
    if file.changes and file.below[2]:
        lines += ["", "What one change would do"]
        lines += [f"  {change_said(change, file)}" for change in file.changes[:_MOST_CHANGES]]
    lines += ["", special_said(file.special)]
    lines.append(ranking_said(file.ranking))
    if isinstance(file.population, NotApplicable):
        lines.append(f"Population uniqueness does not apply: {file.population.reason}.")
    else:
        lines.append(TWO_MODELS)
    lines.append(assumption(file))
    lines += [scenario.said for scenario in found.protected_scenarios or found.scenarios]
    lines += why_above_keys(found)
    return [*lines, *file.notes, *found.notes]


def why_above_keys(found: Assessment) -> list[str]:
    """One sentence on scenarios whose risk is above that of every record by its keys: their intruder knows more."""
    file = found.shown
    told = found.protected_scenarios or found.scenarios
    above = [one for one in told if one.known and one.largest is not None and one.largest > 100 * file.largest]
    if not above or not file.weighted:
        return []
    names = list_all([one.name for one in above])
    known = list_all(list(dict.fromkeys(name for one in above for name in one.known)))
    said = (
        f"The intruder of {names} also knows {known} and takes the most similar record; that others in the population "
        "are alike does not help against it. The risk of a record rests on the keys alone and counts, by the weights, "
        "those who are alike in the population, so that it is lower."
    )
    return [said]


def ranking_said(ranking: Measured | NotApplicable) -> str:
    """Which keys reveal most, or why they were not ranked."""
    if isinstance(ranking, NotApplicable):
        return f"Keys were not ranked: {ranking.reason}."
    return ranking.reading if ranking.value > 0 else "Few keys together leave no record alone."


def proposal(found: Assessment, how: str) -> list[str]:
    """One line on the roles that nobody stated; `how` says how to decide them, in the words of the door used."""
    if not found.proposed:
        return []
    said = "; ".join(f"{role}: {', '.join(map(str, names))}" for role, names in found.proposed.items())
    return [f"Nobody stated these roles, the columns were taken for what they look like ({said}); {how}."]


def _which(found: Assessment) -> str:
    return "original" if found.protected is None else "protected"


def _records(count: int) -> str:
    return "1 record" if count == 1 else f"{count:,} records"


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    return [
        "  "
        + "  ".join([row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    ]
