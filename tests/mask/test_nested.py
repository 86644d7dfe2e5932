"""Masks inside other methods: every combination gives a release or one clear error."""

from __future__ import annotations

import typing
import warnings

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput, BrokenPromise, MicroveilError, NothingHidden
from microveil.core.registry import registered
from microveil.mask import GlobalRecode, KAnonymise, Massc, Pram, Repair, Rescale, Sample
from microveil.mask.base import Mask
from microveil.partition.base import Partition
from microveil.run.method import Method
from microveil.synth.base import Synthesiser
from microveil.testing import grid_points
from microveil.testing.samples import as_microdata, sample_columns

AMOUNTS = ("income", "wealth", "hours")
FILES = {"amounts": AMOUNTS, "categories": ("school", "place", "sex"), "everything": None}
BASES = (Mask, Synthesiser, Partition)


def nesting():
    """Every registered method with each of its parameters that holds another method."""
    for outer in registered(Method):
        for parameter in outer.parameters():
            kinds = (parameter.annotation, *typing.get_args(parameter.annotation))
            for base in BASES:
                if base in kinds:
                    marks = pytest.mark.long if base is Mask else ()
                    name = f"{outer.name}-{parameter.name}-{base.family}"
                    yield pytest.param(outer, parameter.name, base, id=name, marks=marks)


def sample(file):
    columns = sample_columns(120)
    return as_microdata({name: columns[name] for name in FILES[file] or columns})


def inner_methods(base):
    """Of every registered class its grid, masks in full and others by their default."""
    for cls in registered(base):
        points = list(grid_points(cls))
        yield from points if base is Mask else points[:1]


def tried(outer, name, inner, data, **more):
    """Whether there is a release; an error on purpose is an answer too, a broken promise is not."""
    try:
        method = outer(**{**outer.example, **more, name: inner})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NothingHidden)
            method.apply(data, seed=1)
    except BrokenPromise:
        raise
    except MicroveilError:
        return False
    return True


@pytest.mark.parametrize(("outer", "name", "base"), list(nesting()))
def test_every_method_inside_every_other_gives_a_release_or_a_clear_error(outer, name, base):
    files = [sample(file) for file in (FILES if base is Mask else ("amounts",))]
    found = [tried(outer, name, inner, data) for inner in inner_methods(base) for data in files]
    assert any(found)


@pytest.mark.long
def test_every_mask_inside_clusters_whose_moments_are_restored():
    data = sample("amounts")
    found = [tried(mv.hybrid.LocalMasking, "mask", inner, data, restore=True) for inner in inner_methods(Mask)]
    assert any(found)


def test_the_methods_that_take_a_mask_are_found():
    assert {case.values[0].name for case in nesting() if case.values[2] is Mask} >= {
        "rescale",
        "cholesky-hybrid",
        "local-masking",
        "post-masking-optimisation",
    }


@pytest.mark.parametrize(
    ("mask", "text"),
    [
        (GlobalRecode(representative="interval"), r"global-recode made categories of \['income', 'wealth', 'hours'\]"),
        (KAnonymise(), r"k-anonymise made categories of \['income', 'wealth', 'hours'\]; give a mask that leaves"),
    ],
)
def test_rescale_refuses_masks_that_leave_no_numbers(mask, text):
    with pytest.raises(BadInput, match=text):
        Rescale(mask=mask).apply(sample("amounts"), columns=AMOUNTS, seed=1)


@pytest.mark.parametrize("mask", [Pram(), Massc()])
def test_rescale_refuses_masks_of_categories(mask):
    with pytest.raises(BadInput, match=f"mask='{mask.name}' protects .* columns; give a mask of numbers, such as"):
        Rescale(mask=mask)


def test_rescale_gives_a_sample_the_moments_of_the_file():
    frame = pd.DataFrame(np.random.default_rng(1).gamma(2.0, size=(80, 2)), columns=["a", "b"])
    released = Rescale(mask=Sample(fraction=0.5)).apply(frame, seed=1).frame
    assert len(released) == 40
    assert released.mean().to_numpy() == pytest.approx(frame.mean().to_numpy())
    assert released.std(ddof=0).to_numpy() == pytest.approx(frame.std(ddof=0).to_numpy())


@pytest.mark.parametrize("outer", [Rescale, mv.hybrid.CholeskyHybrid, mv.hybrid.PostMaskingOptimisation])
def test_a_sample_whose_weights_would_stay_as_they_were_is_refused(outer):
    method = outer(mask=Sample(fraction=0.5))
    text = r"sample works with \['weight'\] beside the columns it protects, and .* hands on .* only; run sample as a"
    with pytest.raises(BadInput, match=text):
        method.apply(sample("everything"), columns=AMOUNTS, seed=1)


def test_nested_masks_that_read_other_columns_are_refused():
    data = sample("everything")
    by_place = KAnonymise(model=mv.Anonymity(sensitive=("place",), l=2), release="average")
    for method in (Rescale(mask=by_place), mv.hybrid.LocalMasking(mask=by_place, restore=True)):
        with pytest.raises(BadInput, match=r"k-anonymise works with \['place'\] beside the columns it protects"):
            method.apply(data, columns=AMOUNTS, seed=1)
    with pytest.raises(BadInput, match=r"repair works with \['hours'\] beside the columns it protects"):
        Rescale(mask=Repair(ranges={"hours": (0.0, 10.0)})).apply(data, columns=["income", "wealth"], seed=1)
