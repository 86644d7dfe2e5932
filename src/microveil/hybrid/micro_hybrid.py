"""Hybrid records by synthesis inside the groups of a microaggregation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from microveil.core.claims import Claim, CovariancesKept, GroupsAtLeast, MeansKept
from microveil.core.errors import BadInput
from microveil.core.guarantee import TABLES, Anonymity, Way
from microveil.core.parameters import Grid, Range
from microveil.core.progress import within
from microveil.core.streams import Streams
from microveil.data.microdata import Microdata
from microveil.data.schema import KINDS, check_names
from microveil.data.table import Table, Values
from microveil.hybrid.base import Hybrid
from microveil.hybrid.categories_in_groups import drawn_from_margins, permuted_rows
from microveil.hybrid.category_blocks import check_block_columns, check_category_blocks
from microveil.hybrid.cluster_columns import cluster_columns, consensus_groups
from microveil.hybrid.degenerate_groups import degenerate_among, merge_degenerate
from microveil.hybrid.gap_patterns import by_patterns, rare_patterns
from microveil.hybrid.group_notes import unchanged
from microveil.hybrid.group_synthesis import drawn_in_groups
from microveil.hybrid.inherited_claims import draws_afresh, inherited, of_permuted_rows
from microveil.hybrid.separate_kinds import joined_by_row
from microveil.hybrid.small_groups import SmallGroups, dimensions_needed, enlarged, refuse_small, too_small
from microveil.hybrid.turned_groups import turned_groups
from microveil.partition.base import Labels, Partition
from microveil.partition.mdav import MDAV
from microveil.partition.mixed import points_of
from microveil.run.method import Job, Outcome, depends
from microveil.synth.base import FullSynthesiser, Synthesiser, indicators
from microveil.synth.cart import Cart
from microveil.synth.cholesky_synthesis import CholeskySynthesis
from microveil.synth.ipso import Ipso
from microveil.synth.multiple_imputation import MultipleImputation

Drawn = tuple[dict[str, Values], tuple[str, ...], tuple[Claim, ...]]  # new columns, notes, and what they keep

_GROUPING = 0.8  # of the time, about; the rest is drawing
_REMEDY = "jitter_moments trades exactness for protection"


@dataclass(frozen=True, kw_only=True)
class MicroHybrid(Hybrid, name="micro-hybrid"):
    """Form groups of at least k similar records and synthesise the replaced columns inside each group.

    Use it for records that stay near the original ones: small k changes little, k as large as the file gives synthetic
    data. With IPSO (variant C) means and covariances, also those with the kept columns, are exact in every group and
    so in every union of groups; categories change places in the same groups. Where every column is replaced and
    drawn afresh (no `rho`), a record belongs no more to its original than to the k - 1 others of its group; kept
    columns that identify somebody still do, and so do groups formed for each kind of columns apart.
    """

    partition: Annotated[Partition, Grid((MDAV(k=20), MDAV(k=40))), "how the groups are formed"] = field(
        default_factory=lambda: MDAV(k=10)
    )
    synthesiser: Annotated[Synthesiser, "how records are drawn inside a group"] = field(default_factory=Ipso)
    categories: Annotated[
        Literal["permute", "multinomial"] | Synthesiser | None,
        Grid((None, "permute", "multinomial")),
        "how categories are replaced within a group: whole rows are permuted, each column is drawn from its "
        "distribution in the group, or a synthesiser draws them (by default the main one if it can, else permuted)",
    ] = None
    blocks: Annotated[
        tuple[tuple[str, ...], ...] | None,
        "lists of columns whose categories stay together, such as districts and their regions: whole rows of a list "
        "change places inside groups, whatever `categories` says of the others",
    ] = None
    cluster_on: Annotated[
        Literal["all", "replaced", "continuous", "categorical"] | tuple[str, ...],
        Grid(("all", "replaced")),
        "columns that make records similar: replaced and kept ones, the replaced ones, those of a kind, or any by name",
    ] = "all"
    kinds_together: Annotated[
        Literal["imposed", "consensus", "separate"],
        "kinds of columns: one grouping for all, the consensus of one for each kind, or separate runs joined by row",
    ] = "imposed"
    small_groups: Annotated[
        SmallGroups,
        "what happens where a group is too small to condition on the kept columns: refuse, raise k, ignore the kept "
        "columns there, or fit one regression for all groups",
    ] = "error"
    degenerate: Annotated[
        Literal["report", "merge"], "groups that would come back unchanged: reported, or merged with the nearest"
    ] = "report"
    jitter_moments: Annotated[
        float,
        Range(ge=0, grid=(0, 0.5)),
        "uncertainty, in standard deviations of the group, left to an intruder who knows all its other members; 0 "
        "keeps moments exact",
    ] = 0.0

    kinds: ClassVar[tuple[str, ...]] = depends(KINDS, lambda hybrid: hybrid._kinds())
    skips_missing: ClassVar[bool] = True
    conditions: ClassVar[bool] = depends(True, lambda hybrid: hybrid.synthesiser.conditions)
    keeps_others: ClassVar[bool] = False
    random: ClassVar[bool] = depends(True, lambda hybrid: hybrid._draws())
    example: ClassVar[Mapping[str, Any]] = {"partition": MDAV(k=20)}
    also_try = (
        {"synthesiser": Ipso(rho=0.5)},
        {"synthesiser": CholeskySynthesis()},
        {"synthesiser": Cart()},
        {"categories": Cart()},
        {"categories": "multinomial", "kinds_together": "separate"},
        {"partition": MDAV(k=4), "small_groups": "raise_k"},
        {"partition": MDAV(k=5), "small_groups": "drop_kept"},
        {"partition": MDAV(k=4), "small_groups": "pooled", "jitter_moments": 0.2},
        {"degenerate": "merge", "cluster_on": "continuous"},
        {"synthesiser": Ipso(rho=0.5), "jitter_moments": 0.1},
    )
    reference = "Domingo-Ferrer & Gonzalez-Nicolas 2010"

    # -- parameters ------------------------------------------------------------------------------

    def validate(self) -> None:
        """Every record of a group gets one new record in its place; what concerns IPSO needs it."""
        for synthesiser in (self.synthesiser, self.categories):
            _refuse_other_records(synthesiser)
        ipso = self.synthesiser.variant if isinstance(self.synthesiser, Ipso) else None
        if self.small_groups != "error" and (ipso is None or (ipso != "C" and self.small_groups == "pooled")):
            raise BadInput(
                f"small_groups={self.small_groups!r} is about the regression of ipso"
                + (" (variant C)" if self.small_groups == "pooled" else "")
                + f"; the synthesiser is {self.synthesiser.name}"
            )
        if self.jitter_moments > 0 and ipso != "C":
            raise BadInput(
                f"jitter_moments={self.jitter_moments:g} moves the exact moments of ipso (variant C); "
                f"{self.synthesiser.name} here keeps none in groups"
            )
        if self.cluster_on == ():
            raise BadInput("cluster_on names no column; name at least one")
        check_category_blocks(self.blocks or ())
        if self.blocks and self.kinds_together == "separate":
            raise BadInput("blocks need one grouping for all columns; kinds_together='separate' makes one per kind")

    def looks_at(self, data: Microdata) -> tuple[str, ...]:
        """The columns that form groups by name."""
        if not isinstance(self.cluster_on, tuple):
            return ()
        check_names(self.cluster_on, list(data.columns), "cluster_on")
        return self.cluster_on

    def _kinds(self) -> tuple[str, ...]:
        known = self.synthesiser.kinds
        for_categories = self.categories.kinds if isinstance(self.categories, Synthesiser) else KINDS
        return tuple(kind for kind in KINDS if kind in (known if kind == "continuous" else for_categories))

    def _draws(self) -> bool:
        by_synthesiser = self.categories is None and set(KINDS) <= set(self.synthesiser.kinds)
        categories = self.categories.random if isinstance(self.categories, Synthesiser) else not by_synthesiser
        return self.synthesiser.random or self.partition.random or categories

    # -- promises --------------------------------------------------------------------------------

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """For numbers: what the synthesiser keeps in every group and a union of groups inherits; groups of k."""
        kept = self._kept(columns, self.small_groups == "drop_kept")
        apart = self.kinds_together == "separate" and len(columns) > 1
        return kept if apart else (*kept, GroupsAtLeast(k=self.partition.k))

    def _kept(self, columns: tuple[str, ...], dropped: bool) -> tuple[Claim, ...]:
        return () if self.jitter_moments > 0 else inherited(self.synthesiser, columns, dropped)

    def anonymity(self, kinds: Mapping[str, str], telling: tuple[str, ...]) -> Anonymity | None:
        """Records of a group are alike where all is drawn afresh, in one grouping and whatever the kept columns are."""
        afresh = draws_afresh(self.synthesiser) and draws_afresh(self.categories)
        apart = self.kinds_together == "separate" and len(set(kinds.values())) > 1
        way: Way | None = "exchangeable records" if afresh and not telling and not apart else None
        tables = (TABLES,) if self._permutes(kinds) else ()
        moments = self._exact_in_groups(tuple(kinds)) if "continuous" in kinds.values() else ()
        if self.jitter_moments:
            return Anonymity(self.partition.k, way, tables, moments, self.jitter_moments)
        return Anonymity(self.partition.k, way, (*moments, *tables), remedy=_REMEDY)

    def _permutes(self, kinds: Mapping[str, str]) -> bool:
        """Whether some of the columns change places as they are."""
        if any(name in kinds for name in self._in_blocks):
            return True
        others = [kind for kind in kinds.values() if kind not in self._own_kinds]
        return bool(others) and self.categories in (None, "permute")

    def _exact_in_groups(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        """The moments that the synthesiser keeps in every group."""
        exact: dict[str, type[Claim]] = {"means": MeansKept, "covariances": CovariancesKept}
        if self.small_groups == "pooled":
            del exact["covariances"]  # those of the file
        kept = self.synthesiser.claims(columns)
        return tuple(word for word, claim in exact.items() if any(isinstance(known, claim) for known in kept))

    # -- running ---------------------------------------------------------------------------------

    def leaves_out(self, table: Table, given: Table) -> NDArray[np.bool_]:
        """Records whose gaps are shared by fewer than a group needs."""
        return rare_patterns(table, given, self._enlarged(table, given)[0].k)

    def run(self, table: Table, job: Job) -> Outcome:
        """Group, then redraw every group; records with gaps among those with the same."""
        check_block_columns(self.blocks or (), table)
        return by_patterns(self._run, table, job)

    def _run(self, table: Table, job: Job) -> Outcome:
        """For separate runs kind by kind."""
        if self.kinds_together != "separate":
            return self._redrawn(table, job)
        kinds = {kind: [name for name in table.names if table[name].kind == kind] for kind in KINDS}
        runs = {
            kind: self._redrawn(table.only(names), replace(job, streams=job.streams.at(kind)), kind)
            for kind, names in kinds.items()
            if names
        }
        return joined_by_row(runs, table)

    def _redrawn(self, table: Table, job: Job, kind: str | None = None) -> Outcome:
        drawn, others, blocks = self._shared_out(table)
        with within(0.0, _GROUPING):
            labels, notes = self._groups(table, drawn, job, kind)
        parts = [(drawn, self._synthesised)] if drawn.names else []
        parts += [(others, self._categories)] if others.names else []
        parts += [(block, _block) for block in blocks]
        columns: dict[str, Values] = {}
        claims: list[Claim] = []
        for part, draw in parts:
            new, said, kept = draw(part, job, labels)
            columns |= new
            notes += said
            claims += [claim.on(part.names) if len(parts) > 1 else claim for claim in kept]
        columns = {name: columns[name] for name in table.names}
        claims.append(GroupsAtLeast(k=self.partition.k, columns=table.names))
        return Outcome(
            columns,
            labels,
            notes=(*notes, *unchanged(table, columns, labels)),
            claims=tuple(claims),
        )

    @property
    def _own_kinds(self) -> tuple[str, ...]:
        """The kinds that the synthesiser draws."""
        return self.synthesiser.kinds if self.categories is None else ("continuous",)

    @property
    def _in_blocks(self) -> tuple[str, ...]:
        return tuple(name for block in self.blocks or () for name in block)

    def _shared_out(self, table: Table) -> tuple[Table, Table, list[Table]]:
        """The columns that the synthesiser draws, those for which there is another way, and the blocks."""
        drawn = [name for name in table.names if table[name].kind in self._own_kinds and name not in self._in_blocks]
        others = [name for name in table.names if name not in (*drawn, *self._in_blocks)]
        return table.only(drawn), table.only(others), [table.only(block) for block in self.blocks or ()]

    def _groups(self, table: Table, drawn: Table, job: Job, kind: str | None) -> tuple[Labels, tuple[str, ...]]:
        partition, notes = self._enlarged(drawn, job.given)
        if isinstance(self.synthesiser, Ipso) and drawn.names and self.small_groups == "error":
            refuse_small(partition.k, len(job.given.names), self.synthesiser.freedom)
        on = cluster_columns(self.cluster_on, table, job, kind)
        streams = job.streams.at("partition")
        together = self.kinds_together == "consensus"
        labels = consensus_groups(partition, on, streams) if together else partition.groups_of(on, streams)
        if self.degenerate == "merge":
            find = degenerate_among(table, drawn, job.given if isinstance(self.synthesiser, Ipso) else None)
            labels, said = merge_degenerate(labels, find, lambda: points_of(on, partition.standardise, self.name))
            notes += said
        return labels, notes

    def _enlarged(self, drawn: Table, given: Table) -> tuple[Partition, tuple[str, ...]]:
        """The partition, with the k that IPSO needs where this is to be raised."""
        columns = sum(values.levels is None for values in drawn.columns.values())
        if not isinstance(self.synthesiser, Ipso) or self.small_groups != "raise_k" or not columns:
            return self.partition, ()
        kept = indicators(given, drawn.rows).shape[1]
        return enlarged(self.partition, kept, dimensions_needed(self.synthesiser, columns))

    def _synthesised(self, table: Table, job: Job, labels: Labels) -> Drawn:
        ipso = self.synthesiser
        if isinstance(ipso, Ipso) and ipso.variant == "C":
            turned = turned_groups(ipso, self.small_groups, self.jitter_moments, table, job, labels)
            return turned.columns, turned.notes, self._kept(table.names, turned.dropped)
        alone = None
        if isinstance(ipso, Ipso) and self.small_groups == "drop_kept":
            alone = too_small(indicators(job.given, table.rows), labels, dimensions_needed(ipso, len(table.names)))
        columns, notes = drawn_in_groups(ipso, table, job, labels, alone)
        if alone is not None and alone.any():
            notes = (f"in {int(alone.sum())} of {len(alone)} groups the kept columns were left out", *notes)
        return columns, notes, self._kept(table.names, alone is not None)

    def _categories(self, table: Table, job: Job, labels: Labels) -> Drawn:
        job = replace(job, streams=job.streams.at("categories"))
        if isinstance(self.categories, Synthesiser):
            return *drawn_in_groups(self.categories, table, job, labels), inherited(self.categories, table.names)
        if self.categories == "multinomial":
            note = f"{', '.join(table.names)}: drawn from the categories of the group, each column by itself"
            return drawn_from_margins(table, labels, job.streams), (note,), ()
        return _permuted(table, labels, job.streams)


def _block(table: Table, job: Job, labels: Labels) -> Drawn:
    """Columns that stay together change places by streams of their own: one block does not move another."""
    return _permuted(table, labels, job.streams.at("block", *table.names))


def _permuted(table: Table, labels: Labels, streams: Streams) -> Drawn:
    note = (
        f"{', '.join(table.names)}: whole rows change places inside groups, so that every combination of these columns "
        "stays in the file, and an intruder who knows all other members of a group can infer the remaining one"
    )
    return permuted_rows(table, labels, streams), (note,), of_permuted_rows(table.names)


def _refuse_other_records(synthesiser: Synthesiser | str | None) -> None:
    if isinstance(synthesiser, MultipleImputation):
        raise BadInput(
            f"{synthesiser.name} draws the kept columns anew and the records of a group keep theirs; "
            f"use its model, {synthesiser.model.name}, as the synthesiser"
        )
    if isinstance(synthesiser, FullSynthesiser) and synthesiser.records is not None:
        raise BadInput(
            f"records={synthesiser.records} of {synthesiser.name}: a group gets as many records as it has; "
            "leave records out"
        )
