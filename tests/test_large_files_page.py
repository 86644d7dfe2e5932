"""The page on large files: its code runs as it stands, and its list of methods is current."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

import microveil as mv
from microveil.cli.app import app
from microveil.core.registry import registered
from microveil.engines.refusing import can_be_run, goes_by_blocks, goes_by_ranks
from microveil.run.contract import Step
from microveil.testing.blocks import in_near_blocks
from microveil.testing.values import grid_points

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "large_files.md").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for text in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(text, "large_files.md", "exec"), names)
    (command,) = re.findall(r"```console\n\$ microveil (.*?)\n```", PAGE, re.DOTALL)
    done = CliRunner().invoke(app, shlex.split(command))
    assert done.exit_code == 0, done.output
    assert (tmp_path / "protected" / "part-00000.parquet").is_file()


def test_the_list_of_methods_is_current() -> None:
    found = {cls.name for cls in registered(mv.data.Method) for member in grid_points(cls) if goes_by_blocks(member)}
    found = {name for name in found if cls_is_ours(name)}
    section = PAGE.split("These do, at least with some of their parameters:")[1].split("\n\n")[1]
    assert set(re.findall(r"`([\w-]+)`", section)) == found


def test_the_list_of_methods_that_learn_from_orders_is_current() -> None:
    section = PAGE.split("### From the orders of several columns\n\n")[1].split("\n\n")[0]
    found = learning_by_ranks()
    assert {cls.name for cls in found if found[cls] != {"part"}} <= set(re.findall(r"`([\w-]+)`", section))


def test_the_list_of_methods_that_learn_from_a_part_is_current() -> None:
    section = PAGE.split("### From a random part\n\n")[1].split("\n\n")[0]
    found = learning_by_ranks()
    assert {cls.name for cls in found if found[cls] == {"part"}} == set(re.findall(r"`([a-z-]+)`", section))


def learning_by_ranks() -> dict[type[mv.data.Method], set[str]]:
    """What each of the methods must know that learn from orders, sums or a part of the records."""
    found: dict[type[mv.data.Method], set[str]] = {}
    for cls in registered(mv.data.Method):
        for member in grid_points(cls):
            if cls_is_ours(cls.name) and goes_by_ranks(Step(member)):
                found.setdefault(cls, set()).add(member.passes)
    return found


def test_the_table_of_methods_that_are_not_run_as_a_whole_is_current() -> None:
    def runs(member: mv.data.Method) -> bool:
        return any(can_be_run(Step(one)) for one in (member, *in_near_blocks(member)))

    ours = [cls for cls in registered(mv.data.Method) if cls_is_ours(cls.name)]
    found = {cls.name for cls in ours if not any(runs(member) for member in grid_points(cls))}
    table = PAGE.split("### Not as a whole")[1].split("|---|---|\n")[1].split("\n\n")[0]
    assert {name for row in table.splitlines() for name in re.findall(r"`([\w-]+)`", row.split("|")[1])} == found


def cls_is_ours(name: str) -> bool:
    """Whether a method is the package's: other tests may register some."""
    return any(cls.name == name and cls.__module__.startswith("microveil.") for cls in registered(mv.data.Method))
