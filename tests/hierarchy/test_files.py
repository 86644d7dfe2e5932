"""Hierarchies in files: the form of ARX, what is completed, and what is refused by its lines."""

from __future__ import annotations

from pathlib import Path

import pytest

import microveil as mv
from microveil.core.errors import BadInput, FileProblem
from microveil.hierarchy import read_hierarchies, write_hierarchies
from tests.reference import shared_file


@pytest.fixture
def file(tmp_path):
    def write(text: str | bytes) -> Path:
        path = tmp_path / "tree.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_the_form_of_arx_is_read(file):
    found = mv.Hierarchy.read(file("17;15-19;10-19;*\n23;20-24;20-29;*\n"))
    assert dict(found) == {"17": ("15-19", "10-19", "*"), "23": ("20-24", "20-29", "*")}
    assert found.height == 3
    assert found.at(0) == ("17", "23")
    assert found.at(3) == ("*",)
    with pytest.raises(BadInput, match="level=4 is not between 0 and 3"):
        found.at(4)


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbfa;x;*\r\nb;y;*\r\n",
        b"a,x,*\nb,y,*\n",
        b"a\tx\t*\nb\ty\t*",
        b"a|x|*\n\nb|y|*\n\n",
        b'"a";"x";"*"\r\n"b";"y";"*"\r\n',
    ],
)
def test_marks_line_ends_quotes_and_delimiters_are_found(file, text):
    assert dict(mv.Hierarchy.read(file(text))) == {"a": ("x", "*"), "b": ("y", "*")}


def test_fields_in_quotes_hold_delimiters_and_lines(file):
    made = mv.Hierarchy({'a;"1"': ["x, y"], "two\nlines": ["x, y"], " blank": ["x, y"]})
    path = file("")
    made.write(path)
    assert mv.Hierarchy.read(path) == made
    made.write(path, delimiter=",")
    assert mv.Hierarchy.read(path, delimiter=",") == made


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a;x;*\nb;;*\nc;y; \n", r"has an empty field in lines 2, 3; fill every field"),
        ("a;x;*\nb\n", r"has no coarser value in line 2; give at least one"),
        ("a:x:*\nb:y:*\n", r"has one field in every line when ';' is taken for the delimiter; .* state the delimiter"),
        ("a;x;*\nb;y;*\na;x;*\n", r"names 'a' twice, again in line 3; name each once"),
        (
            "a;x;1\nb;x;2\n",
            r"not nested: 'x' at level 1 becomes '1' in line 1 and '2' in line 2; 1 line fails \(line 2\)",
        ),
        ("", "is empty; write value;coarser;"),
        ('a;"x;*\nb;y;*\n', "has a field in quotation marks that are not closed, from line 1"),
    ],
)
def test_what_is_wrong_is_told_in_one_line_with_its_lines(file, text, said):
    with pytest.raises(BadInput, match=said) as problem:
        mv.Hierarchy.read(file(text))
    assert "\n" not in str(problem.value)
    assert "tree.csv" in str(problem.value)


def test_of_many_lines_that_fail_five_are_shown(file):
    text = "".join(f"{i};x;{i % 2}\n" for i in range(40))
    with pytest.raises(BadInput, match=r"20 lines fail \(lines 2, 4, 6, 8, 10 and 15 more\)"):
        mv.Hierarchy.read(file(text))


def test_lines_are_those_of_the_file_where_some_are_empty_or_in_quotes(file):
    with pytest.raises(BadInput, match="again in line 6"):
        mv.Hierarchy.read(file('\na;x\n\n"b\nb";x\na;x\n'))


def test_short_paths_are_padded_and_tops_joined_with_a_note(file):
    short = mv.Hierarchy.read(file("a;x;north;*\nb;south;*\nc;*\n"))
    assert dict(short) == {"a": ("x", "north", "*"), "b": ("south", "*", "*"), "c": ("*", "*", "*")}
    assert short.notes == ("the hierarchy 'tree.csv' has 2 shorter paths, padded by the top (lines 2, 3)",)
    several = mv.Hierarchy.read(file("a;x\nb;y\n"))
    assert several["a"] == ("x", "*")
    assert several.notes == ("the hierarchy 'tree.csv' ends in several values, which are joined by '*'",)


def test_files_that_cannot_be_read(file, tmp_path):
    with pytest.raises(FileProblem, match="there is no file"):
        mv.Hierarchy.read(tmp_path / "none.csv")
    with pytest.raises(FileProblem, match=r"not UTF-8 text \(line 2\); save it as UTF-8"):
        mv.Hierarchy.read(file(b"a;x;*\n\xe9;x;*\n"))
    with pytest.raises(BadInput, match="delimiter='ab' is not one plain character"):
        mv.Hierarchy.read(file("a;x"), delimiter="ab")
    with pytest.raises(FileProblem, match="cannot be written"):
        mv.Hierarchy({"a": ["x"]}).write(tmp_path / "no" / "where.csv")


def test_several_columns_stand_in_one_file(file):
    path = file("sex;m;*\nsex;f;*\nage;17;10-19;*\nage;23;20-29;*\n")
    found = read_hierarchies(path)
    assert list(found) == ["sex", "age"]
    assert found["age"]["17"] == ("10-19", "*")
    write_hierarchies(path, found)
    assert read_hierarchies(path) == found
    with pytest.raises(BadInput, match="fewer than three fields in line 2"):
        read_hierarchies(file("sex;m;*\nsex;f\n"))
    with pytest.raises(BadInput, match=r"the hierarchy of 'sex' in 'tree.csv' names 'm' twice, again in line 3"):
        read_hierarchies(file("sex;m;*\nage;1;*\nsex;m;*\n"))


def test_the_hierarchies_of_adult_are_complete_and_nested():
    found = read_hierarchies(shared_file("data", "adult", "adult_hierarchies.csv"))
    assert {name: tree.height for name, tree in found.items()} == {
        "sex": 1,
        "age": 4,
        "race": 1,
        "marital-status": 2,
        "education": 3,
        "native-country": 2,
        "workclass": 2,
        "occupation": 2,
        "salary-class": 1,
    }
    assert not any(tree.notes for tree in found.values())


def test_many_values(file):
    made = mv.hierarchy.Intervals(widths=[5, 10, 20, 40]).of(range(20_000))
    path = file("")
    made.write(path)
    read = mv.Hierarchy.read(path)
    assert len(read) == 20_000
    assert read["19999"] == made[19_999]
    assert len(repr(read)) < 5_000
    assert len(read._repr_html_()) < 60_000


def test_blanks_beside_a_delimiter_are_none_of_a_coarser_value(file):
    assert mv.Hierarchy.read(file("a; x ; *\nb;x;*\n"))["a"] == ("x", "*")
    assert read_hierarchies(file("v;a; x ;*\nv;b;x;*\n"))["v"].at(1) == ("x",)
    tree = mv.hierarchy.Tree(file=str(file("Vienna; Austria\nLinz;Austria\nAustria ;Europe\n")))
    assert tree.whole_path("Vienna") == tree.whole_path("Linz") == ("Austria", "Europe", "*")
