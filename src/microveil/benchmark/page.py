"""The benchmark as a page in Markdown, with maps beside it: league, correlations, what can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from microveil.benchmark.agreement import agreements, table_two
from microveil.benchmark.figures import IL, PIL, SCORE, WORST, taken
from microveil.benchmark.journal import Result
from microveil.benchmark.league import Ranked, best_of_each_method, league, map_of
from microveil.benchmark.running import DEFAULT_SEED
from microveil.core.numbers import format_number
from microveil.core.words import counted
from microveil.datasets.reference import REFERENCE_FILES
from microveil.report.live_map import still_map

TITLE = "Benchmark of the field"
_TITLES = {"census": "Census", "eia": "EIA", "generated": "Generated enterprises"}
_BEST = 25
_EVERYBODY = 100.0  # per cent
_HEAD = ("place", "plan", "bounded score", "PIL", "IL", "score of 2001", "worst case", "by which attack", "seconds")
_GENERATED = "1000 generated enterprises, revenues and quantities; no reference file was found"

_COMPARABLE = """
- PIL exists for every release that holds amounts. For masked and hybrid records the worst case is that of linkage
  by those who know the method.
- No attack by linkage applies to synthetic records, which came from no one: their worst case counts copies of
  originals (*records released as they are*), and what is told about who was in the file and about values of those who
  were. It must not be compared with that of masked records.
- IL, the score of 2001, linkage and intervals need to know which released record came from which original;
  synthetic records are left out of these columns.
- The score of 2001 has an IL without upper limit, so that one value near 0 in the original may decide it, and its
  risk knows neither the method nor its parameters. The worst case does, and ranks otherwise.
- A method that keeps columns or drops records is measured on what it releases.
- Each plan was run once under one key. Settings that matter for categories alone are run all the same: what they differ
  by here, about a point of the bounded score, is chance.
- Only attacks that take seconds are in the worst case. A method for which nobody wrote an attack looks safer than
  it may be.
"""
_TABLE_TWO = """
- The paper takes 109 maskings of an earlier study (Domingo-Ferrer & Torra 2001) and does not list them. Ours are
  noise of 0.02 to 0.20 standard deviations, rank swapping within 1 to 20 %, MDAV with k = 3 to 20 on 1, 2, 3 or all
  attributes at a time, resampling with 1 to 3 samples, and MDAV with k = 3 to 6 on 4 attributes at a time.
- The earlier study has lossy compression (JPEG) and distortion by a fitted distribution too. This catalogue has
  neither, so that coefficients can be compared in their size and not in their digits.
- PIL is taken as published here (own-record quantiles); the league has it by ranks.
"""
_CORRELATED = """
Spearman's coefficient, and over how many plans. Figures are turned so that more is worse: measures of loss should
agree among themselves, and disagree with those of risk.
"""
_INTRODUCTION = """
A fixed catalogue of plans, each run once and measured alike: the maskings behind Table 2 of the probabilistic
information loss (Mateo-Sanz et al. 2005), its good performers, and every method of this package that suits amounts,
at every point of its grid: masks, hybrids, synthesisers. Plans are ranked by the bounded score, half PIL and half
the worst case.

`microveil benchmark --docs docs` writes this page anew{seeded}; a run that was stopped goes on where it was.
"""


def render_markdown(found: Mapping[str, Sequence[Result]], seed: str = DEFAULT_SEED) -> str:
    """The page of all files that were run."""
    seeded = "" if seed == DEFAULT_SEED else f" with `--seed {seed!r}`"
    lines = [f"# {TITLE}", _INTRODUCTION.format(seeded=seeded), "## What can be compared", _COMPARABLE.rstrip()]
    for name, results in found.items():
        lines += ["", *_of_one_file(name, results)]
    return "\n".join(lines) + "\n"


def map_svg(results: Sequence[Result]) -> str:
    """The map of one file, by PIL and the worst case."""
    return still_map(map_of(results))


def map_name(name: str) -> str:
    """What the file of a map is called."""
    return f"benchmark_{name}.svg"


def league_rows(ranked: Sequence[Ranked]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The league as a table for people: headings and rows."""
    return _HEAD, [_row(one) for one in ranked]


def _of_one_file(name: str, results: Sequence[Result]) -> Iterator[str]:
    ranked = league(results)
    about = REFERENCE_FILES.get(name, _GENERATED)
    yield from (f"## {_TITLES[name]}", "", f"{about}.", "")
    yield f"{counted(len(results), 'plan')}, {len(ranked)} of them with both figures of the league."
    yield from ("", f"![Map of all plans on {name}]({map_name(name)})", "")
    # a file in which everybody is found is where one begins, however little it lost
    edge = [point.label for point in map_of(results).frontier if point.values[WORST] < _EVERYBODY]
    yield f"On the frontier of PIL and the worst case: {', '.join(f'`{label}`' for label in edge)}."
    yield from ("", f"### The {min(_BEST, len(ranked))} best plans", "", *_league_table(ranked[:_BEST]))
    yield from ("", "### Every method at its best", "", *_league_table(best_of_each_method(ranked)))
    yield from _good_performers(ranked)
    yield from _correlations(results)
    if name == "census":
        yield from _published(results)
    yield from _silent(results)


def _row(one: Ranked) -> tuple[str, ...]:
    figures = one.result.figures
    return (
        str(one.place),
        one.result.label,
        format_number(one.bounded),
        *(format_number(figures.get(name)) for name in (PIL, IL, SCORE, WORST)),
        one.result.worst_by,
        format_number(one.result.seconds, 2),
    )


def _league_table(ranked: Sequence[Ranked]) -> Iterator[str]:
    head, rows = league_rows(ranked)
    return _table(head, [(place, f"`{plan}`", *others) for place, plan, *others in rows])


def _good_performers(ranked: Sequence[Ranked]) -> Iterator[str]:
    """The seven maskings of Table 3 in the league: those that are not rescaled have other labels there."""
    from microveil.plan import Plan
    from microveil.plan.space import canonical_text
    from microveil.reproduce.pil_tables import seven_maskings

    by_text = {one.result.text: one for one in ranked}
    rows = []
    for name, method in seven_maskings().items():
        one = by_text.get(canonical_text(Plan([method])))
        if one is not None:
            rows.append((name, *_row(one)[:1], *_row(one)[2:8]))
    if rows:
        head = ("published as", *_HEAD[:1], *_HEAD[2:8])
        yield from ("", "### The good performers of the literature", "", *_table(head, rows))


def _correlations(results: Sequence[Result]) -> Iterator[str]:
    names = list(taken())
    found = {(one.first, one.second): one for one in agreements(results, names)}
    rows = []
    for i, name in enumerate(names[1:], start=1):
        cells = [found[(other, name)] for other in names[:i]]
        told = [f"{format_number(one.spearman, 2)} ({one.plans})" for one in cells]
        rows.append((name, *told, *[""] * (len(names) - 1 - i)))
    yield from (
        "",
        "### Rank correlations between measures",
        _CORRELATED,
        *_table(("", *names[:-1]), rows),
    )


def _published(results: Sequence[Result]) -> Iterator[str]:
    pairs, plans = table_two(results)
    if not pairs:
        return
    rows = [
        (one.pair, *(f"{value:.3f}" for both in zip(one.published, one.ours, strict=True) for value in both))
        for one in pairs
    ]
    head = ("pair", "Pearson, published", "Pearson, ours", "Spearman, published", "Spearman, ours")
    yield from ("", f"### Table 2 of the probabilistic measures, over {plans} maskings", "", *_table(head, rows))
    yield _TABLE_TWO.rstrip()


def _silent(results: Sequence[Result]) -> Iterator[str]:
    """The plans that are not in the league, by the reason."""
    reasons: dict[str, list[str]] = {}
    for one in results:
        reason = one.problem or one.silent.get(PIL) or one.silent.get(WORST)
        if reason:
            reasons.setdefault(reason, []).append(f"`{one.label}`")
    if reasons:
        yield from ("", "### Not in the league", "")
        yield from (f"- {', '.join(labels)}: {reason}" for reason, labels in reasons.items())


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    yield from (f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows)
