"""Assignment of records to clusters of a least size, at the highest total log-membership.

The labels that maximise sum_i log z_{i,g(i)} when every cluster must hold at least k records solve a
minimum-cost flow problem. It starts from the most likely cluster of each record. While many records are
wanting, a premium on each cluster that is too small rises until it holds k. The rest is filled by shortest
paths over the G clusters: an edge a -> b costs the least fall of log z among the records of a that could move
to b. Each path is the cheapest way to gain one record, so the result is optimal (successive shortest paths
after dual ascent; Ahuja, Magnanti & Orlin 1993, Network Flows, chapters 9 and 12).
"""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints, SmallInts
from microveil.core.compiling import compiled
from microveil.core.errors import BadInput

_NONE = -1
_MOST_ROUNDS = 20  # of rising premiums
_FEW = 0.02  # part of the records that paths fill quickly


def assign_at_least(log_membership: Floats, k: int | Ints) -> Ints:
    """The cluster of each record such that each has k records or more and the sum of log z is the highest.

    `log_membership` is n x G; rows need not be normalised. `k` may differ between clusters; where they add up to n
    the sizes are exactly these. A membership of zero (-inf) is chosen as seldom as
    sizes allow. Ties: the lowest cluster, then the lowest row. The most likely clusters are kept as they are
    where all of them are large enough.
    """
    log_z = np.ascontiguousarray(log_membership, dtype=np.float64)
    least = _checked(log_z, k)
    labels: Ints = log_z.argmax(axis=1).astype(np.int64, copy=False)
    sizes = np.bincount(labels, minlength=log_z.shape[1])
    if (sizes >= least).all():
        return labels
    zero = _value_of_zero(log_z)
    # premiums bring nearly all records at once, paths the rest one by one: alone either would take far longer
    _raise_premiums(log_z, zero, least, labels, sizes)
    rows, first = _candidates(log_z, labels, zero, _wanting(sizes, least))
    _fill(log_z, zero, least, labels, sizes, rows, first)
    return labels


def _checked(log_z: Floats, k: int | Ints) -> Ints:
    if log_z.ndim != 2 or log_z.shape[1] < 1:
        raise BadInput(f"log-memberships have shape {log_z.shape}; give one row per record and one column per cluster")
    n, G = log_z.shape
    least = np.asarray(k, dtype=np.int64)
    if least.shape not in ((), (G,)):
        raise BadInput(f"k has shape {least.shape}; give one least size, or one for each of the {G} clusters")
    if least.min() < 0:
        raise BadInput(f"k must be 0 or more; {least.min()} was given")
    least = np.ascontiguousarray(np.broadcast_to(least, (G,)))
    if least.sum() > n:
        raise BadInput(
            f"{G} clusters of at least k={k} need {least.sum()} records: {n} given; use fewer clusters or a smaller k"
        )
    if n and not log_z.max() < np.inf:
        raise BadInput("log-memberships must be numbers below infinity or -inf; at least one is not")
    return least


def _value_of_zero(log_z: Floats) -> float:
    """A finite stand-in for log 0, so low that no path of other moves over all clusters outweighs one."""
    finite = np.isfinite(log_z)
    high, low = log_z.max(initial=-np.inf, where=finite), log_z.min(initial=np.inf, where=finite)
    return float(low - (2 * log_z.shape[1] + 1) * (high - low) - 1.0) if low <= high else 0.0


def _wanting(sizes: Ints, least: Ints) -> int:
    return int(np.maximum(least - sizes, 0).sum())


def _raise_premiums(log_z: Floats, zero: float, least: Ints, labels: Ints, sizes: Ints) -> None:
    """Give short clusters premiums with which they hold their least size; changes labels and sizes.

    Labels stay those of the highest log z + premium, and no cluster with a premium holds more: what
    complementary slackness asks of the start of the path method.
    """
    premium = np.zeros(log_z.shape[1])
    margin = np.empty(len(log_z))
    for _ in range(_MOST_ROUNDS):
        if _wanting(sizes, least) <= _FEW * len(log_z):
            break
        for g in np.flatnonzero(sizes < least).tolist():
            _margins(log_z, zero, premium, g, labels, margin)
            edge = np.partition(margin, len(margin) - least[g])[len(margin) - least[g]]
            premium[g] = max(premium[g], -edge)
            _take(g, margin, edge, least[g], labels)
            sizes[:] = np.bincount(labels, minlength=len(sizes))


@compiled
def _margins(log_z: Floats, zero: float, premium: Floats, g: int, labels: Ints, margin: Floats) -> None:
    """How much better each record does in g, without its premium, than in the best other cluster; members: inf."""
    n, G = log_z.shape
    for i in range(n):
        other = -np.inf
        for h in range(G):
            if h != g:
                other = max(other, max(log_z[i, h], zero) + premium[h])
        margin[i] = np.inf if labels[i] == g else max(log_z[i, g], zero) - other


@compiled
def _take(g: int, margin: Floats, edge: float, k: int, labels: Ints) -> None:
    """Cluster g gets the k records of the highest margins; of those at the edge the first ones."""
    at_edge = k
    for i in range(len(margin)):
        at_edge -= margin[i] > edge
    for i in range(len(margin)):
        if margin[i] > edge:
            labels[i] = g
        elif margin[i] == edge and at_edge > 0:
            labels[i] = g
            at_edge -= 1


def _candidates(log_z: Floats, labels: Ints, zero: float, most: int) -> tuple[SmallInts, Ints]:
    """For each pair of clusters a, b the `most` records of a that would lose least in b, best first.

    A path takes one record of a cluster at most, so `most` paths never look further down these lists.
    Those of pair a, b are rows[first[a * G + b] : first[a * G + b + 1]].
    """
    G = log_z.shape[1]
    lists, first = [], np.zeros(G * G + 1, dtype=np.int64)
    for a in range(G):
        members = np.flatnonzero(labels == a)
        own = np.maximum(log_z[members, a], zero)
        for b in range(G):
            chosen = _least(own - np.maximum(log_z[members, b], zero), most) if a != b else members[:0]
            lists.append(members[chosen].astype(np.int32))
            first[a * G + b + 1] = first[a * G + b] + len(chosen)
    return np.concatenate(lists), first


def _least(loss: Floats, most: int) -> Ints:
    """Positions of the least losses by rising loss; equal ones in their order."""
    if len(loss) <= most:
        return np.argsort(loss, kind="stable")
    edge = np.partition(loss, most - 1)[most - 1]
    below, equal = np.flatnonzero(loss < edge), np.flatnonzero(loss == edge)
    return np.concatenate([below[np.argsort(loss[below], kind="stable")], equal[: most - len(below)]])


@compiled
def _fill(log_z: Floats, zero: float, least: Ints, labels: Ints, sizes: Ints, rows: SmallInts, first: Ints) -> None:
    """Move one record at a time along a cheapest path until no cluster is short; changes labels and sizes."""
    G = log_z.shape[1]
    # records of a that could move to b: those there from the start in a sorted list that is read once (`at`), those
    # that came since in a heap (`root`); records that have left are passed over when they come up
    at = first[:-1].copy()
    root = np.full(G * G, _NONE, dtype=np.int64)
    # columns: record, left and right child
    node, used = np.empty((64, 3), dtype=np.int32), 0
    best = np.full((G, G), _NONE, dtype=np.int64)
    cost = np.full((G, G), np.inf)
    before = np.empty(G, dtype=np.int64)
    path = np.empty(G, dtype=np.int64)
    for a in range(G):
        for b in range(G):
            if a != b:
                _refresh(a, b, log_z, zero, labels, rows, first, at, root, node, best, cost)
    while (sizes < least).any():
        sink = _nearest_short(cost, sizes, least, before)
        edges = 0
        while before[sink] != _NONE:
            path[edges] = sink
            sink = before[sink]
            edges += 1
        # clusters along the path lose one record and gain one: only its two ends change in size
        sizes[sink] -= 1
        sizes[path[0]] += 1
        if used + edges * (G - 1) > len(node):
            larger = np.empty((2 * len(node) + edges * G, 3), dtype=np.int32)
            larger[:used] = node[:used]
            node = larger
        # from the short end back: each record leaves its cluster before the next one enters it
        for e in range(edges):
            a, b = (path[e + 1] if e + 1 < edges else sink), path[e]
            i = best[a, b]
            labels[i] = b
            for c in range(G):
                if c != b:
                    node[used, 0], node[used, 1], node[used, 2] = i, _NONE, _NONE
                    root[b * G + c] = _merge(root[b * G + c], used, b, c, log_z, zero, node)
                    used += 1
                    _refresh(b, c, log_z, zero, labels, rows, first, at, root, node, best, cost)
                # the record that left was the best of a for other clusters too, perhaps
                if c != a and best[a, c] == i:
                    _refresh(a, c, log_z, zero, labels, rows, first, at, root, node, best, cost)


@compiled
def _loss(i: int, a: int, b: int, log_z: Floats, zero: float) -> float:
    """Fall of the total when record i moves from cluster a to b."""
    return float(max(log_z[i, a], zero) - max(log_z[i, b], zero))


@compiled
def _refresh(
    a: int,
    b: int,
    log_z: Floats,
    zero: float,
    labels: Ints,
    rows: SmallInts,
    first: Ints,
    at: Ints,
    root: Ints,
    node: SmallInts,
    best: Ints,
    cost: Floats,
) -> None:
    """The record of a that loses least in b: from the sorted list or from those that came later."""
    pair = a * log_z.shape[1] + b
    while at[pair] < first[pair + 1] and labels[rows[at[pair]]] != a:
        at[pair] += 1
    top = root[pair]
    while top != _NONE and labels[node[top, 0]] != a:
        top = _merge(node[top, 1], node[top, 2], a, b, log_z, zero, node)
    root[pair] = top
    best[a, b], cost[a, b] = _NONE, np.inf
    if at[pair] < first[pair + 1]:
        best[a, b] = rows[at[pair]]
        cost[a, b] = _loss(best[a, b], a, b, log_z, zero)
    if top != _NONE:
        i = int(node[top, 0])
        loss = _loss(i, a, b, log_z, zero)
        if loss < cost[a, b] or (loss == cost[a, b] and i < best[a, b]):
            best[a, b], cost[a, b] = i, loss


@compiled
def _merge(x: int, y: int, a: int, b: int, log_z: Floats, zero: float, node: SmallInts) -> int:
    """Root of the union of two skew heaps of records of a by loss in b, then row (Sleator & Tarjan 1986)."""
    top, last = _NONE, _NONE
    while x != _NONE and y != _NONE:
        in_x, in_y = _loss(node[x, 0], a, b, log_z, zero), _loss(node[y, 0], a, b, log_z, zero)
        if in_y < in_x or (in_y == in_x and node[y, 0] < node[x, 0]):
            x, y = y, x
        if last == _NONE:
            top = x
        else:
            node[last, 1] = x
        last, following = x, int(node[x, 2])
        node[x, 2] = node[x, 1]
        x = following
    rest = x if x != _NONE else y
    if last == _NONE:
        return rest
    node[last, 1] = rest
    return top


@compiled
def _nearest_short(cost: Floats, sizes: Ints, least: Ints, before: Ints) -> int:
    """The short cluster nearest to those with records to spare, and the cluster before each on its path."""
    G = len(sizes)
    distance = np.where(sizes > least, 0.0, np.inf)
    before[:] = _NONE
    changed = True
    while changed:
        changed = False
        for a in range(G):
            if distance[a] == np.inf:
                continue
            for b in range(G):
                reach = distance[a] + cost[a, b]
                # rounding may make a loop look cheaper than nothing: paths stay simple
                if reach < distance[b] and not _passes(a, b, before):
                    distance[b], before[b] = reach, a
                    changed = True
    sink = _NONE
    for b in range(G):
        if sizes[b] < least[b] and (sink == _NONE or distance[b] < distance[sink]):
            sink = b
    return sink


@compiled
def _passes(a: int, b: int, before: Ints) -> bool:
    """Whether the path to a goes through b."""
    while a != _NONE:
        if a == b:
            return True
        a = before[a]
    return False
