"""Old plan files, project files, logs and command lines: read as what they are called now, with a note."""

from __future__ import annotations

import json
import shlex

import pandas as pd
import pytest

import microveil as mv
from microveil.cli.as_options import as_options
from microveil.cli.configure import configure
from microveil.cli.console import settings
from microveil.core.errors import BadInput, CalledOtherwise, UnknownParameter
from microveil.mask import KAnonymise, Lattice
from microveil.partition import MDAV, KModes, Mondrian
from microveil.run.log import log_of, seal_of
from tests.mask.test_k_anonymise import KEYS, survey

ANY, DIVERSE = ("illness",), {"sensitive": ["illness"], "l": 2}
RELAXED = Mondrian(k=2, variant="published", strict=False)

FORMS = [
    ({"k-anonymise": {"algorithm": "mondrian", "k": 5}}, KAnonymise(k=5)),
    ({"k-anonymise": {"strict": False}}, KAnonymise(partition=RELAXED)),
    ({"k-anonymise": {"strict": True}}, KAnonymise()),
    ({"k-anonymise": {"output": "average", "k": 4}}, KAnonymise(k=4, release="average")),
    ({"k-anonymise": {"loss": "entropy"}}, KAnonymise()),
    ({"k-anonymise": {"max_dropped": 0.0}}, KAnonymise()),
    ({"k-anonymise": {"diversity": "entropy"}}, KAnonymise()),
    ({"k-anonymise": {**DIVERSE}}, KAnonymise(model=mv.Anonymity(sensitive=ANY, l=2))),
    (
        {"k-anonymise": {**DIVERSE, "diversity": "recursive", "c": 3.0}},
        KAnonymise(model=mv.Anonymity(sensitive=ANY, l=2, diversity="recursive", c=3.0)),
    ),
    (
        {"k-anonymise": {"k": 4, "sensitive": ["illness"], "t": 0.3}},
        KAnonymise(model=mv.Anonymity(k=4, sensitive=ANY, t=0.3)),
    ),
    (
        {"k-anonymise": {"sensitive": ["illness"], "t": 0.3, "distance": "equal"}},
        KAnonymise(model=mv.Anonymity(sensitive=ANY, t=0.3, distance="equal")),
    ),
    ({"k-anonymise": {"k_map": 60}}, KAnonymise(model=mv.Anonymity(population=60.0))),
    ({"k-anonymise": {"algorithm": "lattice"}}, Lattice()),
    (
        {"k-anonymise": {"algorithm": "lattice", "k": 5, "max_dropped": 0.04, "loss": "height", **DIVERSE}},
        Lattice(model=mv.Anonymity(k=5, sensitive=ANY, l=2), max_dropped=0.04, loss="height"),
    ),
    ({"k-anonymise": {"algorithm": "microaggregation"}}, KAnonymise(partition=MDAV(k=2), release="average")),
    (
        {"k-anonymise": {"algorithm": "microaggregation", "output": "range", "k": 5}},
        KAnonymise(k=5, partition=MDAV(k=2)),
    ),
    ("categorical-microaggregation", KAnonymise(partition=MDAV(k=2), release="average")),
    (
        {"categorical-microaggregation": {"k": 5, "weights": {"job": 2.0}}},
        KAnonymise(k=5, partition=MDAV(k=2, weights={"job": 2.0}), release="average"),
    ),
    (
        {"categorical-microaggregation": {"algorithm": "k-modes", "k": 4, "rounds": 9}},
        KAnonymise(k=4, partition=KModes(k=2, rounds=9), release="average"),
    ),
]


def test_an_old_form_that_acted_on_keys_is_not_read_as_one_that_leaves_them_alone():
    steps = {"steps": [{"method": {"CategoricalMicroaggregation": {"blocks": 2, "k": 5}}}]}
    with pytest.raises(BadInput, match=r"with blocks acted on the keys; write microaggregation .* name the keys"):
        mv.Plan.from_mapping(steps)


@pytest.mark.parametrize(
    ("old", "now"), FORMS, ids=lambda form: json.dumps(form) if isinstance(form, str | dict) else ""
)
def test_an_old_form_is_read_with_a_note(old, now):
    with pytest.warns(CalledOtherwise, match="is an old form, read as") as told:
        plan = mv.Plan.from_mapping({"steps": [{"method": old, "columns": KEYS}]})
    assert plan.steps[0].method == now
    assert json.dumps(now.to_spec()) in str(told[0].message)
    assert len(told) == 1
    # what is written back is the new form, which says nothing
    assert mv.Plan.from_text(plan.to_text()) == plan


@pytest.mark.parametrize("new", ["k-anonymise", {"k-anonymise": {"k": 5}}, {"lattice": {"k": 5}}, "microaggregation"])
def test_what_is_said_as_it_is_now_needs_no_note(new):
    mv.Plan.from_mapping({"steps": [{"method": new}]})


def test_a_former_setting_nobody_knows_is_an_error_as_ever():
    with pytest.raises(UnknownParameter, match="algorithmus"):
        mv.Plan.from_mapping({"steps": [{"method": {"k-anonymise": {"algorithmus": "lattice"}}}]})


def test_python_says_how_it_is_written_now():
    with pytest.raises(UnknownParameter, match=r"'algorithm'; say Lattice\(k=5, loss='height'\)"):
        KAnonymise(k=5, algorithm="lattice", loss="height")
    with pytest.raises(UnknownParameter, match=r"say KAnonymise\(model=Anonymity\(sensitive=\('illness',\), l=2\)\)"):
        KAnonymise(sensitive=["illness"], l=2)
    with pytest.raises(AttributeError, match="did you mean 'Microaggregation'"):
        _ = mv.mask.CategoricalMicroaggregation


def test_command_lines_are_read_likewise():
    with pytest.warns(CalledOtherwise, match=r"--set k is an old form, read as --method lattice --set k=5; say"):
        assert configure("k-anonymise", {"algorithm": "lattice", "k": 5}) == Lattice(k=5)
    with pytest.raises(BadInput, match="with blocks acted on the keys; write microaggregation"):
        configure("categorical-microaggregation", {"blocks": 1})
    # settings of the model need no path on the command line, so that this is no old form
    found = configure("k-anonymise", {"k": 5, "sensitive": ["illness"], "t": 0.3})
    assert found == KAnonymise(model=mv.Anonymity(k=5, sensitive=ANY, t=0.3))


@pytest.mark.parametrize(
    "old",
    [
        {"k-anonymise": {"algorithm": "lattice", "k": 4}},
        {"k-anonymise": {"sensitive": ["illness"], "t": 0.3, "k": 4}},
        {"categorical-microaggregation": {"k": 4}},
    ],
    ids=json.dumps,
)
def test_old_logs_are_replayed(old):
    data = survey(120)
    with pytest.warns(CalledOtherwise):
        release = mv.Plan.from_mapping({"steps": [{"method": old, "columns": KEYS}]}).run(data, seed=1)
    log = log_of(release)
    log["steps"][0]["method"] = old
    log["seal"] = seal_of(log)
    with pytest.warns(CalledOtherwise):
        again = mv.plan.replay(log, data.frame)
    pd.testing.assert_frame_equal(again.frame, release.frame)


@pytest.mark.parametrize("now", [now for _, now in FORMS], ids=repr)
def test_options_give_the_same_method(now):
    method, *others = shlex.split(as_options(now).removeprefix("--method "))
    assert configure(method, settings([each for each in others if each != "--set"])) == now


def test_the_command_line_notes_an_old_form(run, tmp_path):
    data = survey(60)
    data.frame.drop(columns="w").to_csv(tmp_path / "in.csv", index=False)
    plan = tmp_path / "plan.yaml"
    plan.write_text("steps:\n- method: {k-anonymise: {algorithm: lattice, k: 4}}\n  columns: [age, job, grade]\n")
    said = run("protect", str(tmp_path / "in.csv"), "--plan", str(plan), "-o", str(tmp_path / "out.csv"))
    assert (
        'note: k-anonymise with algorithm, k is an old form, read as {"lattice": {"k": 4}}; write that instead' in said
    )
    assert "CalledOtherwise" not in said
