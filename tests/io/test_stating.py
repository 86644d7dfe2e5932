"""Options that were stated: each is the format's own and has a value that fits."""

from __future__ import annotations

import pytest

import microveil as mv
from microveil.core.errors import BadInput, UnknownParameter
from microveil.io.formats import FORMATS, reading_options, writing_options
from microveil.io.stating import check_values, state_options

# which format has which options, told by what its files are
READING = {
    "csv": {"delimiter", "decimal", "encoding"},
    "parquet": set(),
    "feather": set(),
    "spss": {"encoding"},
    "stata": {"encoding"},
    "sas": {"encoding"},
    "xport": {"encoding"},
    "xlsx": {"sheet"},
}


@pytest.mark.parametrize("name", sorted(READING))
def test_the_options_of_a_format(name: str) -> None:
    kind = FORMATS[name]
    for option in ("delimiter", "decimal", "encoding", "sheet"):
        given = {option: "x", "other": None}
        if option in READING[name]:
            assert state_options(given, kind, kind.reading, reading_options(), mv.read) == {option: "x"}
        else:
            with pytest.raises(BadInput, match=f"{option}='x' means nothing for {kind.title} files; leave it out"):
                state_options(given, kind, kind.reading, reading_options(), mv.read)


def test_an_option_of_no_format_is_told_with_the_nearest() -> None:
    csv = FORMATS["csv"]
    with pytest.raises(UnknownParameter, match="write has no argument 'delimeter'; did you mean 'delimiter'"):
        state_options({"delimeter": ";"}, csv, csv.writing, writing_options(), mv.write)


@pytest.mark.parametrize(
    ("name", "option", "fitting", "wrong"),
    [
        ("csv", "delimiter", [",", "\t"], ["ab", '"', 5]),
        ("csv", "decimal", [",", "."], [";", 1.5]),
        ("csv", "encoding", ["utf-8", "CP1252"], ["utf9", 5]),
        ("xlsx", "sheet", ["2024", ""], [2024]),
    ],
)
def test_values_that_fit(name: str, option: str, fitting: list[object], wrong: list[object]) -> None:
    (found,) = (one for one in FORMATS[name].reading if one.name == option)
    assert all(map(found.fits, fitting))
    assert not any(map(found.fits, wrong))
    check_values({option: fitting[0]}, [found])  # type: ignore[dict-item]
    with pytest.raises(BadInput, match=f"^{option}=.* is not "):
        check_values({option: wrong[0]}, [found])  # type: ignore[dict-item]


def test_an_unknown_argument_is_told_with_all_that_the_function_has():
    csv = FORMATS["csv"]
    with pytest.raises(
        UnknownParameter, match=r"write has no argument 'overwrite'; there are \['release', 'path', .*'formulas'"
    ):
        state_options({"overwrite": "yes"}, csv, csv.writing, writing_options(), mv.write)
    with pytest.raises(UnknownParameter, match="did you mean 'shuffle'"):
        state_options({"shufle": "yes"}, csv, csv.writing, writing_options(), mv.write)
