"""A project as the text that people edit: every part with a word on what may stand there."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

_WIDTH = 110

HEAD = """\
# What is known about a data file, who might attack it, and what is done about it.
# Change what is wrong here, then run:  microveil run THIS_FILE    (a package, complete or not at all)
# or for one protected file only:       microveil protect {path} --project THIS_FILE -o OUT
"""
DATASET = """
# The file; its path is relative to this one. sha256 tells whether it changed since.
# encoding (cp1252), decimal ("," or ".") and delimiter (";") say how a text file is read.
# sheet ("2024") names the one that is read of a workbook.
"""
INTEGERS = """
# Whole numbers that were changed: `round` gives whole numbers back, `keep exact` gives unrounded ones.
"""
COLUMNS = """
# role:  identifier    names somebody (name, number, address); never released
#        key           others may know it of a person (age, sex, region, occupation)
#        confidential  must not be learnt (income, health)
#        other         neither
#        weight        how many in the population a record stands for
#        household     who lives together
#        stratum       how the sample was drawn
# kind:  continuous (an amount), ordinal (categories in order; levels: [low, middle, high] says which),
#        nominal (categories without order)
# also:  missing: [99, -1]                      codes that mean "no answer"
#        label: Income in euros                 what the column is; labels: {1: employed} of its values, for codebooks
#        hierarchy: {Vienna: [East, Austria]}   coarser values, the nearest first; or age.csv, a file beside this one
#                   with a line 17;15-19;10-19;* for each value, or a rule: {intervals: {widths: [5, 10]}}
"""
CONSTRAINTS = """
# Rules that every record satisfies: amounts that are never below 0, sums and bounds, such as
#   income >= 0     total == part_1 + part_2     rent <= 0.9 * income     0 <= share <= 100
# and of dates, which count in days: admission <= discharge     discharge - admission == days_of_stay
# Methods that can keep them do, and every release says which hold. Take out what only happens to hold here.
"""
SCENARIOS = """
# Who might attack. keys: the columns that this person knows exactly; equal ones are counted. known: what this person
# knows besides, be it amounts, categories or a weight: the record that is nearest in keys and known is looked for.
# thresholds: risk, the largest tolerated probability that a record is found (0.2 is one in five);
# share, the per cent of records that may exceed it.
"""
UTILITY = """
# Figures that users will compute and that must survive; a run that breaks one of them releases nothing. tolerance is
# the largest relative change, of each group where there are several; of a table, the share of records that may stand in
# another cell. overlap: the least overlap of the 95 % intervals of a coefficient before and after.
# statistic: mean, sum, count, median, variance, sd or gini; where: {sex: f} looks at some records only. In a regression
# numbers have one slope each, ordinal ones (age) too; nominal columns have a term for each value but the first.
"""
SEARCH = """
# What `microveil search THIS_FILE` may try and must keep; all of it may be left out. objectives: a measure of loss and
# one of risk. at_most: limits of measures, or of what is found in a scenario. require: promises that a plan must make.
# columns: those to protect. methods, without: methods to try, and to leave out. budget: how long it may take.
"""
PLAN = """
# What is done, step by step: a first proposal. `microveil methods` lists the methods, `microveil methods NAME`
# describes one. A step has a method, its columns, and if need be by (subdomains), given (columns kept and
# conditioned on) and missing (error, drop or mask). Parameters stand behind the name of a method:
#   {k-anonymise: {k: 3}}   {micro-hybrid: {partition: {mdav: {k: 20}}}}   {rank-swap: {p: 5}}
"""
RELEASE = """
# What the release is to be; all of it may be left out. kind: public, scientific (under contract) or secure (in your own
# rooms). need: why the data are released, and to whom. formats: csv, parquet, feather, spss, stata, xlsx. review: when
# the decision is looked at again. register: the file that knows all releases of this source; earlier: folders of
# earlier runs that it does not know. published: totals that were published elsewhere and must agree.
# signers: who has to sign. as_they_are: keys that no step changes and no scenario knows, and that are to leave so.
"""
NOTHING = {
    CONSTRAINTS: "# constraints:\n# - income >= 0\n# - total == part_1 + part_2\n",
    SCENARIOS: "# scenarios:\n# - name: neighbour\n#   keys: [age, sex]\n#   thresholds: {risk: 0.2, share: 0}\n",
    UTILITY: "# utility:\n"
    "# - {name: mean income by region, statistic: mean, of: income, by: [region], tolerance: 0.02}\n"
    "# - {name: households by size, table: [size, region], tolerance: 0.05}\n"
    "# - {name: wage equation, regression: income ~ age + hours, overlap: 0.8}\n"
    '# - {name: inequality, indicator: "quantile(income, 0.9) / median(income)", tolerance: 0.05}\n',
    SEARCH: '# search:\n#   at_most: {worst-case: 5}\n#   without: [lattice]\n#   budget: "5 min"\n',
    PLAN: "# plan:\n#   steps:\n#   - method: {k-anonymise: {k: 5}}\n#     columns: [age, sex]\n",
    RELEASE: "# release:\n#   title: Income survey 2026\n#   kind: public\n#   need: Research on incomes.\n"
    "#   formats: [csv, spss]\n#   review: 2028-06-30\n#   register: register.jsonl\n#   earlier: [../2024/runs/0003]\n"
    "#   published:\n#   - {statistic: sum, of: income, where: {region: North}, value: 123456, tolerance: 0.01}\n"
    "#   signers: [Jane Doe (data protector), John Roe (review board)]\n#   as_they_are: [region]\n",
}
_SECTIONS = (
    (SCENARIOS, "scenarios"),
    (UTILITY, "utility"),
    (SEARCH, "search"),
    (PLAN, "plan"),
    (RELEASE, "release"),
)


def project_text(
    fields: Mapping[str, Any], reasons: Mapping[str, str], comments: Mapping[str, str], support: Mapping[str, str]
) -> str:
    """The fields as YAML, each part under its comment.

    `reasons` stand behind the columns they are about, `support` behind rules; `comments` say more about columns,
    rules, scenarios and plan.
    """
    parts = [HEAD.format(path=shlex.quote(fields["dataset"]["path"])), f"version: {fields['version']}\n"]
    parts += [DATASET, yaml_block({"dataset": fields["dataset"]}), INTEGERS, f"integers: {fields['integers']}\n"]
    parts += [COLUMNS, _columns(fields["columns"], reasons), comments.get("columns", "")]
    rules = fields["constraints"]
    parts += [CONSTRAINTS, constraints_text(rules, support) if rules else NOTHING[CONSTRAINTS]]
    parts.append(comments.get("constraints", ""))
    for comment, name in _SECTIONS:
        parts += [comment, comments.get(name, "")]
        parts.append(yaml_block({name: fields[name]}) if fields.get(name) else NOTHING[comment])
    return "".join(parts)


def yaml_block(fields: Mapping[str, Any] | list[str], flow: bool | None = None, width: int = _WIDTH) -> str:
    """Some fields, or a list, as YAML: short lists and mappings on one line."""
    from microveil.io import write_yaml

    return write_yaml(fields if isinstance(fields, list) else dict(fields), flow, width)


def constraints_text(rules: Sequence[str], support: Mapping[str, str]) -> str:
    """One line for a rule, with its support behind it."""
    lines = ["constraints:"]
    for rule in rules:
        why = f"  # {' '.join(support[rule].split())}" if support.get(rule) else ""
        lines.append(f"{yaml_block([rule], flow=False, width=1 << 20).rstrip()}{why}")
    return "\n".join(lines) + "\n"


def _columns(columns: Mapping[str, Mapping[str, Any]], reasons: Mapping[str, str]) -> str:
    """The part of the columns."""
    if not columns:
        return "columns: {}\n"
    return "\n".join(["columns:", *columns_text(columns, reasons)]) + "\n"


def columns_text(columns: Mapping[str, Mapping[str, Any]], reasons: Mapping[str, str] | None = None) -> list[str]:
    """One line for a column where it fits, with the reason for its role behind it."""
    reasons = reasons or {}
    lines: list[str] = []
    written: dict[str, str] = {}  # most columns have the facts of others
    for (name, facts), head in zip(columns.items(), _heads(list(columns)), strict=True):
        said = repr(facts)
        if said not in written:
            written[said] = yaml_block(facts, flow=True, width=1 << 20).rstrip()
        short = f"{head} {written[said]}"
        reason = f"  # {' '.join(reasons[name].split())}" if reasons.get(name) else ""
        if len(short) <= _WIDTH and "\n" not in short:
            lines.append(f"  {short}{reason}")
        else:
            lines += [f"  {line}" for line in yaml_block({name: dict(facts)}).rstrip().split("\n")]
    return lines


def _heads(names: Sequence[str]) -> list[str]:
    """The names as YAML writes them before a value."""
    together = yaml_block(dict.fromkeys(names), flow=False).split(" null\n")[:-1]
    if len(together) == len(names):
        return together
    # a name that looks like the end of a line
    return [yaml_block({name: None}, flow=False).removesuffix(" null\n") for name in names]
