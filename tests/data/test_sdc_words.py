"""Microdata in the words of sdcMicro."""

from __future__ import annotations

import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput, UnknownName
from tests.reference import shared_file

FRAME = pd.DataFrame({"sex": [1, 2, 1], "age": [31, 44, 58], "income": [5, 6, 7], "w": [1.0, 2.0, 3.0], "h": [1, 1, 2]})


def test_each_word_becomes_a_role() -> None:
    data = mv.Microdata.from_sdc(FRAME, keyVars=["sex", "age"], numVars="income", weightVar="w", hhId="h")
    assert dict(data.roles) == {"sex": "key", "age": "key", "income": "confidential", "w": "weight", "h": "household"}
    assert (data.kinds["age"], data.kinds["income"]) == ("ordinal", "continuous")
    assert mv.Microdata.from_sdc(FRAME, ["sex"], strataVar="h", excludeVars="w").roles["w"] == "identifier"


def test_a_column_has_one_meaning() -> None:
    with pytest.raises(BadInput, match="numVars names 'age', which has the role 'key' already"):
        mv.Microdata.from_sdc(FRAME, keyVars=["age"], numVars=["age"])
    with pytest.raises(UnknownName, match="there is no column 'agee'; did you mean 'age'"):
        mv.Microdata.from_sdc(FRAME, keyVars=["agee"])


def test_the_usual_example_gives_the_known_figures() -> None:
    frame = mv.read(shared_file("data", "testdata.csv"), backend="pandas").frame
    keys = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    data = mv.Microdata.from_sdc(frame, keyVars=keys, numVars=["expend", "income"], weightVar="sampling_weight")
    assert mv.risk.KAnonymity()(data).value == 1
    assert mv.risk.Uniqueness()(data).value == pytest.approx(100 * 157 / 4580, abs=0.01)
