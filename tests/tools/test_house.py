"""The figures of the house, on a small package whose figures are known, and on the real one."""

from __future__ import annotations

import pytest

from tools.house.classes import asked_by_class, definitions_in, members
from tools.house.concepts import written_again
from tools.house.figures import figures_of, percentile
from tools.house.imports import between_rooms, cycles_in, edges_of, fan_in, longest_chain
from tools.house.page import page
from tools.house.tree import modules_in
from tools.recipes import PACKAGE, ROOT

FILES = {
    "__init__.py": "",
    "core/__init__.py": "",
    "core/base.py": "class Value: ...\nclass Claim:\n    def deviation(self): ...\n",
    "core/names.py": "from toy.core.base import Value\n\ndef shorten(text):\n    return text[:3]\n",
    "mask/__init__.py": "from toy.mask.noise import Noise\nfrom .round import Round\n",
    "mask/base.py": (
        "from toy.core.base import Value\nMASK = Family('mask', order=1)\nclass Mask(Value, family=MASK): ...\n"
    ),
    "mask/noise.py": (
        "from typing import TYPE_CHECKING\n"
        "from ..core import names\n"
        "from toy.mask.base import Mask\n"
        "if TYPE_CHECKING:\n    from toy.report import page\n"
        "class Noise(Mask, name='noise'):\n    def run(self):\n        from toy.mask.round import Round\n"
        "        return isinstance(self, Round | Mask)\n"
    ),
    "mask/round.py": "from toy.mask.base import Mask\nclass Round(Mask, name='round'): ...\n",
    "claims/__init__.py": "",
    "claims/kept.py": (
        "from toy.core.base import Claim\nclass _Cells(Claim): ...\n"
        "class Kept(_Cells):\n    def deviation(self): ...\n\ndef shorten(text): ...\n"
    ),
    "report/__init__.py": "",
    "report/page.py": "import toy.mask\nimport toy.claims.kept\n",
}


@pytest.fixture
def toy(tmp_path):
    """The small package, in a folder."""
    for name, text in FILES.items():
        file = tmp_path / "toy" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path / "toy"


def test_imports_inside_functions_count_and_those_for_type_checkers_do_not(toy):
    edges = edges_of(modules_in(toy))
    assert edges["toy.mask.noise"] == {"toy.core.names", "toy.mask.base", "toy.mask.round"}
    assert edges["toy.mask"] == {"toy.mask.noise", "toy.mask.round"}
    assert sum(map(len, edges.values())) == 11


def test_who_is_imported_most_and_what_leaves_a_room(toy):
    modules = modules_in(toy)
    edges = edges_of(modules)
    assert fan_in(edges)["toy.core.base"] == 3
    assert fan_in(edges)["toy.mask.round"] == 2
    assert sorted(between_rooms(edges, modules)) == [
        ("claims", "core"),
        ("mask", "core"),
        ("mask", "core"),
        ("report", "claims"),
        ("report", "mask"),
    ]


def test_the_longest_chain(toy):
    chain = ("toy.report.page", "toy.mask", "toy.mask.noise", "toy.mask.round", "toy.mask.base", "toy.core.base")
    assert longest_chain(edges_of(modules_in(toy))) == chain


def test_a_circle_is_found_also_through_a_function(toy):
    assert cycles_in(edges_of(modules_in(toy))) == []
    (toy / "mask" / "round.py").write_text("def late():\n    from toy.mask.noise import Noise\n", encoding="utf-8")
    edges = edges_of(modules_in(toy))
    assert cycles_in(edges) == [("toy.mask.noise", "toy.mask.round")]
    assert longest_chain(edges)[:2] == ("toy.report.page", "toy.mask")


def test_members_are_told_from_bases_and_who_asks_for_one_is_found(toy):
    modules = modules_in(toy)
    found = members(definitions_in(modules))
    assert found == {"Noise": "mask", "Round": "mask", "Kept": "claim"}
    assert asked_by_class(modules, found) == [("toy.mask.noise", 9, "Round")]


@pytest.mark.parametrize("owner", ["toy.core.names", "core.names", "src/toy/core/names.py"])
def test_an_idea_written_twice_is_named_with_the_second_place(toy, owner):
    stated = toy.parent / "concepts.toml"
    stated.write_text(
        f'[[concept]]\nidea = "short texts"\nowner = "{owner}"\nnames = ["shorten"]\n'
        '[[concept]]\nidea = "pages"\nowner = "report.page"\nnames = ["page"]\n',
        encoding="utf-8",
    )
    assert written_again(stated, modules_in(toy)) == {"short texts": ["toy.claims.kept"]}
    assert written_again(toy.parent / "nothing.toml", modules_in(toy)) is None


def test_sizes_of_files_and_functions(toy):
    found = figures_of(toy, toy.parent / "concepts.toml")
    assert found.files == 12
    assert found.lines == sum(text.count("\n") for text in FILES.values())
    assert found.largest_file == ("toy.mask.noise", 9)
    assert [one.lines for one in found.functions] == [1, 1, 1, 2, 3]
    assert (percentile(found.functions, 0.5), percentile(found.functions, 0.9)) == (1, 3)
    assert dict(found.families) == {"claim": 1, "mask": 2}


def test_the_page_says_so_where_there_is_nothing_to_compare_with(toy):
    text = page(figures_of(toy, toy.parent / "concepts.toml"), None, ("now", "gone"), {})
    assert "before is gone" in text
    assert "| files |  | 12 |" in text


@pytest.mark.full
def test_no_circle_of_imports_in_the_package():
    assert cycles_in(edges_of(modules_in(ROOT / PACKAGE))) == []
