"""Variable labels of statistical files: dropped unless somebody says that they were read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest


@pytest.mark.parametrize(("words", "kept"), [((), [None]), (("--titles", "keep"), ["Income of a month"])])
def test_question_texts_are_kept_by_word_only(
    tmp_path: Path, run: Callable[..., str], words: tuple[str, ...], kept: list[str | None]
) -> None:
    frame = pd.DataFrame({"inc": np.random.default_rng(4).gamma(2.0, 900.0, 60).round(2)})
    pyreadstat.write_sav(frame, str(tmp_path / "in.sav"), column_labels={"inc": "Income of a month"})
    noise = ("-m", "uncorrelated-noise", "--columns", "inc")
    run("protect", tmp_path / "in.sav", *noise, "-o", tmp_path / "out.sav", *words)
    assert pyreadstat.read_sav(tmp_path / "out.sav")[1].column_labels == kept
    run("protect", tmp_path / "in.sav", *noise, "-o", tmp_path / "x.sav", "--titles", "kep", status=2, match="'keep'?")
