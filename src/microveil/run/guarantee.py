"""Which guarantee follows from the steps of a release and from the columns it leaves as they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from microveil.core.claims import EqualRowsAtLeast, MeansKept
from microveil.core.guarantee import Anonymity, Guarantee, Statement
from microveil.run.method import StepRecord

if TYPE_CHECKING:
    from microveil.run.release import Release

Int = NDArray[np.int64]
Bool = NDArray[np.bool_]
Line = tuple[int | None, list[Statement]]

_KNOWS_REPLACED = "knows all original values of {columns}, and the method"
_KNOWS_EVERYTHING = "knows every original value of every record, and the method"
_KNOWS_THE_OTHERS = "knows all other records of somebody's group, and which released records form it"
_KNOWS_THE_FILE = "knows all other records of the {whole}"


def guarantee_of(release: Release) -> Guarantee:
    """What the steps and promises of the release guarantee together."""
    if len(release) and (release.origin < 0).all():
        return Guarantee(None, (_synthetic(), *_exact_moments(release)), synthetic=True)
    found = _Found(release)
    claims = [promise.claim for promise in release.promises]
    lines = [found.equal_records(claim) for claim in claims if isinstance(claim, EqualRowsAtLeast)]
    revealed: list[Statement] = []
    for number, step in enumerate(release.steps):
        anonymity = found.anonymity(number, step)
        if anonymity is None:
            continue
        telling = found.telling(number, step)
        if anonymity.way == "exchangeable records":
            lines.append(found.exchangeable(number, step, anonymity))
        elif anonymity.way is None and telling:
            text = (
                f"no bound is proven: new values follow {', '.join(map(str, telling))}, which differ inside groups; "
                "measure it (mv.risk)"
            )
            lines.append((None, [Statement(_KNOWS_EVERYTHING, False, text)]))
        revealed += _differencing(step, anonymity)
    if not lines:
        text = "no bound on the probability of a correct link is proven; measure it (mv.risk)"
        lines = [(None, [Statement(_KNOWS_EVERYTHING, False, text)])]
    bounds = [bound for bound, _ in lines if bound is not None]
    said = [statement for _, statements in lines for statement in statements]
    statements = dict.fromkeys([*said, *(revealed or _exact_moments(release))])
    return Guarantee(max(bounds) if bounds else None, tuple(statements))


class _Found:
    """The release with what is computed once: its columns, and groups that every record is in."""

    def __init__(self, release: Release) -> None:
        self.release, self.data = release, release.data
        self.groups = {number: labels for number, labels in release.groupings.items() if (labels >= 0).all()}

    def equal_records(self, claim: EqualRowsAtLeast) -> Line:
        """Classes of at least k equal records on the claimed columns: what the other columns leave of them."""
        outside = self._outside(claim.columns)
        everyone = np.zeros(len(self.release), dtype=np.int64)
        sizes = self._classes(everyone, [*claim.columns, *outside])
        return self._line(claim.columns, claim.k, "equal records", sizes, outside, gaps=not outside)

    def anonymity(self, number: int, step: StepRecord) -> Anonymity | None:
        """What the step's groups still say: a later step that looks at the original again ends it."""
        later = self.release.steps[number + 1 :]
        if any(other.method.restores and set(other.columns) & set(step.columns) for other in later):
            return None
        kinds = dict(zip(step.columns, step.kinds, strict=True))
        anonymity = step.method.anonymity(kinds, self.telling(number, step))
        if anonymity is None or number not in self.groups:
            return anonymity
        # records left out after grouping make groups smaller
        return replace(anonymity, k=min(anonymity.k, int(self._classes(self.groups[number], ()).min())))

    def exchangeable(self, number: int, step: StepRecord, anonymity: Anonymity) -> Line:
        """Groups of at least k records that are alike to an intruder but for the columns not replaced."""
        outside, gaps = self._outside(step.columns), self._gaps_in_place(step)
        sizes = None
        if number in self.groups:
            sizes = self._classes(self.groups[number], outside, gaps)
        elif not outside and not gaps:
            sizes = np.array([anonymity.k])
        return self._line(step.columns, anonymity.k, "exchangeable records", sizes, outside, gaps=bool(gaps))

    def _line(
        self, columns: Sequence[str], k: int, way: str, sizes: Int | None, outside: Sequence[str], gaps: bool
    ) -> Line:
        """The bound against somebody who knows everything, and what is said; no sizes: they are not known."""
        bound = f"links a record to its original with probability 1/{k} at most ({way})"
        if sizes is not None and sizes.min() >= k:
            return k, [Statement(_KNOWS_EVERYTHING, True, bound)]
        said = [Statement(_KNOWS_REPLACED.format(columns=", ".join(map(str, columns))), True, bound)]
        telling = ", ".join([*map(str, outside), *(["the places of missing values"] if gaps else [])])
        if sizes is None:
            text = f"no bound is proven: {telling} may tell the members of a group apart"
            return None, [*said, Statement(_KNOWS_EVERYTHING, False, text)]
        changed = {name for step in self.release.steps for name in step.columns}
        if not gaps and changed.issuperset(outside):
            text = "no bound is proven: columns were protected in several groupings, and groups can be intersected"
            return None, [*said, Statement(_KNOWS_EVERYTHING, False, text)]
        smallest, exposed = int(sizes.min()), int(sizes[sizes < k].sum())
        alike = "a single record" if smallest == 1 else f"{smallest} records that look alike"
        text = (
            f"{exposed} of {len(self.release)} records are told apart from the others of their group by {telling}, "
            f"down to {alike}; replace or coarsen these columns too"
        )
        return (smallest if smallest > 1 else None), [*said, Statement(_KNOWS_EVERYTHING, False, text)]

    def _outside(self, columns: Sequence[str]) -> list[str]:
        """The other columns that are released; identifiers are not written."""
        left = {*columns, *self.release.original.names("identifier")}
        return [name for name in self.release.original.columns if name not in left]

    def telling(self, number: int, step: StepRecord) -> tuple[str, ...]:
        """The columns conditioned on that differ inside groups: new values follow them."""
        if number not in self.groups:
            return step.given
        labels = self.groups[number]
        groups = len(self._classes(labels, ()))
        return tuple(name for name in step.given if len(self._classes(labels, [name])) > groups)

    def _gaps_in_place(self, step: StepRecord) -> list[Bool]:
        """The gaps of the replaced columns, if they stand where they stood: they tell records apart."""
        after = [self.data.values(name).missing for name in step.columns]
        before = [self.release.original.values(name).at(self.release.origin).missing for name in step.columns]
        stay = any(gaps.any() for gaps in after) and all(map(np.array_equal, after, before))
        return after if stay else []

    def _classes(self, labels: Int, names: Sequence[str], patterns: Sequence[Bool] = ()) -> Int:
        """Sizes of the classes of records with one label that agree on these columns."""
        for values in [*(self.data.values(name).numbers for name in names), *patterns]:
            codes = np.unique(values, return_inverse=True)[1].reshape(-1)
            labels = np.unique(labels * (int(codes.max()) + 1) + codes, return_inverse=True)[1].reshape(-1)
        return np.unique(labels, return_counts=True)[1]


def _differencing(step: StepRecord, anonymity: Anonymity) -> list[Statement]:
    """What exact statistics of a group tell somebody who knows all of its members but one."""
    said = []
    if anonymity.exact:
        cure = "; jitter_moments trades exactness for protection" if hasattr(step.method, "jitter_moments") else ""
        text = (
            f"{' and '.join(anonymity.exact)} of every group are exact: the values of the last record follow by "
            f"subtraction, up to rounding{'' if anonymity.jittered else cure}"
        )
        said.append(Statement(_KNOWS_THE_OTHERS, False, text))
    if anonymity.jittered:
        text = (
            f"{' and '.join(anonymity.jittered)} of groups are not exact: what subtraction gives is off by about "
            f"{anonymity.jitter:g} standard deviations of the group"
        )
        said.append(Statement(_KNOWS_THE_OTHERS, True, text))
    return said


def _exact_moments(release: Release) -> list[Statement]:
    exact = [promise for promise in release.promises if isinstance(promise.claim, MeansKept)]
    if not exact:
        return []
    whole = "subdomain" if any(promise.by for promise in exact) else "file"
    text = f"means of the {whole} are exact: the values of the last record follow by subtraction, up to rounding"
    return [Statement(_KNOWS_THE_FILE.format(whole=whole), False, text)]


def _synthetic() -> Statement:
    text = "no released record stems from one person, so that no link is correct; chance resemblance is not bounded"
    return Statement(_KNOWS_EVERYTHING, True, text)
