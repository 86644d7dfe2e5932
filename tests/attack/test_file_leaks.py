"""Files: what careless writers leave behind is found, and what the project writes has nothing of it."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import microveil as mv
from microveil.attack import FileLeaks
from microveil.core.errors import BadInput
from microveil.mask import UncorrelatedNoise

WORDS = "words of the original"
KEY = sha256(b"a key that looks random").hexdigest()


def people(rows: int = 400, seed: int = 1) -> mv.Microdata:
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


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather", "dta"])
def test_what_the_project_writes_has_no_traces(tmp_path, ending):
    data = people()
    path = tmp_path / f"protected.{ending}"
    mv.write(noisy(data), path)
    found = FileLeaks()(data, path)
    assert found.value == 0.0, found
    assert "None of" in found.reading


def test_a_frame_written_as_it_is_has_order_identifiers_and_index(tmp_path):
    data = people()
    path = tmp_path / "careless.csv"
    noisy(data).frame.to_pandas().to_csv(path, index_label="row")
    found = FileLeaks()(data, str(path))
    assert found.parts["order"] > 10  # the nearest original is the own one for some only
    assert found.parts["further columns"] == 100.0
    assert found.value == 100.0


def test_rows_in_another_order_hide_the_place(tmp_path):
    data = people()
    frame = noisy(data).frame.to_pandas().drop(columns="person")
    frame.sample(frac=1, random_state=1).to_csv(tmp_path / "shuffled.csv", index=False)
    found = FileLeaks()(data, tmp_path / "shuffled.csv")
    assert found.parts["order"] == 0.0
    assert found.parts["further columns"] == 0.0


def test_unused_categories_and_attributes(tmp_path):
    data = people()
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


def test_digits_tell_changed_cells(tmp_path):
    data = people()
    values = data.frame["income"].to_numpy().copy()
    values[values > 50_000] = values[values > 50_000].mean()
    values[::3] += 0.37
    frame = data.frame.to_pandas().drop(columns="person").assign(income=values)
    frame.sample(frac=1, random_state=1).to_csv(tmp_path / "digits.csv", index=False)
    assert FileLeaks()(data, tmp_path / "digits.csv").parts["digits"] == 100.0
    assert "digits" not in FileLeaks(known=["age"])(data, tmp_path / "digits.csv").parts


def test_weights_fill_gaps(tmp_path):
    data = people(800)
    region = [None if i % 4 == 0 else value for i, value in enumerate(data.frame["region"].to_pylist())]
    frame = data.frame.to_pandas().drop(columns="person").assign(region=region)
    frame.sample(frac=1, random_state=1).to_csv(tmp_path / "gaps.csv", index=False)
    assert FileLeaks()(data, tmp_path / "gaps.csv").parts["weights"] == 100.0
    frame.drop(columns="w").to_csv(tmp_path / "none.csv", index=False)
    assert "weights" not in FileLeaks()(data, tmp_path / "none.csv").parts


def test_what_it_needs(tmp_path):
    data = people(50)
    assert "give its path" in FileLeaks()(data, noisy(data)).reason
    path = tmp_path / "a.csv"
    mv.write(noisy(data), path)
    with pytest.raises(BadInput, match="leave columns and by out"):
        FileLeaks()(data, path, by="region")
