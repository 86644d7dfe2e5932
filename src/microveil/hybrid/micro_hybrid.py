"""Hybrid records by synthesis inside the groups of a microaggregation."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Literal

from microveil.claims import Claim, CovariancesKept, GroupsAtLeast, MeansKept
from microveil.claims.guarantee import TABLES, GroupAnonymity, Way
from microveil.core.arrays import Bools
from microveil.core.edits import Edit
from microveil.core.errors import BadInput
from microveil.core.open_types import Stated
from microveil.core.parameters import Example, Grid, OfColumns, Range, Safer, When
from microveil.core.progress import within
from microveil.data import Microdata, Table
from microveil.data.schema import KINDS
from microveil.hybrid import groups
from microveil.hybrid.base import Hybrid
from microveil.hybrid.category_blocks import check_block_columns, check_category_blocks
from microveil.hybrid.gap_patterns import by_patterns, rare_patterns
from microveil.hybrid.separate_kinds import by_kinds
from microveil.partition import MDAV, Partition
from microveil.partition.base import in_blocks
from microveil.partition.by_partition import ByPartition
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome, depends
from microveil.run.parts import join_columns, part_of, run_parts
from microveil.synth import Cart, CholeskySynthesis, FeasibleRotation, InGroups, Ipso, SmallGroups, Synthesiser

_GROUPING = 0.8  # of the time, about; the rest is drawing
_REMEDY = "jitter_moments trades exactness for protection, where the data have no edits"


@dataclass(frozen=True, kw_only=True)
class MicroHybrid(ByPartition, Hybrid, name="micro-hybrid"):
    """Form groups of at least k similar records and synthesise the replaced columns inside each group.

    Use it for records that stay near the original ones: small k changes little, k as large as the file gives synthetic
    data. With IPSO (variant C) means and covariances, also those with the kept columns, are exact in every group and
    so in every union of groups; categories change places in the same groups. Where every column is replaced and
    drawn afresh (no `rho`), a record belongs no more to its original than to the k - 1 others of its group; kept
    columns that identify somebody still do, and so do groups formed for each kind of columns apart.
    """

    partition: Annotated[
        Partition, Grid((MDAV(k=20), MDAV(k=40)), within={"k": (10, 200)}), "how the groups are formed"
    ] = field(default_factory=lambda: MDAV(k=10))
    synthesiser: Annotated[
        Synthesiser | None,
        Example("cart"),
        "how records are drawn inside a group; none: by ipso, or by feasible-rotation where the data have edits on "
        "these columns",
    ] = None
    categories: Annotated[
        Literal["permute", "multinomial"] | Synthesiser | None,
        Grid((None, "permute", "multinomial")),
        Example({"cart": {"min_leaf": 3}}),
        "how categories are replaced within a group: whole rows are permuted, each column is drawn from its "
        "distribution in the group, or a synthesiser draws them (by default the main one if it can, else permuted)",
    ] = None
    blocks: Annotated[
        tuple[tuple[str, ...], ...] | None,
        When(kinds_together=("imposed", "consensus")),
        OfColumns(),
        Example([["district", "region"]]),
        "lists of columns whose categories stay together, such as districts and their regions: whole rows of a list "
        "change places inside groups, whatever `categories` says of the others",
    ] = None
    cluster_on: Annotated[
        Literal["all", "replaced", "continuous", "categorical"] | tuple[str, ...],
        Grid(("all", "replaced")),
        OfColumns(),
        Example(["age", "region"]),
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
        Safer("twice", start=0.5),
        "uncertainty, in standard deviations of the group, left to an intruder who knows all its other members; 0 "
        "keeps moments exact",
    ] = 0.0

    passes: ClassVar[Passes] = depends("blocks", lambda hybrid: in_blocks(hybrid.partition))
    kinds: ClassVar[tuple[str, ...]] = depends(KINDS, lambda hybrid: hybrid._kinds())
    skips_missing: ClassVar[bool] = True
    conditions: ClassVar[bool] = depends(True, lambda hybrid: hybrid._drawing.conditions)
    keeps_others: ClassVar[bool] = False
    random: ClassVar[bool] = depends(True, lambda hybrid: hybrid._draws())
    example: ClassVar[Stated] = {"partition": MDAV(k=20)}
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
    attacks: ClassVar[tuple[str, ...]] = ("cluster-recovery",)
    reference = "Domingo-Ferrer & Gonzalez-Nicolas 2010"

    # -- parameters ------------------------------------------------------------------------------

    def validate(self) -> None:
        """Every record of a group gets one new record in its place, in the way asked for."""
        if isinstance(self.categories, Synthesiser):
            self.categories.refuse_in_groups()
        self._drawing.refuse_in_groups(self._how)
        groups.refuse_nothing(self.cluster_on)
        check_category_blocks(self.blocks or ())

    def looks_at(self, data: Microdata) -> tuple[str, ...]:
        """The columns that form groups by name."""
        return groups.named_columns(self.cluster_on, data)

    def _kinds(self) -> tuple[str, ...]:
        known = self._drawing.kinds
        for_categories = self.categories.kinds if isinstance(self.categories, Synthesiser) else KINDS
        return tuple(kind for kind in KINDS if kind in (known if kind == "continuous" else for_categories))

    def _draws(self) -> bool:
        by_synthesiser = self.categories is None and set(KINDS) <= set(self._drawing.kinds)
        categories = self.categories.random if isinstance(self.categories, Synthesiser) else not by_synthesiser
        return self._drawing.random or self.partition.random or categories

    # -- promises --------------------------------------------------------------------------------

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """For numbers: what the synthesiser keeps in every group and a union of groups inherits; groups of k."""
        kept = self._drawing.claims_in_groups(columns, self._how)
        apart = self.kinds_together == "separate" and len(columns) > 1
        return kept if apart else (*kept, GroupsAtLeast(k=self.partition.k))

    def anonymity(self, kinds: Mapping[str, str], telling: tuple[str, ...]) -> GroupAnonymity | None:
        """Records of a group are alike where all is drawn afresh, in one grouping and whatever the kept columns are."""
        drawing = [way for way in (self._drawing, self.categories) if isinstance(way, Synthesiser)]
        afresh = all(synthesiser.ties_record != "record" for synthesiser in drawing)
        apart = self.kinds_together == "separate" and len(set(kinds.values())) > 1
        way: Way | None = "exchangeable records" if afresh and not telling and not apart else None
        tables = (TABLES,) if self._permutes(kinds) else ()
        moments = self._exact_in_groups(tuple(kinds)) if "continuous" in kinds.values() else ()
        if self.jitter_moments:
            return GroupAnonymity(self.partition.k, way, tables, moments, self.jitter_moments)
        return GroupAnonymity(self.partition.k, way, (*moments, *tables), remedy=_REMEDY)

    def _permutes(self, kinds: Mapping[str, str]) -> bool:
        """Whether some of the columns change places as they are."""
        if any(name in kinds for name in self._in_blocks):
            return True
        others = [kind for kind in kinds.values() if kind not in self._own_kinds]
        return bool(others) and self.categories in (None, "permute")

    def _exact_in_groups(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        """The moments that the synthesiser keeps in every group, or would without jitter."""
        exact: dict[str, type[Claim]] = {"means": MeansKept, "covariances": CovariancesKept}
        kept = self._drawing.exact_in_groups(columns, InGroups(self.small_groups))
        return tuple(word for word, claim in exact.items() if any(isinstance(known, claim) for known in kept))

    # -- running ---------------------------------------------------------------------------------

    @property
    def _how(self) -> InGroups:
        return InGroups(self.small_groups, self.jitter_moments)

    @property
    def _drawing(self) -> Synthesiser:
        """What the synthesiser promises; the two that none stands for promise the same."""
        return Ipso() if self.synthesiser is None else self.synthesiser

    def _for(self, edits: tuple[Edit, ...], drawn: Collection[str]) -> Synthesiser:
        """The synthesiser of these columns for data with these rules."""
        if self.synthesiser is not None or all(set(edit.columns).isdisjoint(drawn) for edit in edits):
            return self._drawing
        inside = FeasibleRotation()
        try:
            inside.refuse_in_groups(self._how)
        except BadInput as problem:
            raise BadInput(f"the data have edits, which {inside.name} keeps: {problem}, which breaks edits") from None
        return inside

    def _grouping(self, synthesiser: Synthesiser) -> groups.Grouping:
        consensus, merge = self.kinds_together == "consensus", self.degenerate == "merge"
        return groups.Grouping(self.partition, synthesiser, self._how, consensus, merge)

    def leaves_out(self, table: Table, given: Table) -> Bools:
        """Records whose gaps are shared by fewer than a group needs."""
        drawn = table.only(self._shared_out(table)[0])
        return rare_patterns(table, given, self._grouping(self._drawing).large_enough(drawn, given)[0].k)

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """Group, then redraw every group; records with gaps among those with the same."""
        check_block_columns(self.blocks or (), table)
        return by_patterns(self._run, table, job)

    def _run(self, table: Table, job: Job) -> Outcome:
        """For separate runs kind by kind."""
        apart = self.kinds_together == "separate"
        return by_kinds(self._redrawn, table, job) if apart else self._redrawn(table, job)

    def _redrawn(self, table: Table, job: Job, kind: str | None = None) -> Outcome:
        """The records redrawn in their groups; `kind`: that of all columns, which alone form the groups."""
        drawn, others, blocks = self._shared_out(table)
        synthesiser = self._for(job.edits, drawn)
        with within(0.0, _GROUPING):
            on = groups.cluster_columns(self.cluster_on, table, job, kind)
            labels, notes = self._grouping(synthesiser).groups(table, table.only(drawn), job, on)
        numbers = [part_of(table, job, (), names=drawn)] if drawn else []
        categories = [part_of(table, job, ("categories",), names=others)] if others else []
        # columns that stay together change places by streams of their own: one block does not move another
        together = [part_of(table, job, ("block", *block), names=block) for block in blocks]
        parts = [*numbers, *categories, *together]

        def redraw(part: Table, its: Job) -> Outcome:
            if part.names == tuple(drawn):
                return synthesiser.draw_in_groups(part, its, labels, self._how)
            how = self.categories if part.names == tuple(others) else "permute"
            return groups.new_categories(how, part, its, labels)

        with within(_GROUPING, 1.0):
            ran = run_parts(parts, redraw, table.rows * len(parts), job.engine)
        found = join_columns(table, ran)
        told = groups.tell_moved_moments if self.jitter_moments > 0 else groups.tell_exact_moments
        moments = told(table, {name: found.columns[name] for name in drawn}, labels)
        came = groups.tell_unchanged_in_groups(table, found.columns, labels)
        of_groups = GroupsAtLeast(k=self.partition.k, columns=table.names)
        return replace(
            found,
            groups=labels,
            notes=(*notes, *found.notes, *moments, *came),
            claims=(*(found.claims or ()), of_groups),
        )

    @property
    def _own_kinds(self) -> tuple[str, ...]:
        """The kinds that the synthesiser draws."""
        return self._drawing.kinds if self.categories is None else ("continuous",)

    @property
    def _in_blocks(self) -> tuple[str, ...]:
        return tuple(name for block in self.blocks or () for name in block)

    def _shared_out(self, table: Table) -> tuple[list[str], list[str], list[tuple[str, ...]]]:
        """The columns that the synthesiser draws, those for which there is another way, and the blocks."""
        drawn = [name for name in table.names if table[name].kind in self._own_kinds and name not in self._in_blocks]
        others = [name for name in table.names if name not in (*drawn, *self._in_blocks)]
        return drawn, others, list(self.blocks or ())
