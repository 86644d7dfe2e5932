"""The map in characters: places by hand, the frontier, limits, and names."""

from __future__ import annotations

from microveil.report.map_text import MOST_NAMES, text_map
from microveil.report.mapped import Axis, Mapped, PlanMap

LOSS, RISK = Axis("l", "Loss", unit="%"), Axis("r", "Risk", unit="%")


def shown(*places: tuple[str, float, float], loss: Axis = LOSS, risk: Axis = RISK) -> PlanMap:
    points = tuple(Mapped(name, "", {"l": x, "r": y}, reference=name == "original") for name, x, y in places)
    return PlanMap((loss, risk), points, "l", "r")


def cells(text: str) -> list[str]:
    """The inside of the map, without its axes."""
    return [line.split("│", 1)[1] for line in text.splitlines() if "│" in line]


def test_points_stand_where_they_belong_and_the_frontier_joins_them():
    found = cells(text_map(shown(("original", 0, 10), ("a", 0, 5), ("b", 10, 0), ("c", 10, 10)), 30, 11))
    assert len(found) == 11
    assert found[0] == "◇" + " " * 19 + "3"
    assert found[5] == "1" + "." * 20
    assert [row[20] for row in found[6:10]] == ["."] * 4
    assert found[10] == " " * 20 + "2"


def test_names_have_figures_and_the_frontier_a_star():
    lines = text_map(shown(("beaten", 5, 9), ("good", 4, 8))).splitlines()
    assert " 1       4 %       8 % * good" in lines
    assert " 2       5 %       9 %   beaten" in lines
    assert lines[0] == "Risk, %"


def test_limits_are_lines():
    limited = shown(("a", 1, 100), loss=Axis("l", "Loss", limit=4.0), risk=Axis("r", "Risk", limit=50.0))
    found = cells(text_map(limited, 30, 11))
    assert found[5].count("-") == 20
    assert all(row[20:21] == "|" for row in found)


def test_several_in_one_place_are_a_plus_and_more_than_there_are_marks_a_dot():
    both = cells(text_map(shown(("a", 5, 5), ("b", 5, 5), ("c", 0, 9))))
    assert sum(row.count("+") for row in both) == 1
    many = text_map(shown(*((f"p{i}", i, 200 - i if i < 5 else 200) for i in range(MOST_NAMES + 9))))
    assert "9 more plans without a name: ∙" in many


def test_numbers_of_two_digits_are_whole_and_those_that_touch_are_a_plus():
    places = [(f"p{i:02}", 6.0 * i, 90.0 - 9 * i) for i in range(11)]
    rows = cells(text_map(shown(*places), 76, 11))
    assert [row.replace(".", " ").split()[0] for row in rows] == [str(number) for number in range(1, 12)]
    assert rows[-1].rstrip().endswith("11")  # at the right end it begins one place further left
    near = cells(text_map(shown(("a", 0, 9), ("b", 10, 5), ("c", 10.15, 4.99)), 76, 11))
    assert [row[65:] for row in near if "2" in row] == ["2+"]


def test_a_long_name_is_cut_to_the_width():
    lines = text_map(shown(("x" * 200, 1, 1)), 60).splitlines()
    assert max(map(len, lines[-2:-1])) == 60
    assert lines[-2].endswith("…")


def test_nothing_to_draw_is_said():
    assert text_map(shown(("a", float("nan"), 1))) == "No plan has a known loss and risk."
