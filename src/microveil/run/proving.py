"""Which guarantee follows from the steps of a release and from the columns it leaves as they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from microveil.claims import EqualRowsAtLeast, MeansKept
from microveil.claims.guarantee import TABLES, GroupAnonymity, Guarantee, Statement
from microveil.core.arrays import Bools, Ints
from microveil.core.words import counted
from microveil.data.microdata import Microdata
from microveil.run.contract import StepRecord
from microveil.run.copies import Copies
from microveil.run.groups import classes_of, differs_in_groups, people_in
from microveil.run.promises import Promise
from microveil.run.state import State

Line = tuple[int | None, list[Statement]]

_NEAR = 0.02  # of an amount
_TELLING = 2  # amounts: a single one tells nothing but itself

_KNOWS_REPLACED = "knows all original values of {columns}, and the method"
_KNOWS_EVERYTHING = "knows every original value of every record, and the method"
_KNOWS_NOTHING = "knows nothing but the released file"
_KNOWS_THE_OTHERS = "knows every other member of a person's group, and which released records belong to it"
_KNOWS_SOME = "knows some original values of a person, and looks for the record that has them"
_KNOWS_A_HOUSEHOLD = "knows all members of a household, and looks for them together"
_KNOWS_THE_FILE = "knows every other record of the {whole}"


def guarantee_of(state: State, data: Microdata, copies: Copies | None) -> Guarantee:
    """What the steps and promises of a run guarantee together; `data` are the released columns."""
    if state.synthetic:
        return _of_synthetic(state, copies)
    found = _Found(state, data)
    claims = [promise.claim for promise in state.promises]
    lines = [found.equal_records(claim) for claim in claims if isinstance(claim, EqualRowsAtLeast)]
    revealed: list[Statement] = []
    for number, step in enumerate(state.steps):
        anonymity = found.anonymity(number, step)
        if anonymity is None:
            continue
        telling = step.telling
        if anonymity.way == "exchangeable records":
            lines.append(found.exchangeable(number, step, anonymity))
            revealed += found.near_copies(number, step)
        elif anonymity.way is None and telling:
            text = (
                f"no bound is proven: new values follow {', '.join(map(str, telling))}, which differ inside groups; "
                "measure it (mv.risk)"
            )
            lines.append((None, [Statement(_KNOWS_EVERYTHING, False, text)]))
        revealed += _differencing(anonymity, _moved_later(state, number, anonymity))
    if not lines:
        text = "no bound on the probability of a correct link is proven; measure it (mv.risk)"
        lines = [(None, [Statement(_KNOWS_EVERYTHING, False, text)])]
    bounds = [bound for bound, _ in lines if bound is not None]
    said = [statement for _, statements in lines for statement in statements]
    statements = dict.fromkeys([*said, *(revealed or _exact_moments(state.promises)), *_households(data)])
    # what is proven first, then what is not
    ordered = sorted(statements, key=lambda statement: not statement.protects)
    return Guarantee(max(bounds) if bounds else None, tuple(ordered))


class _Found:
    """The run with what is computed once: the released columns, and groups that every record is in."""

    def __init__(self, state: State, data: Microdata) -> None:
        self.state, self.data = state, data
        self.records = len(state.origin)
        self.groups = {number: labels for number, labels in state.groupings.items() if (labels >= 0).all()}

    def equal_records(self, claim: EqualRowsAtLeast) -> Line:
        """Classes of at least k equal records on the claimed columns: what gaps and the other columns leave of them."""
        outside = self._outside(claim.columns)
        everyone = np.zeros(self.records, dtype=np.int64)
        alike = classes_of(everyone, [self.data.values(name).numbers for name in claim.columns])
        own, telling = self._classes(alike, ()), self._telling(outside, alike)
        sizes = self._classes(alike, telling) if telling else own
        return self._line(claim.columns, claim.k, "equal records", own, sizes, telling)

    def anonymity(self, number: int, step: StepRecord) -> GroupAnonymity | None:
        """What the step's groups still say: a later step that brings in anything but the new values ends it."""
        later = self.state.steps[number + 1 :]
        if any(set(other.columns) & set(step.columns) and not _only_processes(other, step) for other in later):
            return None
        kinds = dict(zip(step.columns, step.kinds, strict=True))
        anonymity = step.method.anonymity(kinds, step.telling)
        if anonymity is None or number not in self.groups:
            return anonymity
        # records left out after grouping make groups smaller
        return replace(anonymity, k=min(anonymity.k, int(self._classes(self.groups[number], ()).min())))

    def exchangeable(self, number: int, step: StepRecord, anonymity: GroupAnonymity) -> Line:
        """Groups of at least k records that are alike to an intruder but for gaps and the columns not replaced."""
        outside, gaps = self._outside(step.columns), self._gaps_in_place(step)
        own = sizes = None
        known = number in self.groups
        alike = classes_of(self.groups[number], gaps) if known else np.zeros(self.records, dtype=np.int64)
        telling = self._telling(outside, alike)
        if known:
            own = self._classes(alike, ())
            sizes = self._classes(alike, telling) if telling else own
        elif not gaps:
            # the groups are not known record by record, but nothing of these columns tells their members apart
            own = np.array([anonymity.k])
            sizes = None if telling else own
        return self._line(step.columns, anonymity.k, "exchangeable records", own, sizes, telling)

    def near_copies(self, number: int, step: StepRecord) -> list[Statement]:
        """What is said where records of a group came back as another of it was, or nearly, in some other place."""
        from microveil.kernels.distances.near_copies import find_near_copies

        names = [name for name in step.columns if name in self.state.changed]
        names = [name for name in names if self.state.changed[name].levels is None and self._has_amounts(name)]
        if number not in self.groups or len(names) < _TELLING or (self.state.origin < 0).any():
            return []
        new = np.column_stack([self.data.values(name, "continuous").numbers for name in names])
        source = (self.state.source.values(name, "continuous").numbers for name in names)
        old = np.column_stack([numbers[self.state.origin] for numbers in source])
        labels = np.unique(self.groups[number], return_inverse=True)[1].reshape(-1)
        rules = [edit for edit in self.state.source.edits_of_amounts if edit.equal and set(edit.columns) <= set(names)]
        equations = np.array([[edit.number(name) for name in names] for edit in rules]).reshape(len(rules), len(names))
        near = find_near_copies(new, old, labels, np.arange(len(new)), _NEAR, equations)
        if not near.beyond_chance:
            return []
        text = (
            f"{counted(near.count, 'record')} of {len(new):,} came back as another of the group was, or within "
            f"{100 * _NEAR:.0f} % in every amount, at some place: whoever knows some of these values finds the others"
        )
        return [Statement(_KNOWS_SOME, False, text)]

    def _has_amounts(self, name: str) -> bool:
        return self.state.source.values(name).levels is None

    def _line(
        self, columns: Sequence[str], k: int, way: str, own: Ints | None, sizes: Ints | None, outside: Sequence[str]
    ) -> Line:
        """The bound against somebody who knows everything, and what is said.

        `own` are the sizes of the classes that gaps leave of the protected columns, `sizes` those that the columns
        `outside` leave too, all of which tell records apart; None: they are not known.
        """
        bound = f"links a record to its original with probability 1/{k} at most ({way})"
        if k < 2:
            text = "no bound is proven: a group or class holds a single person"
            return None, [Statement(_KNOWS_EVERYTHING, False, text)]
        if sizes is not None and sizes.min() >= k:
            return k, [Statement(_KNOWS_EVERYTHING, True, bound)]
        knows_these = _KNOWS_REPLACED.format(columns=", ".join(map(str, columns)))
        gaps = own is None or own.min() < k
        changed = {name for step in self.state.steps for name in step.columns}
        as_they_are = tuple(name for name in outside if name not in changed)
        if own is not None and gaps:
            said = [Statement(knows_these, False, self._told_apart(own, k, ["the places of missing values"]))]
        else:
            said = [] if own is None else [Statement(knows_these, True, bound)]
        telling = [*map(str, outside), *(["the places of missing values"] if gaps else [])]
        if sizes is None:
            text = f"no bound is proven: {', '.join(telling)} may tell the members of a group apart"
            return None, [*said, Statement(_KNOWS_EVERYTHING, False, text, as_they_are)]
        if not gaps and changed.issuperset(outside):
            text = "no bound is proven: columns were protected in several groupings, and groups can be intersected"
            return None, [*said, Statement(_KNOWS_EVERYTHING, False, text)]
        smallest = int(sizes.min())
        text = f"{self._told_apart(sizes, k, telling)}; replace or coarsen these columns too"
        return (smallest if smallest > 1 else None), [*said, Statement(_KNOWS_EVERYTHING, False, text, as_they_are)]

    def _told_apart(self, sizes: Ints, k: int, telling: Sequence[str]) -> str:
        smallest, exposed = int(sizes.min()), int(sizes[sizes < k].sum())
        alike = "a single record" if smallest == 1 else f"{smallest} records that look alike"
        return (
            f"{exposed} of {self.records} records are told apart from the others of their group by "
            f"{', '.join(telling)}, down to {alike}"
        )

    def _telling(self, outside: Sequence[str], labels: Ints) -> list[str]:
        """Those of the columns that tell records with one label apart."""
        return [name for name in outside if differs_in_groups(self.data.values(name), labels)]

    def _outside(self, columns: Sequence[str]) -> list[str]:
        """The other columns that are released; identifiers are not written."""
        left = {*columns, *self.state.source.names("identifier")}
        return [name for name in self.state.source.columns if name not in left]

    def _gaps_in_place(self, step: StepRecord) -> list[Bools]:
        """The gaps of the replaced columns, if they stand where they stood: they tell records apart."""
        after = [self.data.values(name).missing for name in step.columns]
        before = [self.state.source.values(name).at(self.state.origin).missing for name in step.columns]
        stay = any(gaps.any() for gaps in after) and all(map(np.array_equal, after, before))
        return after if stay else []

    def _classes(self, labels: Ints, names: Sequence[str]) -> Ints:
        """How many people the classes of records hold that have one label and agree on these columns."""
        return people_in(classes_of(labels, [self.data.values(name).data for name in names]), self.state.origin)


def _households(data: Microdata) -> list[Statement]:
    """What is said where released records show who lives with whom: bounds are about records one by one."""
    homes = data.households
    if homes is None or not (np.bincount(homes[homes >= 0]) > 1).any():
        return []
    text = (
        "k hides single records, and a household is found by its members together; see what "
        "the attack household-linkage finds, or leave the household number out"
    )
    return [Statement(_KNOWS_A_HOUSEHOLD, False, text)]


def _moved_later(state: State, number: int, anonymity: GroupAnonymity) -> list[str]:
    """The later steps that moved what is exact of the groups of a step: its columns, or its categories alone."""
    step = state.steps[number]
    columns = set(step.columns)
    if anonymity.exact == (TABLES,):
        columns = {name for name, kind in zip(step.columns, step.kinds, strict=True) if kind != "continuous"}
    return [one.method.name for one in state.steps[number + 1 :] if set(one.columns) & columns]


def _differencing(anonymity: GroupAnonymity, later: Sequence[str]) -> list[Statement]:
    """What exact statistics of a group tell somebody who knows all of its members but one.

    Steps that came `later` and changed values of a group ended that in it, and not in the groups they left alone.
    """
    said = []
    if anonymity.exact:
        cure = f"; {anonymity.remedy}" if anonymity.remedy else ""
        spared = f" in which {' and '.join(dict.fromkeys(later))} moved nothing" if later else ""
        text = (
            f"{' and '.join(anonymity.exact)} of every group{spared} are exact: the values of the last record follow "
            f"by subtraction, up to rounding{'' if anonymity.jittered else cure}"
        )
        said.append(Statement(_KNOWS_THE_OTHERS, False, text))
    if anonymity.jittered:
        text = (
            f"{' and '.join(anonymity.jittered)} of groups are not exact: what subtraction gives is off by about "
            f"{anonymity.jitter:g} standard deviations of the group"
        )
        said.append(Statement(_KNOWS_THE_OTHERS, True, text))
    return said


def _exact_moments(promises: Sequence[Promise]) -> list[Statement]:
    exact = [promise for promise in promises if isinstance(promise.claim, MeansKept)]
    if not exact:
        return []
    whole = "subdomain" if any(promise.by for promise in exact) else "file"
    text = f"means of the {whole} are exact: the remaining record can be computed by subtraction, up to rounding"
    return [Statement(_KNOWS_THE_FILE.format(whole=whole), False, text)]


def _of_synthetic(state: State, copies: Copies | None) -> Guarantee:
    """Synthetic does not mean protected: what is declared, and what copies of originals there are."""
    untied = all(_made_untied(step) for step in state.steps if step.synthetic)
    if not untied:
        text = (
            "the method does not declare that its records depend on no single original, so that a released record may "
            "be somebody's; measure it (mv.risk)"
        )
    else:
        text = "no released record stems from one person, but none is proven to resemble nobody; measure it (mv.risk)"
    said = [Statement(_KNOWS_EVERYTHING, False, text)]
    if copies is not None and copies.copies:
        said.append(Statement(_KNOWS_NOTHING, False, f"{copies}: these records disclose whom they copy"))
    return Guarantee(None, (*said, *_exact_moments(state.promises)), synthetic=untied)


def _made_untied(step: StepRecord) -> bool:
    """Whether the method declares that no record it makes depends on the one in whose place it stands."""
    ties = step.method.ties_record
    return ties == "none" or (ties == "kept" and not step.given)


def _only_processes(later: StepRecord, step: StepRecord) -> bool:
    """Whether a later step does nothing to columns but what follows from each alone, or from new values, and chance.

    Whoever cannot tell members of a group apart before such a step cannot afterwards. A step that sees other columns,
    subdomains, weights or the original may tie values to their records again.
    """
    if later.given or later.step.by or later.method.restores:
        return False
    inside = later.method.passes == "row" and set(later.columns) <= set(step.columns)
    return later.method.columns_apart or inside
