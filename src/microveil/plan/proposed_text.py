"""What the project file says about a plan that redraws keys and amounts together, and the plan to take instead."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

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
    if together.strata:
        text += _comment(
            f"Others know the stratum as they know the keys, so that {', '.join(map(str, together.strata))} is redrawn "
            "with them; leave it out of the columns of the plan if the design of the sample must stay true."
        )
    if together.left:
        some = len(together.left) == 1
        text += _comment(
            f"{', '.join(map(str, together.left))} {'stays as it is' if some else 'stay as they are'}: who knows "
            f"{'it' if some else 'them'} too may find more; give {'it' if some else 'them'} the role "
            "key or confidential if that is to be feared, and inspect again."
        )
    text += _comment(_lost(together))
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
