"""The external report and all other texts that are given away: what users need, and nothing of the inside."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import microveil as mv
from microveil.core.measured import Measured
from microveil.core.numbers import format_number
from microveil.package import codebook_text, codebook_xml, released_columns, variables_of
from microveil.package.contents import public_predicate
from microveil.plan import verdict_of
from microveil.plan.release_plan import ReleasePlan
from microveil.plan.utility_plan import Goal
from microveil.plan.utility_reached import Reached
from microveil.report import render_external
from microveil.report.decided_parts import before_and_after
from microveil.report.external import ExternalContent, kept_exactly
from microveil.report.external_meaning import meaning_of
from microveil.report.survived_parts import kept_parts
from tests.browser import NEEDS_BROWSER, Browser

KEY = "0f" * 32
N = 317  # a count that nothing else is
MOMENTS = ("means", "covariances")


def survey_with_extremes() -> mv.Microdata:
    """People of an uneven number, with extremes and rare categories that can be recognised."""
    rng = np.random.default_rng(8)
    income = np.round(rng.gamma(2.0, 1300.0, N), 2)
    income[:2] = (1.37, 98765.43)
    region = np.array(["north", "south", "east"])[rng.choice(3, N, p=[0.6, 0.3, 0.1])].astype(object)
    region[5:8] = "islet"
    return mv.Microdata(
        pa.table(
            {
                "name": [f"canary-{i:04d}" for i in range(N)],
                "age": rng.integers(18, 89, N),
                "region": pa.array(region),
                "income": income,
                "tax": np.round(income * rng.uniform(0.1, 0.4, N), 2),
                "weight": np.round(rng.uniform(5, 9, N), 2),
            }
        ),
        roles={
            "name": "identifier",
            "age": "key",
            "region": "key",
            "income": "confidential",
            "tax": "confidential",
            "weight": "weight",
        },
        kinds={"region": "nominal", "age": "ordinal"},
    )


MODEL = mv.Anonymity(k=7)
PLANS: dict[str, tuple[list[object], str]] = {
    "masked": ([(mv.mask.Microaggregation(partition=mv.partition.MDAV(k=7)), ["income", "tax"])], ""),
    "synthetic": (
        [(mv.synth.GaussianCopula(), ["age", "region", "income", "tax", "weight"])],
        "Every record was drawn from a model",
    ),
    "partly synthetic": ([(mv.synth.Cart(), ["income"])], "income was drawn from a model that learnt"),
    "hybrid": (
        [(mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=7)), ["income", "tax"])],
        "income, tax were partly drawn anew",
    ),
    "sample": ([mv.mask.Sample(fraction=0.73)], "weight was adjusted to that: use it as it is"),
    "suppressed": (
        [(mv.mask.LocalSuppression(k=6), ["age", "region"])],
        "were emptied, mostly those of rare combinations",
    ),
    "k-anonymous": ([(mv.mask.KAnonymise(model=MODEL), ["age", "region"])], "made coarser: a class is true"),
    "recoded": ([(mv.mask.GlobalRecode(), ["income"])], "income was made coarser"),
}


@pytest.fixture(scope="module", params=list(PLANS))
def given_away(request):
    """A release of each kind, its evaluation, and all texts that are given away with it."""
    steps, _ = PLANS[request.param]
    release = mv.Plan(steps).run(survey_with_extremes(), seed=KEY)
    measures = ["pil", "distance-linkage", "rank-interval", "uniqueness"]
    figures = mv.evaluate(release.original, release, measures=measures)
    variables = variables_of(release, released_columns(release))
    columns = [(one.name, one.title, one.kind) for one in variables]
    verdict = verdict_of(release, (), figures)
    files, day = ["data.csv", "data.sav"], "2026-11-16"
    texts = {
        "report": unescape(
            re.sub(
                r"<style>.*?</style>|<[^>]+>",
                " ",
                render_external(ExternalContent(release, files, columns, title="People", date=day, evaluation=figures)),
                flags=re.DOTALL,
            )
        ),
        "codebook.txt": codebook_text("People", files, len(release), variables, date=day),
        "codebook.xml": codebook_xml("People", files, len(release), variables, date=day, version="1").decode(),
        "certificate": json.dumps(
            public_predicate(
                release,
                [name for name, *_ in columns],
                verdict,
                stated=ReleasePlan(need="a secret need", signers=("Jane Doe",)),
                date=day,
                tell_settings=False,
            )
        ),
    }
    return request.param, release, figures, verdict, texts


def numbers_in(text: str) -> set[str]:
    """All numbers of a text as they are written, without those inside words and dates."""
    return set(re.findall(r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w-])", text))


def test_what_it_means_is_told_for_every_kind_of_release(given_away):
    kind, _, _, _, texts = given_away
    assert PLANS[kind][1] in texts["report"]
    for other, (_, said) in PLANS.items():
        if said and other not in (kind, "recoded", "k-anonymous"):
            alike = {("k-anonymous", "suppressed")}  # both may empty cells
            assert (kind, other) in alike or said not in texts["report"], other


def test_no_figure_of_risk_is_given_away(given_away):
    kind, _, figures, verdict, texts = given_away
    risks = [
        line.result
        for line in figures.lines
        if not line.measure.for_users and isinstance(line.result, Measured) and line.result.value not in (0, 1, 100)
    ]
    values = {format_number(one.value) for one in risks}
    values |= {after for _, before, after in before_and_after(verdict) if "." in after}
    values |= {format_number(one.found) for one in verdict.attacked if one.found not in (0, 1, 100)}
    exposed = {value for value in values if "." in value}
    assert exposed or kind == "synthetic"  # where nobody is in the file
    for name, text in texts.items():
        assert not exposed & numbers_in(text), name
        assert not re.search(r"re-identif|intruder|linkage|attack|uniqueness|guessing", text, re.IGNORECASE), name
    titles = [line.title for line in figures.lines if not line.measure.for_users]
    assert titles
    assert [title for title in titles if title in texts["report"]] == []


def test_no_seed_path_name_or_need_is_given_away(given_away):
    _, release, _, _, texts = given_away
    for name, text in texts.items():
        for secret in (KEY, release.key.hex, release.original.mark, "canary", "/tmp", "secret need", "Jane Doe"):
            assert secret not in text, (name, secret)


def test_no_extreme_or_count_of_changed_columns_is_given_away(given_away):
    _, release, _, _, texts = given_away
    original, released = release.original, release.data
    secrets = set()
    if len(release) != N:
        secrets.add(str(N))
    for name in ("income", "tax"):
        if name in release.changed:
            before = np.asarray(original.frame[name], dtype=float)
            after = released.values(name)
            kept = set() if after.levels is not None else set(np.asarray(after.numbers).tolist())
            ends = [end for end in (before.min(), before.max()) if float(end) not in kept]
            secrets |= {said for end in ends for said in (f"{end:.15g}", f"{end:.2f}", format_number(end, 6))}
    if "region" in release.changed:
        counts = [original.frame["region"].to_pylist().count(one) for one in ("north", "south", "east")]
        now = released.frame["region"].to_pylist()
        shown = {now.count(one) for one in set(now)} | {len(release)}
        secrets |= {str(count) for count in counts if count not in shown}
    assert secrets
    for name, text in texts.items():
        found = secrets & numbers_in(text)
        assert not found, (name, found)


def test_parameters_are_told_only_where_asked_for(given_away):
    kind, release, _, _, texts = given_away
    told = {"masked": "7", "hybrid": "7", "k-anonymous": "7", "sample": "0.73", "suppressed": "6"}.get(kind)
    if told is None:
        return
    for name in ("report", "certificate"):
        assert told not in numbers_in(texts[name]), name
    page = render_external(
        ExternalContent(
            release, ["data.csv"], [("income", "", "continuous")], title="People", date="2026-11-16", tell_settings=True
        )
    )
    assert told in numbers_in(re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL))


def test_whole_records_are_named_so():
    release = mv.mask.Sample(fraction=0.5).apply(survey_with_extremes(), seed=KEY)
    page = render_external(
        ExternalContent(release, ["data.csv"], [("income", "", "continuous")], title="x", date="2026-11-16")
    )
    assert "<b>sample</b> on whole records: Release a random part" in page
    assert "multiply weight" not in page


@pytest.mark.parametrize(
    ("few", "heavy", "told"), [(1, False, False), (9, False, False), (20, False, True), (20, True, False)]
)
def test_a_factor_that_would_tell_the_weight_of_few_is_not_told(few, heavy, told):
    n = 200
    weight = np.full(n, 7.0)
    weight[:few] = 13.0
    weight[0] = 900.0 if heavy else 13.0
    place = np.array(["town"] * n, dtype=object)
    place[:few] = [f"hamlet {i}" for i in range(few)]
    data = mv.Microdata(
        pa.table({"place": pa.array(place), "weight": weight}),
        roles={"place": "key", "weight": "weight"},
        kinds={"place": "nominal"},
    )
    release = mv.mask.Lattice(model=mv.Anonymity(k=3), max_dropped=0.3, drop_price=0.01).apply(data, columns=["place"])
    assert len(release) == n - few
    page = render_external(
        ExternalContent(release, ["data.csv"], [("place", "", "nominal")], title="x", date="2026-11-16")
    )
    assert "Some records of the original data are in no file" in page
    assert ("multiply weight by" in page) is told


def test_gaps_that_were_redrawn_are_not_told_as_emptied():
    rng = np.random.default_rng(1)
    job = rng.integers(0, 4, 80).astype(str).astype(object)
    job[:15] = None
    data = mv.Microdata(
        pa.table({"job": pa.array(job), "sex": rng.integers(0, 2, 80).astype(str), "pay": rng.gamma(2, 9, 80)})
    )
    exchanged = mv.mask.SwapInGroups(partition=mv.partition.MDAV(k=8)).apply(data, columns=["job", "pay"], seed=1)
    emptied = mv.mask.LocalSuppression(k=15).apply(data, columns=["job", "sex"], seed=1)
    (told,) = meaning_of(exchanged, ["job", "sex"])
    assert told.startswith("Empty cells of job were treated like values and stand in other records")
    (told,) = meaning_of(emptied, ["job", "sex"])
    assert "were emptied, mostly those of rare combinations" in told


def test_users_learn_within_what_figures_are_kept_and_no_more():
    def told(goal: Goal) -> str:
        return " ".join(str(part) for part in kept_parts([Reached(goal, 0.0123, True, "", (("", 55.5, 56.6),))]))

    assert "mean of pay by sex: each is at most 2 % off the original" in told(
        Goal("secret word", "mean", "pay", ("sex",), tolerance=0.02)
    )
    assert "table of sex: at most 5 % of the records" in told(Goal("t", table=("sex",), tolerance=0.05))
    assert "overlaps with that of the original by 0.8 or more" in told(Goal("r", regression="pay ~ age", overlap=0.8))
    every = told(Goal("secret word", "mean", "pay", tolerance=0.02))
    assert not any(word in every for word in ("secret word", "0.0123", "1.23", "55.5", "56.6"))
    assert told(Goal("q", indicator="quantile(pay, 1)", tolerance=0.01)) == ""
    assert kept_parts([Reached(Goal("x", "mean", "pay", tolerance=0.0), 0.1, False, "")]) == []


@NEEDS_BROWSER
def test_no_word_is_broken_on_a_narrow_screen(tmp_path):
    data = survey_with_extremes().frame.rename_columns(
        ["name", "household_size", "region", "expenditure", "tax", "weight"]
    )
    release = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=7)).apply(data, columns=["expenditure", "tax"])
    columns = [("household_size", "", "ordinal"), ("expenditure", "", "continuous")]
    page = tmp_path / "page.html"
    page.write_text(render_external(ExternalContent(release, ["data.csv"], columns, title="People", date="2026-11-16")))
    with Browser(tmp_path, 420, 900) as browser:
        browser.open(page)
        assert browser.broken_words() == []
        assert browser.ask("document.documentElement.scrollWidth") <= 420


@pytest.mark.parametrize(("digits", "kind"), [(0, int), (2, float)])
def test_what_rounding_moves_is_told_where_it_would_be_called_exact(digits: int, kind: type):
    # in the frame already where amounts are whole numbers, in the file where they have two digits
    heights = np.round(np.random.default_rng(3).normal(171, 9, (60, 2)), digits)
    frame = {name: heights[:, column].astype(kind) for column, name in enumerate("ab")}
    release = mv.mask.ExactNoise(p=0.4).apply(pa.table(frame), columns=["a", "b"], seed=KEY)
    rounded = {f"{what} of a, b are exactly the original's, but for the rounding of values" for what in MOMENTS}
    assert rounded <= set(kept_exactly(release, False))
    unrounded = mv.Microdata(pa.table(frame), integers="keep exact")
    exact = mv.mask.ExactNoise(p=0.4).apply(unrounded, columns=["a", "b"], seed=KEY)
    assert {f"{what} of a, b are exactly the original's" for what in MOMENTS} <= set(kept_exactly(exact, False))


@pytest.mark.parametrize("engine", ["blocks", "memory"])
def test_files_tell_what_rounding_moves_too(engine: str, tmp_path: Path):
    heights = np.round(np.random.default_rng(3).normal(171, 9, (60, 2))).astype(int)
    table = pa.table({name: heights[:, column] for column, name in enumerate("ab")})
    parquet.write_table(table, tmp_path / "in.parquet")
    plan = mv.Plan([(mv.mask.ExactNoise(p=0.4), ["a", "b"])])
    # a drawn seed now and then leaves a mean exactly as it was
    given = {"engine": engine, "into": tmp_path / "out", "seed": 2, "reproducible": True}
    release = plan.run(mv.scan(tmp_path / "in.parquet"), **given)
    told = {f"{what} of a, b are exactly the original's, but for the rounding of values" for what in MOMENTS}
    assert told <= set(kept_exactly(release, False))


def test_classes_that_overlap_are_told_and_those_of_one_recoding_are_not():
    ages = pa.table({"age": [20, 21, 22, 23, 50, 50, 51, 70, 70, 71], "sex": list("mmffmmffmf")})
    data = mv.Microdata(ages, roles={"age": "key", "sex": "key"}, kinds={"age": "ordinal", "sex": "nominal"})
    alike = mv.mask.KAnonymise(k=2).apply(data, columns=["age", "sex"], seed=KEY)
    (told,) = meaning_of(alike, ["age", "sex"])
    assert (
        "Classes of sex overlap: the same value stands by itself or in one class in some records and in another" in told
    )
    once = mv.mask.GlobalRecode(bins=2).apply(data, columns=["age"], seed=KEY)
    (told,) = meaning_of(once, ["age", "sex"])
    assert "overlap" not in told
