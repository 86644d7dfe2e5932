"""The pages about attacks: the table names all of them rightly, and the Python runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import microveil as mv
from microveil.attack.aside import AttackAside
from microveil.attack.base import Attack
from microveil.core.registry import registered
from tools.pictures.page_tables import number_in, table_of

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = sorted(DOCS.glob("attacks*.md"))
COUNTED = "counts|by advantage|beside"
ROW = re.compile(
    r"^\| \[`(\w+)`\]\((\w+\.md)#\S+\) \| ([^|]+) \| [^|]+ \| (counts|by advantage|beside) \|$", re.MULTILINE
)


@pytest.fixture(scope="module")
def rows() -> dict[str, tuple[str, str, str]]:
    return {name: tuple(said) for name, *said in ROW.findall((DOCS / "attacks.md").read_text(encoding="utf-8"))}


def shipped() -> list[type[Attack]]:
    """Those of the package: other tests may have registered attacks of their own."""
    return [cls for cls in registered(Attack) if cls.__module__.startswith("microveil.attack.")]


def test_the_table_names_every_attack(rows):
    assert sorted(rows) == sorted(cls.__name__ for cls in shipped())


@pytest.mark.parametrize("cls", shipped(), ids=lambda cls: cls.name)
def test_the_table_says_how_an_attack_is_tried_and_counted(rows, cls):
    page, tried, worst = rows[cls.__name__]
    assert (worst == "counts") == cls.reidentifies
    assert (worst == "by advantage") == cls.gains
    assert (tried == "when asked") == issubclass(cls, AttackAside)
    assert (tried == "any release") == (cls.for_any_release and not issubclass(cls, AttackAside))
    section = (DOCS / page).read_text(encoding="utf-8").split(f"(`{cls.__name__}`)")[1].split("\n## ")[0]
    for told in ("What the intruder does.", "What it cannot show.", "Advice."):
        assert f"**{told}**" in section


@pytest.mark.parametrize("cls", shipped(), ids=lambda cls: cls.name)
def test_methods_that_the_table_names_declare_the_attack(rows, cls):
    named = re.findall(r"`(\w+)", rows[cls.__name__][1])
    methods = [getattr(room, name) for name in named for room in (mv.mask, mv.hybrid) if name in dir(room)]
    assert len(methods) == len(named)
    assert all(cls.name in method.attacks for method in methods)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: page.stem)
def test_every_family_has_its_picture(page):
    assert f"](pictures/{page.stem}.svg)" in page.read_text(encoding="utf-8")
    drawn = (DOCS / "pictures" / f"{page.stem}.svg").read_text(encoding="utf-8")
    assert "<desc>" in drawn
    assert "NaN" not in drawn


def test_pictures_read_the_tables_of_the_pages(monkeypatch):
    monkeypatch.chdir(DOCS.parent)
    table = table_of("attacks_synthetic.md", "Census, 4 shadows")
    assert number_in(table["Cart()"]["by distance alone"]) == 8
    for page, headings, columns in (
        ("attacks_keys.md", "amounts", ("keys only", "keys and one total")),
        ("attacks_noise.md", "release | nearest ranks", ("one-to-one", "nearest values")),
        ("attacks_synthetic.md", "Census, 4 shadows", ("advantage", "by distance alone")),
    ):
        drawn = Path("docs", "pictures", page.replace(".md", ".svg")).read_text(encoding="utf-8")
        for name, row in table_of(page, headings).items():
            assert f">{name}<" in drawn
            assert all(f">{number_in(row[column]):g}<" in drawn for column in columns)
