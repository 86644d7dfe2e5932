"""What the project file says about a plan that redraws keys and amounts together, and the plan to take instead."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

from microveil.mask import Repair
from microveil.plan.plan import Plan
from microveil.plan.project_text import yaml_block
from microveil.plan.proposed_together import Together
from microveil.risk import Scenario

_WIDTH = 110


def about_limits(together: Together) -> str:
    """Why the limit is what it is."""
    share = together.scenario.limit("share")
    room = "is twice as much" if share == 200 / together.k else "leaves room"
    return _comment(
        "A record of this plan that is linked counts as found for certain, so that share is the per cent of records "
        f"that may be linked. Groups of {together.k} let 1 in {together.k} through on average; "
        f"{share:g} {room}, so that chance does not refuse a good plan in a small file."
    )


def about_plan(together: Together, instead: Plan | None, scenarios: Sequence[Scenario]) -> str:
    """Why all is redrawn in one step, what is lost, and what to do where keys must stay true."""
    what = "Keys and amounts" if together.keys else "Amounts"
    text = _comment(
        f"{what} are redrawn together, in groups of {together.k} records that are alike. Protected one by one, each "
        "may be safe and all of them together still say who is who: keys narrow the choice, and amounts decide it. In "
        f"common groups nobody links a record by them with a probability above 1 in {together.k}, whatever is known "
        "of them."
    )
    text += _about_design(together) + _about_nestings(together) + _about_left(together)
    text += _about_households(together) + _comment(_lost(together)) + _about_repair(together)
    if instead is None:
        return text
    text += _comment(
        "If keys must stay true, put the next lines, without their #| signs, in the place of scenarios and plan: keys "
        "are coarsened or left out until 5 records share them, and the rest is protected apart from them. Be warned: "
        "who knows keys and amounts of somebody then finds most records again (in files that we tried, more than three "
        "in four), and the limit does not say so, since it looks at keys alone."
    )
    block = {"scenarios": [scenario.to_spec() for scenario in scenarios], "plan": instead.to_mapping()}
    return text + "".join(f"#| {line}\n" for line in yaml_block(block).rstrip().split("\n"))


def _about_design(together: Together) -> str:
    if not together.design:
        return ""
    weight = together.weight
    exact = f" The sum of {weight} over the released records stays exact, in every stratum too." if weight else ""
    some = len(together.design) == 1
    return _comment(
        f"{_listed(together.design)} {'changes' if some else 'change'} places in the same groups, because "
        f"{'it' if some else 'they'} would say who is who beside columns that are redrawn.{exact}"
    )


def _about_nestings(together: Together) -> str:
    if not together.nestings:
        return ""
    return _comment(
        f"Some columns lie in others: {'; '.join(map(str, together.nestings))}. `blocks` lists what changes places in "
        "whole rows, so that no impossible combination arises; drawn one by one they would not stay together."
    )


def _about_left(together: Together) -> str:
    if not together.left:
        return ""
    some = len(together.left) == 1
    them = "it" if some else "them"
    return _comment(
        f"{_listed(together.left)} {'stays as it is' if some else 'stay as they are'}: who knows {them} too may find "
        f"most records. If that is to be feared, give {them} the role key or confidential and inspect again, or give "
        f"{them} the role identifier to leave {them} out of the release."
    )


def _about_households(together: Together) -> str:
    if together.household is None:
        return ""
    name = together.household
    return _comment(
        f"{name} says who lives together, under new numbers: sizes of households stay true, and who knows all members "
        "of a household can look for all of them at once. In a survey that we tried, this found 2 in 10 households of "
        f"two and most of those of five or more, although single persons are hardly found. Give {name} the role "
        "identifier to leave it out of the release. Columns that were the same for a whole household (region, size) "
        "no longer are; a note of the release counts them."
    )


def _about_repair(together: Together) -> str:
    """A step that ends negative amounts, ready to be taken."""
    amounts = together.never_negative
    if not amounts:
        return ""
    text = _comment(
        f"Redrawn amounts may be impossible: some of {_listed(amounts)} may be below 0, where the original has none. "
        "If that must not be, put the next lines, without their #+ signs, at the end of this file. It costs the exact "
        "means and covariances of these columns, and protect then asks for --accept-lost."
    )
    step = Plan([{"method": Repair(low=0.0), "columns": list(amounts), "missing": "mask"}]).to_mapping()["steps"]
    lines = yaml_block({"steps": step}).rstrip().split("\n")[1:]
    return text + "".join(f"#+   {line}\n" for line in lines)


def _listed(names: Sequence[object]) -> str:
    return ", ".join(map(str, names))


def _lost(together: Together) -> str:
    tables = "tables of amounts by key" if together.redrawn else "tables by key"
    more = (
        ", nor are tables of several keys: columns that are not redrawn as amounts get values of their group one by "
        "one, because whole rows of them would show what is confidential beside true keys"
        if together.draws_each
        else ""
    )
    kept = " Means and covariances of the amounts in the whole file stay exact." if together.exact else ""
    return f"What is lost: {tables} are no longer exact{more}.{kept}"


def _comment(text: str) -> str:
    """A paragraph of comment, with an empty line before it."""
    lines = fill(text, _WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)
    return f"#\n{lines}\n"
