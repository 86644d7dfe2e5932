"""A search that ends by the clock is repeated by its log, wherever the clock ended it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.data.microdata import Microdata
from microveil.mask import lattice_search

NAMES = [f"v{i}" for i in range(6)]


def many_keys():
    draw = np.random.default_rng(5)
    frame = pd.DataFrame({name: draw.choice(list("abcdefgh"), 200) for name in NAMES}).assign(part=["p", "q"] * 100)
    paths = {value: (f"{i // 2}", f"{i // 4}") for i, value in enumerate("abcdefgh")}
    return Microdata(frame, kinds=dict.fromkeys(NAMES, "nominal"), hierarchies=dict.fromkeys(NAMES, paths))


class Clock:
    """Time that begins at 0 and is over after so many looks at it."""

    def __init__(self, looks):
        self.looks = looks

    def monotonic(self):
        self.looks -= 1
        return 0.0 if self.looks >= 0 else 100.0


@pytest.mark.parametrize("looks", [1, 2, 9, 40])
@pytest.mark.parametrize("sensitive", [{}, {"sensitive": ["part"], "l": 2, "diversity": "entropy"}])
def test_the_log_repeats_what_the_clock_ended(monkeypatch, looks, sensitive):
    data = many_keys()
    mask = mv.mask.Lattice(model=mv.Anonymity(k=3, **sensitive), max_dropped=0.1, seconds=1)
    with monkeypatch.context() as patched:
        patched.setattr(lattice_search, "time", Clock(looks))
        release = mask.apply(data, columns=NAMES, seed=1)
    assert any("nodes=" in note for note in release.notes)
    log = mv.plan.private_log(release)
    assert "seconds" not in str(log["steps"])
    assert mv.plan.replay(log, data).frame.equals(release.frame)


def test_subdomains_are_not_ended_by_a_clock():
    with pytest.raises(BadInput, match="which no log repeats; give nodes in place of seconds, or leave by out"):
        mv.mask.Lattice(k=2, seconds=1).apply(many_keys(), columns=NAMES, by="part", seed=1)
    assert len(mv.mask.Lattice(k=2, nodes=5).apply(many_keys(), columns=NAMES, by="part", seed=1)) == 200
