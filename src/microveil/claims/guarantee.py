"""Guarantees: against whom a release protects, by how much, and what it lets others compute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from microveil.core.cards import Html, card, table

Way = Literal["equal records", "exchangeable records"]


TABLES = "tables of categories"  # what may be exact of a group besides moments


@dataclass(frozen=True)
class GroupAnonymity:
    """What a method that forms groups says about the records of one group of at least k.

    `way`: they are released as equal records, or as records of which each is equally likely to stem from any member;
    None: members of a group can be told apart. `exact`: the statistics of the replaced values that every group keeps.
    `jittered`: those that it would keep but for an error of `jitter` standard deviations of the group, which hides a
    last unknown member. `remedy`: what the method offers against an intruder who knows all other members, in words.
    """

    k: int
    way: Way | None
    exact: tuple[str, ...] = ()
    jittered: tuple[str, ...] = ()
    jitter: float = 0.0
    remedy: str = ""


@dataclass(frozen=True)
class Statement:
    """One line of a guarantee: what follows for an intruder with this knowledge, and whether it protects.

    `apart_by`: the columns that no step changed and that tell the records of one group apart.
    """

    intruder: str
    protects: bool
    text: str
    apart_by: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{'protected against' if self.protects else 'EXPOSED to'} an intruder who {self.intruder}: {self.text}"


@dataclass(frozen=True)
class Guarantee:
    """What is proven about linking records to people, and under which intruder.

    `k`: an intruder who knows every value of every original record, and the method but not its key, links a record
    to its original with probability 1/k at most; None where no such bound is proven. `synthetic`: no released record
    has an original, as its method declares; that alone protects nobody. Private, like the groups.
    """

    k: int | None
    statements: tuple[Statement, ...]
    synthetic: bool = False

    @property
    def linkage(self) -> float:
        """The proven bound on the probability of a correct link, 1 where none is proven."""
        return 1.0 if self.k is None else 1.0 / self.k

    @property
    def summary(self) -> str:
        """The bound in words."""
        if self.synthetic:
            return "no released record has an original; that is no bound on what it discloses"
        if self.k is not None:
            return f"linkage at most 1/{self.k}"
        if any(statement.protects for statement in self.statements):
            return "a bound is proven against some intruders, and none against one who knows every original value"
        return "no bound on linkage is proven"

    @property
    def exposed(self) -> str:
        """To whom records are exposed, in one sentence; empty if to nobody."""
        intruders = dict.fromkeys(statement.intruder for statement in self.statements if not statement.protects)
        return f"Exposed to an intruder who {'; or who '.join(intruders)}." if intruders else ""

    @property
    def apart_by(self) -> tuple[str, ...]:
        """The columns that no step changed and that tell records apart which would be alike without them."""
        return tuple(dict.fromkeys(name for statement in self.statements for name in statement.apart_by))

    def __repr__(self) -> str:
        return "\n".join([f"Guarantee: {self.summary}", *(f"  {statement}" for statement in self.statements)])

    def _repr_html_(self) -> str:
        return card(f"Guarantee: {self.summary}", self.as_table())

    def as_table(self) -> Html:
        """The statements as a table for a card."""
        rows = [
            ("protected" if statement.protects else Html("<b>exposed</b>"), statement.intruder, statement.text)
            for statement in self.statements
        ]
        return table(("", "an intruder who", "what follows"), rows)
