"""Compiled trees against a known library, and the splits only ours makes."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.kernels.regression.trees import Predictors, find_leaves, grow_tree


def predictors(numbers, codes=None, levels=()):
    codes = np.zeros((len(numbers), 0)) if codes is None else codes
    columns = np.ascontiguousarray(np.asarray(numbers, dtype=float).T)
    return Predictors(columns, np.ascontiguousarray(codes.T.astype(np.int32)), np.array(levels, dtype=np.int64))


def sum_of_squares(leaves, y):
    return sum(((y[leaves == leaf] - y[leaves == leaf].mean()) ** 2).sum() for leaf in np.unique(leaves))


@pytest.mark.parametrize("min_leaf", [5, 40])
def test_numeric_trees_are_those_of_scikit_learn(min_leaf):
    tree = pytest.importorskip("sklearn.tree")
    draw = np.random.default_rng(0)
    x = draw.normal(size=(1500, 4))
    y = np.sin(3 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.3 * draw.normal(size=1500)
    grown, leaves = grow_tree(predictors(x), y, 0, min_leaf, 0.0)
    theirs = tree.DecisionTreeRegressor(min_samples_leaf=min_leaf, random_state=0).fit(x, y)
    assert sum_of_squares(leaves, y) == pytest.approx(sum_of_squares(theirs.apply(x), y), rel=1e-9)
    assert (find_leaves(grown, predictors(x)) == leaves).all()
    assert np.bincount(leaves)[np.unique(leaves)].min() >= min_leaf
    classes = np.digitize(y, [-0.5, 0.5]).astype(float)
    _, found = grow_tree(predictors(x), classes, 3, min_leaf, 0.0)
    other = tree.DecisionTreeClassifier(min_samples_leaf=min_leaf, random_state=0).fit(x, classes)
    assert abs(len(np.unique(found)) - other.get_n_leaves()) <= 2


def test_categories_are_cut_into_any_two_groups():
    draw = np.random.default_rng(1)
    codes = draw.integers(0, 6, size=(600, 1))
    y = np.isin(codes[:, 0], [1, 4]).astype(float)
    grown, leaves = grow_tree(predictors(np.zeros((600, 0)), codes, [7]), y, 0, 5, 0.0)
    assert len(np.unique(leaves)) == 2
    assert sum_of_squares(leaves, y) < 1e-20
    unseen = np.full((1, 1), 6)
    larger = grown.left[0] if grown.sizes[grown.left[0]] >= grown.sizes[grown.right[0]] else grown.right[0]
    assert find_leaves(grown, predictors(np.zeros((1, 0)), unseen, [7]))[0] == larger
    _, by_class = grow_tree(predictors(np.zeros((600, 0)), codes, [7]), y, 2, 5, 0.0)
    assert len(np.unique(by_class)) == 2


def test_missing_numbers_can_be_split_off_and_complexity_stops():
    draw = np.random.default_rng(2)
    x = draw.normal(size=400)
    gone = draw.random(400) < 0.2
    x[gone] = -np.inf
    y = np.where(gone, 10.0, 0.0) + 0.01 * draw.normal(size=400)
    _, leaves = grow_tree(predictors(x[:, None]), y, 0, 20, 0.5)
    assert len(np.unique(leaves)) == 2
    assert len(set(leaves[gone])) == 1
    _, whole = grow_tree(predictors(np.zeros((400, 0))), y, 0, 20, 0.0)
    assert (whole == 0).all()
