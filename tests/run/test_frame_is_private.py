"""`release.frame` is for looking at inside, and every place that shows a release says so."""

from __future__ import annotations

import pandas as pd

import microveil as mv

FRAME = pd.DataFrame({"name": list("abcdefgh") * 5, "x": [float(i) for i in range(40)]})


def test_a_release_says_that_its_frame_is_not_the_file_to_give_away():
    data = mv.Microdata(FRAME, roles={"name": "identifier"})
    release = mv.mask.UncorrelatedNoise(p=0.2).apply(data, columns=["x"])
    for shown in (repr(release), release._repr_html_()):
        assert "release.frame is for looking at inside: it holds identifiers (name) and the order" in shown
        assert "mv.write(release, path) makes the file to give away" in shown


def test_without_identifiers_the_order_alone_is_told():
    release = mv.mask.UncorrelatedNoise(p=0.2).apply(FRAME[["x"]])
    assert "it holds the order of the original" in repr(release)
