"""The sections `utility` and `release` of a project: read, refused with their line, written and read back."""

from __future__ import annotations

import pyarrow as pa
import pytest

from microveil.core.errors import MicroveilError, UnknownColumn
from microveil.data.microdata import Microdata
from microveil.plan import Project
from microveil.plan.release_plan import Published, ReleasePlan
from microveil.plan.utility_plan import Goal

MEAN = "{name: mean income by region, statistic: mean, of: income, by: [region], tolerance: 0.02}"
TABLE = "{name: households by size, table: [size, region], tolerance: 0.05}"
REGRESSION = "{name: wage equation, regression: income ~ age + hours, overlap: 0.8}"
RATIO = '{name: inequality, indicator: "quantile(income, 0.9) / median(income)", tolerance: 0.05}'
TOTAL = "{statistic: sum, of: income, where: {region: North}, value: 123456, tolerance: 0.01}"
SOUND = f"""\
version: 2
dataset: {{path: a.csv}}
utility:
- {MEAN}
- {TABLE}
- {REGRESSION}
- {RATIO}
release:
  title: Income survey 2026
  kind: scientific
  need: Research on incomes.
  formats: [csv, spss]
  review: 2028-06-30
  register: register.jsonl
  earlier: [../2024/runs/0003]
  published:
  - {TOTAL}
  signers: [Jane Doe (data protector), John Roe (review board)]
  as_they_are: [size]
"""


def test_all_of_it_is_read() -> None:
    found = Project.from_text(SOUND)
    assert found.utility[0] == Goal("mean income by region", "mean", "income", ("region",), tolerance=0.02)
    assert found.utility[1] == Goal("households by size", table=("size", "region"), tolerance=0.05)
    assert [goal.columns for goal in found.utility] == [
        ("income", "region"),
        ("size", "region"),
        ("income", "age", "hours"),
        ("income",),
    ]
    assert found.release == ReleasePlan(
        "Income survey 2026",
        "scientific",
        "Research on incomes.",
        ("csv", "spss"),
        "2028-06-30",
        "register.jsonl",
        ("../2024/runs/0003",),
        (Published("sum", 123456.0, "income", {"region": "North"}, 0.01),),
        ("Jane Doe (data protector)", "John Roe (review board)"),
        ("size",),
    )
    assert Project.from_text(found.to_text()) == found


def test_both_sections_may_be_left_out_and_what_is_commented_can_be_used() -> None:
    plain = Project("a.csv")
    assert Project.from_text(plain.to_text()).release == ReleasePlan()
    lines = plain.to_text().splitlines()
    for head in ("# utility:", "# release:"):  # the examples that inspect leaves as comments are sound
        first = lines.index(head)
        last = next((place for place in range(first, len(lines)) if not lines[place]), len(lines))
        lines[first:last] = [line.removeprefix("# ") for line in lines[first:last]]
    used = Project.from_text("\n".join(lines))
    assert len(used.utility) == 4
    assert used.release.review == "2028-06-30"


WRONG = [
    (
        MEAN,
        MEAN.replace("statistic:", "statistics:"),
        r"figure 1 of utility says nothing that is computed; give it .*; did you mean 'statistic'\? \(line 4 of",
    ),
    (MEAN, MEAN.replace("by:", "byy:"), r"figure 1 of utility has no field 'byy'; did you mean 'by'\? \(line 4 of"),
    (MEAN, MEAN.replace(": mean,", ": maen,"), r"is 'maen'; write one of .*; did you mean 'mean'\? \(line 4 of"),
    (MEAN, MEAN.replace("0.02", "-1"), r"tolerance of figure 1 of utility is -1; give .* \(line 4 of"),
    (MEAN, MEAN.replace("0.02", ".inf"), r"tolerance of figure 1 of utility is inf; give .* \(line 4 of"),
    (MEAN, MEAN.replace(", tolerance: 0.02", ""), r"figure 1 of utility has no tolerance; give .* \(line 4 of"),
    (MEAN, MEAN.replace("of: income, ", ""), r"of of figure 1 of utility is None; name the column \(line 4 of"),
    (MEAN, MEAN.replace(": mean,", ": count,"), r"a count is of records, so leave it out \(line 4 of"),
    (MEAN, MEAN.replace("[region]", "region"), r"by of figure 1 of utility is 'region'; give a list .* \(line 4 of"),
    (MEAN, "5", r"figure 1 of utility says nothing that is computed; .* \(line 4 of"),
    (MEAN, "{name: a, table: [x], regression: y ~ x}", r"figure 1 of utility says table, regression; .* \(line 4 of"),
    (TABLE, TABLE.replace("0.05", "1.5"), r"tolerance of figure 2 of utility is 1.5; .* \(line 5 of"),
    (REGRESSION, REGRESSION.replace("~", "="), r"not of the form 'y ~ a \+ b' \(line 6 of"),
    (REGRESSION, REGRESSION.replace("overlap: 0.8", "tolerance: 0.8"), r"has no field 'tolerance'.* \(line 6 of"),
    (RATIO, RATIO.replace("median", "midian"), r"no statistic 'midian'.* \(line 7 of"),
    (RATIO, MEAN, r"several figures of utility are called 'mean income by region'; .* \(line 7 of"),
    ("kind: scientific", "kind: scientifc", r"kind of release is 'scientifc'; .*'scientific'\? \(line 10 of"),
    ("kind: scientific", "kine: scientific", r"release has no field 'kine'; did you mean 'kind'\? \(line 10 of"),
    ("title: Income survey 2026", "title: 2026", r"title of release is 2026; say what .* \(line 9 of"),
    ("[csv, spss]", "[csv, sas]", r"entry 2 of formats of release is 'sas'; give a list of .* \(line 12 of"),
    ("[csv, spss]", "[csv, csv]", r"formats of release is \['csv', 'csv'\]; give .* \(line 12 of"),
    ("2028-06-30", "soon", r"review of release is 'soon'; write the day .* as 2028-06-30 \(line 13 of"),
    ("2028-06-30", "'2028-13-30'", r"review of release is '2028-13-30'; .* \(line 13 of"),
    (
        "register: register.jsonl",
        "register: /x.jsonl",
        r"register of release is '/x.jsonl'; .* relative .* \(line 14 of",
    ),
    ("[../2024/runs/0003]", "[C:/runs]", r"entry 1 of earlier of release is 'C:/runs'; .* relative .* \(line 15 of"),
    ("[../2024/runs/0003]", "\n  - a\n  - 5", r"entry 2 of earlier of release is 5; .* relative .* \(line 17 of"),
    (TOTAL, f"{TOTAL}\n  - {{statistic: sum, value: x}}", r"value of figure 2 of published is 'x'; .* \(line 18 of"),
    ("John Roe (review board)]", "'']", r"entry 2 of signers of release is ''; give .* \(line 18 of"),
    (TOTAL, TOTAL.replace("value: 123456, ", ""), r"figure 1 of published has no value; .* \(line 17 of"),
    (TOTAL, TOTAL.replace("sum", "median"), r"statistic of figure 1 of published is 'median'; .* \(line 17 of"),
    (TOTAL, TOTAL.replace("{region: North}", "North"), r"where of figure 1 of published is 'North'; .* \(line 17 of"),
    (TOTAL, TOTAL.replace("of: income, ", ""), r"of of figure 1 of published is None; name .* \(line 17 of"),
]


@pytest.mark.parametrize(("part", "odd", "message"), WRONG)
def test_what_is_wrong_is_told_with_its_line(part: str, odd: str, message: str) -> None:
    assert part in SOUND
    with pytest.raises(MicroveilError, match=message):
        Project.from_text(SOUND.replace(part, odd))


def test_columns_that_are_not_there_are_told_with_their_line() -> None:
    project = Project.from_text(SOUND)
    data = Microdata(pa.table({"income": [1.0], "region": ["a"], "size": [1], "age": [3]}))
    told = r"'wage equation': there is no column 'hours'.*\(line 6 of"
    with pytest.raises(UnknownColumn, match=told), project.telling_lines():
        project.check_names(data.columns)
    told = r"as_they_are of release: there is no column 'sizes'.*\(line 19 of"
    with (
        pytest.raises(UnknownColumn, match=told),
        Project.from_text(odd := SOUND.replace("[size]", "[sizes]")).telling_lines(),
    ):
        Project.from_text(odd).check_names([*data.columns, "hours"])
