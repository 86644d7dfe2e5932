"""Classification and regression trees on presorted columns, compiled.

Each numeric column is sorted once; a split partitions the sorted orders stably, so that a tree costs
O(p n log n) for the sorting and O(p n) for each level. Categories are ordered by their mean response inside every node
and cut there (Breiman, Friedman, Olshen & Stone 1984).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints, SmallInts, TinyInts
from microveil.core.compiling import compiled


class Tree(NamedTuple):
    """A grown tree; node 0 is the root, `feature` -1 marks leaves, numeric columns come before categorical ones."""

    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    sides: TinyInts  # for categorical splits: 1 left, 0 right, by level from `first_side` on
    first_side: Ints
    sizes: Ints


class Predictors(NamedTuple):
    """Predictors of some records, one row per column: numbers (-inf where missing) and codes from 0."""

    numbers: Floats
    codes: SmallInts
    levels: Ints  # number of levels of each categorical column


def grow_tree(X: Predictors, y: Floats, classes: int, min_leaf: int, complexity: float) -> tuple[Tree, Ints]:
    """A tree for y and the leaf of each record.

    `classes` = 0: y is a number and splits reduce its variance; otherwise y holds codes below `classes` and splits
    reduce Gini's impurity. A split must leave `min_leaf` records on either side and reduce the impurity by more than
    `complexity` of the root's.
    """
    n = len(y)
    orders = np.empty((len(X.numbers), n), dtype=np.int32)
    for j in range(len(orders)):
        orders[j] = np.argsort(X.numbers[j], kind="stable")
    if classes == 0:
        spread = y.std()
        response = (y - y.mean()) / (spread if spread > 0 else 1.0)
        codes = np.zeros(1, dtype=np.int64)
    else:
        response, codes = np.zeros(1), y.astype(np.int64)
    most = 2 * (n // max(min_leaf, 1)) + 1
    total = int(X.levels.sum()) if len(X.levels) else 0
    feature, threshold, left, right, first_side, sizes, sides, count, used, leaf_of = _grow(
        X.numbers, X.codes, X.levels, orders, response, codes, classes,
        min_leaf, complexity, most, total,
    )  # fmt: skip
    tree = Tree(
        feature[:count], threshold[:count], left[:count], right[:count], sides[:used], first_side[:count], sizes[:count]
    )
    return tree, leaf_of


def find_leaves(tree: Tree, X: Predictors) -> Ints:
    """The leaf of each record; a level that the node never saw goes with the larger side."""
    return _descend(*tree, X.numbers, X.codes)


@compiled
def _grow(
    numbers: Floats,
    codes: SmallInts,
    levels: Ints,
    orders: SmallInts,
    y: Floats,
    classes_of: Ints,
    classes: int,
    min_leaf: int,
    complexity: float,
    most: int,
    total: int,
) -> tuple[Ints, Floats, Ints, Ints, Ints, Ints, TinyInts, int, int, Ints]:
    """Grow a tree depth first; `orders` is left partitioned as the tree cut it.

    For each node its column (-1: a leaf), threshold, children, first entry in `sides`, and size; then `sides` (of each
    level 1: left, 0: right, -1: not seen there), how many nodes and entries of `sides` are used, and the leaf of each
    record. A node holds a stretch of every column's order, so that no node sorts again.
    """
    numeric, n = orders.shape
    categorical = len(levels)
    feature = np.full(most, -1, np.int64)
    threshold = np.zeros(most)
    left, right = np.full(most, -1, np.int64), np.full(most, -1, np.int64)
    first_side, sizes = np.full(most, -1, np.int64), np.zeros(most, np.int64)
    sides = np.full(max(16, 4 * total), -1, np.int8)
    used = 0
    leaf_of = np.zeros(n, np.int64)
    rows = np.arange(n).astype(np.int32)
    goes_left = np.zeros(n, np.bool_)
    spare = np.empty(n, np.int32)
    here = np.zeros(max(classes, 1), np.int64)
    begin, end = np.zeros(most, np.int64), np.zeros(most, np.int64)
    stack = np.zeros(most, np.int64)
    end[0], held, count = n, 1, 1
    floor = -1.0  # the least gain that is worth a cut: known once the root has been looked at
    biggest = 1
    for c in range(categorical):
        biggest = max(biggest, levels[c])
    level_count = np.zeros(biggest, np.int64)
    level_sum = np.zeros(biggest)
    level_classes = np.zeros((biggest, max(classes, 1)), np.int64)
    while held > 0:
        held -= 1
        node = stack[held]
        a, b = begin[node], end[node]
        size = b - a
        sizes[node] = size
        total_sum, purity = _node_sums(rows, a, b, y, classes_of, classes, here)
        impurity = _impurity(rows, a, b, y, purity, total_sum, classes, size)
        if floor < 0:
            floor = complexity * impurity
        # a gain within rounding of nothing would split records that are all alike
        best_gain, best_feature, best_cut = max(floor, 1e-12 * size), -1, 0
        if size >= 2 * min_leaf and impurity > 1e-12 * size:
            base = purity / size if classes > 0 else total_sum * total_sum / size
            for j in range(numeric):
                gain, cut = _best_cut(
                    numbers[j], orders[j], a, b, y, classes_of, classes, here, total_sum, purity, min_leaf
                )
                if gain - base > best_gain:
                    best_gain, best_feature, best_cut = gain - base, j, cut
            for c in range(categorical):
                gain, cut = _best_subset(
                    codes[c], levels[c], rows, a, b, y, classes_of, classes, here, total_sum, min_leaf,
                    level_count, level_sum, level_classes,
                )[:2]  # fmt: skip
                if gain - base > best_gain:
                    best_gain, best_feature, best_cut = gain - base, numeric + c, cut
        if best_feature < 0:
            for i in range(a, b):
                leaf_of[rows[i]] = node
            continue
        feature[node] = best_feature
        if best_feature < numeric:
            order = orders[best_feature]
            low = numbers[best_feature][order[best_cut - 1]]
            high = numbers[best_feature][order[best_cut]]
            middle = low + (high - low) / 2 if low > -np.inf else low
            # rounding must not move the cut onto the upper value
            threshold[node] = middle if middle < high else low
            for i in range(a, b):
                goes_left[order[i]] = i < best_cut
        else:
            c = best_feature - numeric
            # asked again rather than kept: the counts of levels it leaves behind are those of this column
            chosen = _best_subset(
                codes[c], levels[c], rows, a, b, y, classes_of, classes, here, total_sum, min_leaf,
                level_count, level_sum, level_classes,
            )[2]  # fmt: skip
            if used + levels[c] > len(sides):
                longer = np.full(2 * (used + levels[c]), -1, np.int8)
                longer[:used] = sides[:used]
                sides = longer
            first_side[node] = used
            for level in range(levels[c]):
                sides[used + level] = -1 if level_count[level] == 0 else 0
            for i in range(best_cut):
                sides[used + chosen[i]] = 1
            for i in range(a, b):
                goes_left[rows[i]] = sides[used + codes[c][rows[i]]] == 1
            used += levels[c]
        # every order is cut in the same way and stays sorted inside both children
        middle_row = _partition(rows, a, b, goes_left, spare)
        for j in range(numeric):
            _partition(orders[j], a, b, goes_left, spare)
        # children stand behind one another: their numbers do not depend on the order in which the stack is worked off
        left[node], right[node] = count, count + 1
        begin[count], end[count] = a, middle_row
        begin[count + 1], end[count + 1] = middle_row, b
        stack[held], stack[held + 1] = count, count + 1
        held += 2
        count += 2
    return feature, threshold, left, right, first_side, sizes, sides, count, used, leaf_of


@compiled
def _node_sums(
    rows: SmallInts, a: int, b: int, y: Floats, classes_of: Ints, classes: int, here: Ints
) -> tuple[float, float]:
    """Sum of the responses, or class counts (in `here`) and the sum of their squares."""
    total, purity = 0.0, 0.0
    if classes == 0:
        for i in range(a, b):
            total += y[rows[i]]
        return total, purity
    here[:] = 0
    for i in range(a, b):
        here[classes_of[rows[i]]] += 1
    for k in range(classes):
        purity += float(here[k]) * here[k]
    return total, purity


@compiled
def _impurity(
    rows: SmallInts, a: int, b: int, y: Floats, purity: float, total: float, classes: int, size: int
) -> float:
    """Sum of squares about the mean, or Gini's impurity times the size."""
    if classes > 0:
        return size - purity / size
    squares = 0.0
    mean = total / size
    for i in range(a, b):
        squares += (y[rows[i]] - mean) ** 2
    return squares


@compiled
def _best_cut(
    x: Floats,
    order: SmallInts,
    a: int,
    b: int,
    y: Floats,
    classes_of: Ints,
    classes: int,
    here: Ints,
    total: float,
    purity: float,
    min_leaf: int,
) -> tuple[float, int]:
    """The largest sum over both sides of sum^2 / size (or of squared class counts / size), and where it is."""
    size = b - a
    best, cut = -1.0, 0
    if x[order[a]] == x[order[b - 1]]:
        return best, cut
    if classes == 0:
        running = 0.0
        for i in range(a, b - min_leaf):
            running += y[order[i]]
            k = i + 1 - a
            if k >= min_leaf and x[order[i]] < x[order[i + 1]]:
                rest = total - running
                found = running * running / k + rest * rest / (size - k)
                if found > best:
                    best, cut = found, i + 1
        return best, cut
    there = np.zeros(classes, np.int64)
    inside, outside = 0.0, purity
    for i in range(a, b - min_leaf):
        c = classes_of[order[i]]
        inside += 2.0 * there[c] + 1.0
        outside -= 2.0 * (here[c] - there[c]) - 1.0
        there[c] += 1
        k = i + 1 - a
        if k >= min_leaf and x[order[i]] < x[order[i + 1]]:
            found = inside / k + outside / (size - k)
            if found > best:
                best, cut = found, i + 1
    return best, cut


@compiled
def _best_subset(
    code: SmallInts,
    levels: int,
    rows: SmallInts,
    a: int,
    b: int,
    y: Floats,
    classes_of: Ints,
    classes: int,
    here: Ints,
    total: float,
    min_leaf: int,
    level_count: Ints,
    level_sum: Floats,
    level_classes: Ints,
) -> tuple[float, int, Ints]:
    """As `_best_cut` over the levels in the order of their mean response; also that order."""
    size = b - a
    level_count[:levels] = 0
    level_sum[:levels] = 0.0
    largest = 0
    if classes > 0:
        level_classes[:levels] = 0
        largest = int(np.argmax(here))
    for i in range(a, b):
        row = rows[i]
        level = code[row]
        level_count[level] += 1
        if classes > 0:
            level_classes[level, classes_of[row]] += 1
        else:
            level_sum[level] += y[row]
    present = np.flatnonzero(level_count[:levels])
    means = np.empty(len(present))
    for i in range(len(present)):
        level = present[i]
        amount = level_classes[level, largest] if classes > 0 else level_sum[level]
        means[i] = amount / level_count[level]
    chosen = present[np.argsort(means, kind="mergesort")]
    best, cut, k, running = -1.0, 0, 0, 0.0
    there = np.zeros(max(classes, 1), np.int64)
    for i in range(len(chosen) - 1):
        level = chosen[i]
        k += level_count[level]
        if classes == 0:
            running += level_sum[level]
            found = running * running / k + (total - running) ** 2 / (size - k)
        else:
            inside, outside = 0.0, 0.0
            for c in range(classes):
                there[c] += level_classes[level, c]
                inside += float(there[c]) * there[c]
                outside += float(here[c] - there[c]) * (here[c] - there[c])
            found = inside / k + outside / (size - k)
        if k >= min_leaf and size - k >= min_leaf and found > best:
            best, cut = found, i + 1
    return best, cut, chosen


@compiled
def _partition(order: SmallInts, a: int, b: int, goes_left: Bools, spare: SmallInts) -> int:
    """Those that go left first, both parts in their former order."""
    place, later = a, 0
    for i in range(a, b):
        row = order[i]
        if goes_left[row]:
            order[place] = row
            place += 1
        else:
            spare[later] = row
            later += 1
    for i in range(later):
        order[place + i] = spare[i]
    return place


@compiled
def _descend(
    feature: Ints,
    threshold: Floats,
    left: Ints,
    right: Ints,
    sides: TinyInts,
    first_side: Ints,
    sizes: Ints,
    numbers: Floats,
    codes: SmallInts,
) -> Ints:
    numeric, n = numbers.shape
    out = np.zeros(n, np.int64)
    for i in range(n):
        node = 0
        while feature[node] >= 0:
            j = feature[node]
            if j < numeric:
                go = numbers[j, i] <= threshold[node]
            else:
                side = sides[first_side[node] + codes[j - numeric, i]]
                go = side == 1 if side >= 0 else sizes[left[node]] >= sizes[right[node]]
            node = left[node] if go else right[node]
        out[i] = node
    return out
