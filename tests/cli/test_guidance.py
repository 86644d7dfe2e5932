"""Guidance on the command line: help in plain words, near names, where a thing belongs, completion."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from microveil.cli.app import COMMANDS
from microveil.cli.console import settings

Run = Callable[..., str]


@pytest.mark.parametrize("command", [command.__name__ for command in COMMANDS])
def test_help_names_no_types_of_python(run: Run, command: str) -> None:
    text = run(command, "--help")
    for word in ("<", "list[", "None"):
        assert word not in text


def test_the_list_of_commands_is_cut_nowhere(run: Run) -> None:
    assert "..." not in run("--help").partition("Commands:")[2]
    assert all(len(line) <= 80 - len("  hierarchy  ") for line in COMMANDS.values())


PROTECT = ("protect", "survey.csv", "-o", "out.csv", "-m")
SAID = {
    "a near name": ((*PROTECT, "microagregation"), "'microagregation'; did you mean 'microaggregation'?"),
    "a partition": ((*PROTECT, "mdav"), "mdav is a partition: --method microaggregation --set partition=mdav"),
    "a measure": ((*PROTECT, "pil"), "pil is a measure: microveil evaluate ORIGINAL PROTECTED"),
    "no name": ((*PROTECT, "xyzzy"), "no method called 'xyzzy'; there are ['cart', "),
    "a far file": (("inspect", "nofile.csv"), "there is no file 'nofile.csv'"),
    "a near file": (("inspect", "survy.csv"), "there is no file 'survy.csv'; did you mean 'survey.csv'?"),
    "a folder to read": (("inspect", "."), "'.' is a folder; name a file in it"),
    "a folder for a log": (("replay", ".", "survey.csv", "-o", "o.csv"), "'.' is a folder; name a file in it"),
    "a near project": (("run", "survy.csv"), "there is no file 'survy.csv'; did you mean 'survey.csv'?"),
    "a folder to write": (("protect", "survey.csv", "-m", "rank-swap", "-o", "."), "--output . is a folder"),
    "a number too small": ((*PROTECT, "microaggregation", "-s", "k=1"), "k must be 2 or more; 1 was given"),
    "a near parameter": ((*PROTECT, "rank-swap", "-s", "pairng=uniform"), "did you mean 'pairing'?"),
}  # fmt: skip


@pytest.mark.parametrize("case", SAID)
def test_what_is_wrong_is_said_with_what_to_do(survey_file: Path, run: Run, case: str) -> None:
    words, message = SAID[case]
    said = run(*words, status=2)
    assert message in said
    if "near" in case:
        assert "there are [" not in said
    if case == "a far file":
        assert "did you mean" not in said


def test_one_method_is_described_with_its_guidance(run: Run) -> None:
    text = run("methods", "micro-hybrid")
    assert "groups have at least 10 records" in text
    assert "at least 20" not in text
    assert "Use it on keys before anything else" in run("methods", "global-recode")
    assert "--set 'cuts={age: [20, 65]}'" in " ".join(run("methods", "global-recode").split())


def test_no_log_means_no_replay(survey_file: Path, run: Run) -> None:
    roles = ("--role", "person_id=identifier", "--role", "name=identifier")
    run(*PROTECT, "rank-swap", "--columns", "income", "--missing", "drop", *roles, match="`microveil replay`")


@pytest.mark.parametrize(
    ("words", "number", "found"),
    [
        ("microveil insp", 1, "inspect"),
        ("microveil protect x.csv -m micro-h", 4, "micro-hybrid"),
        ("microveil methods micro", 2, "micro-hybrid microaggregation"),
        ("microveil evaluate a b --measures pil,k-a", 5, "pil,k-anonymity"),
        ("microveil protect x.csv --missing ", 4, "error drop mask"),
        ("microveil protect x.csv --titles k", 4, "keep"),
        ("microveil protect x.csv --formulas r", 4, "refuse"),
        ("microveil inspect x.csv --role age=k", 4, "age=key"),
        ("microveil inspect x.csv --role age = k", 6, "key"),  # as bash asks: = ends a word for it
        ("microveil inspect x.csv --kind age =", 5, "continuous ordinal nominal"),
    ],
)
def test_the_shell_completes_names(
    words: str, number: int, found: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"_MICROVEIL_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(number)}
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    assert run().split() == found.split()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_a_script_for_the_shell_is_printed(shell: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_MICROVEIL_COMPLETE", f"source_{shell}")
    assert "_MICROVEIL_COMPLETE" in run()


def test_a_number_may_be_written_with_an_exponent() -> None:
    assert settings(["p=1e-3", "k=5"]) == {"p": 0.001, "k": 5}


def test_a_file_of_many_columns_is_protected(folder: Path, run: Run) -> None:
    """More columns than linkage by patterns of agreement can compare."""
    draw = np.random.default_rng(3).normal(100, 10, (40, 40)).round(2)
    pd.DataFrame(draw, columns=[f"v{j}" for j in range(40)]).to_csv("wide.csv", index=False)
    run("protect", "wide.csv", "-m", "micro-hybrid", "--set", "k=10", "-o", "o.csv", "--accept-lost")
    assert pd.read_csv("o.csv").shape == (40, 40)


def test_methods_are_described_in_eighty_columns_and_in_words_that_can_be_typed(call: Callable[..., str]) -> None:
    _, said, _ = call("methods", "micro-hybrid")
    assert max(map(len, said.splitlines())) <= 80
    assert "default {mdav: {k: 10}}" in said
    assert "default null" in said
    assert "None" not in said
