"""Files: what careless writers leave behind is found, and what the project writes has nothing of it."""

from __future__ import annotations

import zipfile
from hashlib import sha256
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

import microveil as mv
from microveil.attack import FileLeaks
from microveil.attack.written_digits import digits_of
from microveil.core.errors import BadInput
from microveil.mask import UncorrelatedNoise

WORDS = "words of the original"
KEY = sha256(b"a key that looks random").hexdigest()


def weighted_people(rows: int = 400, seed: int = 1) -> mv.Microdata:
    draw = np.random.default_rng(seed)
    region = draw.choice(["north", "south", "east", "west"], rows)
    columns = {
        "person": np.arange(rows) + 10_000,
        "income": (draw.gamma(3, 10_000, rows) // 1000) * 1000,
        "age": draw.integers(0, 90, rows).astype(float),
        "region": region,
        "w": [{"north": 2.0, "south": 3.0, "east": 4.5, "west": 7.25}[name] for name in region],
    }
    return mv.Microdata(pa.table(columns), roles={"person": "identifier", "w": "weight", "region": "key"})


def noisy(data: mv.Microdata):
    return UncorrelatedNoise(p=0.3).apply(data, columns=["income", "age"], seed=KEY)


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather", "dta", "sav", "zsav", "xlsx"])
def test_what_the_project_writes_has_no_traces(tmp_path, ending):
    data = weighted_people()
    path = tmp_path / f"protected.{ending}"
    mv.write(noisy(data), path)
    found = FileLeaks()(data, path)
    assert found.value == 0.0, found
    assert "None of" in found.reading


def test_a_frame_written_as_it_is_has_order_identifiers_and_index(tmp_path):
    data = weighted_people()
    path = tmp_path / "careless.csv"
    noisy(data).frame.to_pandas().to_csv(path, index_label="row")
    found = FileLeaks()(data, str(path))
    assert found.parts["order"] > 10  # the nearest original is the own one for some only
    assert found.parts["further columns"] == 100.0
    assert found.value == 100.0


def test_rows_in_another_order_hide_the_place(tmp_path):
    data = weighted_people()
    frame = noisy(data).frame.to_pandas().drop(columns="person")
    frame.sample(frac=1, random_state=1).to_csv(tmp_path / "shuffled.csv", index=False)
    found = FileLeaks()(data, tmp_path / "shuffled.csv")
    assert found.parts["order"] == 0.0
    assert found.parts["further columns"] == 0.0


def test_unused_categories_and_attributes(tmp_path):
    data = weighted_people()
    frame = noisy(data).frame.to_pandas().drop(columns="person")
    shown = np.where(frame["region"] == "west", "east", frame["region"])
    frame["region"] = pd.Categorical(shown, ["east", "north", "south", "west"])
    frame.to_parquet(tmp_path / "categories.parquet")
    found = FileLeaks()(data, tmp_path / "categories.parquet")
    assert found.parts[WORDS] == 100.0
    assert found.parts["attributes"] == 100.0
    plain = pa.table({name: frame[name].astype(str) if name == "region" else frame[name] for name in frame})
    pq.write_table(plain.replace_schema_metadata(None), tmp_path / "plain.parquet")
    again = FileLeaks()(data, tmp_path / "plain.parquet")
    assert (again.parts[WORDS], again.parts["attributes"]) == (0.0, 0.0)


# -- order -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["income", "person", "region"])
def test_rows_sorted_by_original_values(tmp_path, by):
    """Sorted by a column before it was changed, by one that is left out, or within categories."""
    data = weighted_people()
    # so little noise that the nearest original is nearly always the own one
    frame, draw = data.frame.to_pandas(), np.random.default_rng(2)
    for name, spread in (("income", 300.0), ("age", 0.3)):
        frame[name] += draw.normal(0, spread, len(frame))
    order = np.argsort(data.frame[by].to_numpy(), kind="stable")
    if by == "person":  # the file comes with people in random order
        drawn = np.random.default_rng(3).permutation(len(frame))
        data = data.with_(data.frame.take(drawn))
        frame = frame.iloc[drawn].reset_index(drop=True)
        order = np.argsort(data.frame[by].to_numpy())
    frame.iloc[order].drop(columns=["person", "region", "w"]).to_csv(tmp_path / "sorted.csv", index=False)
    found = FileLeaks()(data, tmp_path / "sorted.csv")
    assert found.parts["sorted"] > 20


def test_rows_sorted_by_what_they_show_tell_nothing_more(tmp_path):
    data = weighted_people()
    frame = noisy(data).frame.to_pandas().drop(columns="person")
    frame.sort_values("income").to_csv(tmp_path / "sorted.csv", index=False)
    assert FileLeaks()(data, tmp_path / "sorted.csv").parts["sorted"] == 0.0


def families(rows: int = 200) -> mv.Microdata:
    """People with ages that a file may show in classes, incomes with gaps, and households."""
    draw = np.random.default_rng(4)
    income = draw.gamma(3, 10_000, rows)
    columns = {
        "age": draw.integers(0, 90, rows),
        "income": pa.array(income, mask=draw.random(rows) < 0.1),
        "wealth": draw.gamma(2, 50_000, rows),
        "home": np.arange(rows) // 2 + 1,
    }
    return mv.Microdata(pa.table(columns), roles={"home": "household"})


@pytest.mark.parametrize(
    ("by", "numbers", "told"),
    [
        (None, "drawn", set()),
        ("class", "drawn", set()),
        ("age", "drawn", {"sorted"}),  # inside of the classes that it shows
        ("income", "drawn", {"sorted"}),  # which has gaps, and was left out
        ("place", "drawn", {"order", "sorted"}),  # whatever numbers of households stand beside
        (None, "of rows", {"numbers of households"}),
    ],
)
def test_order_is_found_beside_classes_gaps_and_households(tmp_path, by, numbers, told):
    data, draw = families(), np.random.default_rng(5)
    frame = data.frame.to_pandas()
    frame["class"], frame["place"] = frame["age"] // 30 * 30, np.arange(len(frame))
    frame["home"] = draw.permutation(100)[frame["home"] - 1] + 1 if numbers == "drawn" else frame["place"] + 1
    frame = frame.sample(frac=1, random_state=6)
    frame = frame if by is None else frame.sort_values(by, kind="stable")
    frame["age"] = frame["class"]
    left = frame.drop(columns=["class", "place", *(["income"] if by == "income" else [])])
    left.to_csv(tmp_path / "file.csv", index=False)
    parts = FileLeaks()(data, tmp_path / "file.csv").parts
    assert {name for name in ("order", "sorted", "numbers of households") if parts.get(name)} == told


def test_shuffled_rows_look_sorted_hardly_ever(tmp_path):
    """Forty files, five columns each, at a level of one in sixteen thousand."""
    data = weighted_people(100)
    frame = noisy(data).frame.to_pandas().drop(columns="person")
    for seed in range(40):
        frame.sample(frac=1, random_state=seed).to_csv(tmp_path / "shuffled.csv", index=False)
        assert FileLeaks()(data, tmp_path / "shuffled.csv").parts["sorted"] == 0.0


# -- what formats carry ------------------------------------------------------------------------------


def workbook(tmp_path) -> tuple[mv.Microdata, openpyxl.Workbook, Path]:
    data = weighted_people()
    path = tmp_path / "protected.xlsx"
    mv.write(noisy(data), path)
    return data, openpyxl.load_workbook(path), path


def hidden_sheet(book):
    book.create_sheet("key").sheet_state = "veryHidden"


def further_sheet(book):
    book.create_sheet("original")


def hidden_row(book):
    book.active.row_dimensions[5].hidden = True


def hidden_column(book):
    book.active.column_dimensions["B"].hidden = True


def comment(book):
    book.active["B3"].comment = openpyxl.comments.Comment("was 41000", "clerk")


def named_range(book):
    book.defined_names["top_earners"] = openpyxl.workbook.defined_name.DefinedName(
        "top_earners", attr_text=f"{book.active.title}!$A$2:$A$5"
    )


def author(book):
    book.properties.creator = "Erika Mustermann"


def title(book):
    book.properties.title = "income of the people of Graz"


@pytest.mark.parametrize(
    ("spoil", "part"),
    [
        (hidden_sheet, "hidden parts"),
        (further_sheet, "hidden parts"),
        (hidden_row, "hidden parts"),
        (hidden_column, "hidden parts"),
        (comment, "comments"),
        (named_range, "comments"),
        (author, "properties"),
        (title, "properties"),
    ],
)
def test_traces_in_workbooks(tmp_path, spoil, part):
    data, book, path = workbook(tmp_path)
    book.save(path)
    assert FileLeaks()(data, path).parts[part] == 0.0
    spoil(book)
    book.save(path)
    found = FileLeaks()(data, path)
    assert found.parts[part] == 100.0
    assert part in found.reading


def test_formulas_with_their_results(tmp_path):
    data, _, path = workbook(tmp_path)
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    sheet = next(name for name in parts if name.startswith("xl/worksheets/"))
    parts[sheet] = parts[sheet].replace(b"<v>", b"<f>41000*1.03</f><v>", 1)
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    assert FileLeaks()(data, path).parts["formulas"] == 100.0


def test_descriptions_of_columns_in_parquet(tmp_path):
    data = weighted_people()
    plain = noisy(data).frame.drop(["person"]).replace_schema_metadata(None)
    fields = [
        one.with_metadata({"note": "west was joined to east"} if one.name == "region" else {}) for one in plain.schema
    ]
    pq.write_table(plain.cast(pa.schema(fields)), tmp_path / "fields.parquet")
    assert FileLeaks()(data, tmp_path / "fields.parquet").parts["attributes"] == 100.0


@pytest.mark.long
def test_labels_notes_and_declared_missing_values(tmp_path):
    data = weighted_people()
    frame = noisy(data).frame.to_pandas().drop(columns="person")
    frame["region"] = frame["region"].map({"north": 1.0, "south": 2.0, "east": 3.0, "west": 3.0})
    labels = {1.0: "north", 2.0: "south", 3.0: "east", 4.0: "west"}
    for ending, write in (("sav", pyreadstat.write_sav), ("dta", pyreadstat.write_dta)):
        path = tmp_path / f"labels.{ending}"
        write(frame, path, variable_value_labels={"region": labels})
        found = FileLeaks()(data, path)
        assert found.parts["labels of absent values"] == 25.0
        assert found.parts["notes"] == 0.0
        write(frame, path, file_label="people of Graz, raw")
        assert FileLeaks()(data, path).parts["notes"] == 100.0
    path = tmp_path / "notes.sav"
    pyreadstat.write_sav(frame, path, note="sorted by income")
    assert FileLeaks()(data, path).parts["notes"] == 100.0
    pyreadstat.write_sav(frame, path, missing_ranges={"age": [{"lo": 97.0, "hi": 99.0}]})
    assert FileLeaks()(data, path).parts["notes"] == 100.0


# -- cells -------------------------------------------------------------------------------------------


def test_digits_tell_changed_cells(tmp_path):
    data = weighted_people()
    values = data.frame["income"].to_numpy().copy()
    values[values > 50_000] = values[values > 50_000].mean()
    values[::3] += 0.37
    frame = data.frame.to_pandas().drop(columns="person").assign(income=values)
    frame.sample(frac=1, random_state=1).to_csv(tmp_path / "digits.csv", index=False)
    assert FileLeaks()(data, tmp_path / "digits.csv").parts["digits"] == 100.0
    assert "digits" not in FileLeaks(known=["age"])(data, tmp_path / "digits.csv").parts


def test_coded_tails_have_no_telling_digits(tmp_path):
    """Everybody from 4000 on has 4000, which shows that it is a code: that no original ends so tells nothing more."""
    amounts = np.round(np.random.default_rng(5).lognormal(8, 0.6, 300))
    data = mv.Microdata(pd.DataFrame({"income": amounts}), kinds={"income": "continuous"})
    coded = mv.mask.TopBottomCode(top=4000, bottom=1500).apply(data, columns=["income"])
    assert sum(coded.frame["income"] == 4000) > 50
    mv.write(coded, tmp_path / "coded.csv")
    assert "digits" not in FileLeaks()(data, tmp_path / "coded.csv").parts


def test_weights_fill_gaps(tmp_path):
    data = weighted_people(800)
    region = [None if i % 4 == 0 else value for i, value in enumerate(data.frame["region"].to_pylist())]
    frame = data.frame.to_pandas().drop(columns="person").assign(region=region)
    frame.sample(frac=1, random_state=1).to_csv(tmp_path / "gaps.csv", index=False)
    assert FileLeaks()(data, tmp_path / "gaps.csv").parts["weights"] == 100.0
    frame.drop(columns="w").to_csv(tmp_path / "none.csv", index=False)
    assert "weights" not in FileLeaks()(data, tmp_path / "none.csv").parts


def test_what_it_needs(tmp_path):
    data = weighted_people(50)
    assert "give its path" in FileLeaks()(data, noisy(data)).reason
    path = tmp_path / "a.csv"
    mv.write(noisy(data), path)
    with pytest.raises(BadInput, match="leave columns and by out"):
        FileLeaks()(data, path, by="region")


def test_amounts_that_are_often_zero_have_no_telling_digits(tmp_path):
    rng = np.random.default_rng(5)
    amounts = np.where(rng.random(400) < 0.6, 0.0, np.round(np.exp(rng.normal(5, 1, 400)), 2))
    data = mv.Microdata(pd.DataFrame({"income": amounts}), kinds={"income": "continuous"})
    shown = np.where(amounts == 0, 0.0, np.round(amounts * rng.uniform(0.5, 2, 400), 2))
    pd.DataFrame({"income": rng.permutation(shown)}).to_csv(tmp_path / "zeros.csv", index=False)
    assert FileLeaks()(data, tmp_path / "zeros.csv").parts.get("digits", 0.0) == 0.0


def test_digits_are_those_that_a_number_is_written_with():
    numbers = np.array([1.25, 3.5, 7.0, 120.0, 1_000_000.5, 0.1, 1234567.89, 30_000_000.0])
    assert digits_of(numbers).tolist() == [2, 1, 0, -1, 1, 1, 2, -7]


def test_a_word_inside_one_that_cells_show_is_no_trace(tmp_path):
    before = pd.DataFrame({"work": ["officer", "police officer", "baker"] * 10, "x": range(30)})
    after = pd.DataFrame({"work": ["police officer"] * 30, "x": range(30)})
    path = tmp_path / "a.csv"
    after.to_csv(path, index=False)
    assert FileLeaks()(before, path).parts[WORDS] == 0


def test_chance_is_judged_by_all_columns_that_are_compared():
    """Shuffled files of many columns are not called sorted more often than those of one."""
    from microveil.attack.written_file import _beyond_luck

    assert _beyond_luck(0.21, 400, 1) == pytest.approx(21.0)
    assert _beyond_luck(0.21, 400, 40) == 0.0
    assert _beyond_luck(-1.0, 20, 40) == 100.0
    rng = np.random.default_rng(1)
    place = np.arange(60.0)
    found = [_beyond_luck(np.corrcoef(place, rng.permutation(60))[0, 1], 60, 1) for _ in range(2_000)]
    assert sum(one > 0 for one in found) <= 1
