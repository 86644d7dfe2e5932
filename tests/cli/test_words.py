"""Messages on the command line name its own options, not arguments of Python."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import microveil
from microveil.app.words import in_form_words
from microveil.cli.project_words import in_project_words
from microveil.cli.words import in_command_words

ARGUMENT = re.compile(r"""(?<![\w.-])([a-z_]+)=(?=['"\[{(`]|True\b|False\b|None\b|\.\.\.)|\bmv\.""")
ROOT = Path(microveil.__file__).parent
# what no command says: `with_` of data that are Microdata already
NO_COMMAND = ("data/microdata.py",)
# said of measures that a command describes in its own words (cli/evaluate.py, `Lacking`), or of wrong Python values
OWN_WORDS = ("attack/composition.py", "attack/file_leaks.py", "attack/seed_search.py", "study/aims.py")
# of functions that no command calls, and attributes of pages
PYTHON_ONLY = (
    "testing", "reproduce", "report", "synth/combining.py", "synth/comparing.py", "engines/spark_frames.py",
)  # fmt: skip


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("say missing=['inf', '?']", "say --na inf --na '?'"),
        ("say kinds={'b': 'nominal'}", "say --kind b=nominal"),
        ("say kinds={'net income': 'nominal'}", "say --kind 'net income=nominal'"),
        ('try encoding="cp1252"', "try --encoding cp1252"),
        ("with integers='keep exact'", "with --integers 'keep exact'"),
        ("own value (missing='own')", "own value (--set missing=own)"),
        ("or name them with keys=[...]", "or state them in a project file (--project)"),
        ("use exact=True", "use --set exact=true"),
        ("mv.mask.Repair puts them right", "--method repair puts them right"),
        ("for example mv.mask.RankSwap(p=7)", "for example --method rank-swap --set p=7"),
        ("needs at least k=3 records: 2 given", "needs at least k=3 records: 2 given"),
        ("use terms='main'", "use (in Python) terms='main'"),
        ("inside subdomains with by=['a', 'b']", "inside subdomains with --by a,b"),
        ("it fails; give holdout=...", "it fails; records that were not in the original can be given in Python only"),
        ("log=..., or project=... with original=...", "--log LOG, or --project PROJECT with --original ORIGINAL"),
    ],
)  # fmt: skip
def test_arguments_are_said_as_options(message: str, said: str) -> None:
    assert in_command_words(message) == said


@cache
def messages() -> tuple[tuple[str, str], ...]:
    """Every text of the package that is a sentence, its holes filled; docstrings aside."""
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        if place.startswith(PYTHON_ONLY):
            continue
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
        documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
        parts |= {
            id(node.body[0].value)
            for node in nodes
            if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
        }
        for node in nodes:
            if isinstance(node, ast.JoinedStr):
                text = "".join(str(part.value) if isinstance(part, ast.Constant) else "'x'" for part in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
                text = node.value
            else:
                continue
            if " " in text and not text.startswith(("<", " class=")):
                found.append((f"{place}:{node.lineno}", text))
    return tuple(found)


@pytest.mark.long
def test_no_message_is_left_in_the_words_of_python() -> None:
    seen, left = 0, []
    for place, text in messages():
        if ARGUMENT.search(text):
            seen += 1
            said = in_command_words(text)
            rest = re.sub(r"--set '?\w+=|\(in Python\) \w+=", "", said)
            if ARGUMENT.search(rest) and not place.startswith(NO_COMMAND):
                left.append(f"{place}: {said}")
    assert seen > 40
    assert not left, "\n".join(left)


@pytest.mark.long
def test_no_message_has_the_name_of_a_class() -> None:
    """Methods and measures have names of their own in plans, options and catalogues; abbreviations are both."""
    from microveil.core.registry import registered

    classes = {cls.__name__ for cls in registered() if re.search("[a-z][A-Z]", cls.__name__)}
    named, called = re.compile(rf"\b({'|'.join(sorted(classes))})\b"), re.compile(r"\b[A-Z][a-z]\w+\([a-z_]*[=)]")
    left = [
        f"{place}: {said}"
        for place, text in messages()
        if (named.search(text) or called.search(text)) and not place.startswith(OWN_WORDS)
        if named.search(said := in_command_words(text)) or called.search(said)
    ]
    assert not left, "\n".join(left)


def test_an_option_that_a_line_break_parts_from_its_value_is_left_alone() -> None:
    line = "for example --set\n      'predictors={income: [age]}'"
    assert in_command_words(line) == line


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("give by=... to run it", "give by: [...] in the step of the project to run it"),
        ("with by=['a', 'b c']", "with by: [a, b c] in the step of the project"),
        ("use core='polar', or", "use core: polar in the step of the project, or"),
        ("use exact=True", "use exact: true in the step of the project"),
        ("kinds={'net income': 'nominal'}", "net income: {kind: nominal} in the section columns of the project"),
        ("say missing=['inf', '?']", "say missing: [inf, ?] in the section columns of the project"),
        ("with integers='keep exact'", "with integers: keep exact in the project"),
        ("try decimal=','", 'try decimal: "," in the section dataset of the project'),
        ("run with engine='memory' here", "run with --engine memory here"),
        ("(missing='own')", "(missing: own in the step of the project)"),
        ("for example mv.mask.RankSwap(p=7)", "for example method: rank-swap in the step of the project p: 7"),
    ],
)  # fmt: skip
def test_commands_that_run_a_project_say_its_fields(message: str, said: str) -> None:
    assert in_project_words(in_command_words(message), {"--engine", "--into"}).startswith(said)


HOSTILE = st.lists(
    st.sampled_from(
        [
            *("by='x'", "missing='drop'", "missing=['a']", "kinds={'b': 'nominal'}", "model=(a)", "k={1}"),
            *("--by", "--by x", "log=..."),
            *("--set a=b", "--na '?'", "mv.mask.Pram", "mv.risk.Suda()", "titles=True", " (line 3 of the project)"),
            *("'", '"', "\\", "\n", "{", "}", "[", "]", "(", ")", ",", ":", "=", " ", "a", "ü", "the edit 'a'", "it's"),
        ]
    ),
    max_size=6,
).map("".join)  # fmt: skip
REWORDINGS = [in_command_words, lambda text: in_project_words(text, {"--into"}), in_form_words]
REWORDINGS.append(lambda text: in_project_words(in_command_words(text), {"--into"}))


@pytest.mark.parametrize("reword", REWORDINGS, ids=["options", "fields", "pages", "options, then fields"])
@given(name=HOSTILE, other=HOSTILE)
def test_what_users_wrote_is_quoted_as_they_wrote_it(reword: Callable[[str], str], name: str, other: str) -> None:
    said = reword(f"there is no column {name!r}, nor (like {other!r}); use missing='drop'")
    assert said.startswith(f"there is no column {name!r}, nor (like {other!r}); use ")
    listed = reword(f"choose from {[name, other]!r}: {name!r} is one; use core='polar'")
    assert listed.startswith(f"choose from {[name, other]!r}: {name!r} is one; use ")


@given(name=HOSTILE.filter(lambda name: "\n" not in name), other=HOSTILE.filter(lambda name: "\n" not in name))
def test_a_value_goes_through_the_shell_as_users_wrote_it(name: str, other: str) -> None:
    assert shlex.split(in_command_words(f"say kinds={ {name: 'nominal'}!r}")) == ["say", "--kind", f"{name}=nominal"]
    assert shlex.split(in_command_words(f"say by={name!r}")) == ["say", "--by", name]
    codes = [code for code in (name, other) if code]
    wanted = [part for code in codes for part in ("--na", code)]
    assert shlex.split(in_command_words(f"say missing={codes!r}")) == ["say", *wanted]


@pytest.mark.parametrize(
    ("message", "reword"),
    [
        ("""there is no column "by='region'\"""", in_command_words),
        ("the rule 'total == k=(a)' is wrong", in_command_words),
        ("the column 'mv.mask.RankSwap' is missing", in_command_words),
        ("""there is no column "missing='drop'\"""", in_form_words),
        ("there is no column 'x (line 3 of the project)'", in_form_words),
        ("there is no column '--by region'", lambda text: in_project_words(text, {"--into"})),
    ],
)
def test_a_name_like_a_form_stays(message: str, reword: Callable[[str], str]) -> None:
    assert reword(message) == message


def test_what_is_an_option_of_the_command_stays_one() -> None:
    assert in_project_words("use --missing drop", {"--missing"}) == "use --missing drop"
