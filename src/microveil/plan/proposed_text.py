"""What the project file says about a plan that redraws keys and amounts together, and the plan to take instead."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

from microveil.core.edits import Edit
from microveil.core.numbers import format_number
from microveil.measure import Scenario
from microveil.plan.plan import Plan
from microveil.plan.project_text import yaml_block
from microveil.plan.proposed_apart import K_OF_KEYS
from microveil.plan.proposed_rules import Rule
from microveil.plan.proposed_together import Together

# how the other plan is taken by whoever edits the file
TAKE_OTHER_LINES = "put the next lines, without their #| signs, in the place of scenarios and plan"
_WIDTH = 110


def about_limits(together: Together, household: object) -> str:
    """Explain the limit; `household` is the column of households that is left out, None where there is none."""
    share = together.scenario.limit("share")
    proof = f"Where it is proven that no record is found with a probability above 1 in {together.k}, as it is of "
    proof += "this plan, the proof decides and not the draw."
    units = together.household if household is None else household
    name = units if together.units is None else together.units.name
    if name is not None:
        proof = f"The proof of 1 in {together.k} is about records and does not decide, since {name} has several."
    room = "is twice as much" if share == 200 / together.k else "leaves room"
    return _comment(
        "A record of this plan that is linked counts as found for certain, so that share is the per cent of records "
        f"that may be linked. Groups of {together.k} let 1 in {together.k} through on average; "
        f"{share:g} {room}, so that chance does not refuse a good plan: of a small file many more may be linked in one "
        f"draw. {proof}"
    )


def about_plan(together: Together, instead: Plan | None, scenarios: Sequence[Scenario], household: object) -> str:
    """Why all is redrawn in one step, what is lost, and what to do where keys must stay true.

    `household` is the column of households that is left out; None where there is none.
    """
    what = "Keys and amounts" if together.keys else "Amounts"
    text = _comment(
        f"{what} are redrawn together, in groups of {together.k} records that are alike. Protected one by one, each "
        "may be safe and all of them together still say who is who: keys narrow the choice, and amounts decide it. In "
        f"common groups nobody links a record by them with a probability above 1 in {together.k}, whatever is known "
        "of them."
    )
    text += _about_units(together) + _about_design(together) + _about_nestings(together) + _about_left(together)
    text += _about_households(together, household) + _comment(_lost(together))
    text += _about_rules(together) + _about_days(together) + _about_repair(together)
    if instead is None:
        return text
    risk = scenarios[0].limit("risk")
    weighted = "" if risk == 1 / K_OF_KEYS else f" ({risk:g} is what 5 records of the least weight come to)"
    text += _comment(
        f"If keys must stay true, {TAKE_OTHER_LINES}: keys are coarsened or left out until 5 records share them, and "
        "the rest is protected apart from them. Be warned: who knows keys and amounts of "
        "somebody then finds most records again (in files that we tried, more than three "
        f"in four), and the limit does not say so, since it looks at keys alone{weighted}."
    )
    block = {"scenarios": [scenario.to_spec() for scenario in scenarios], "plan": instead.to_mapping()}
    return text + "".join(f"#| {line}\n" for line in yaml_block(block).rstrip().split("\n"))


def about_rules(rules: Sequence[Rule]) -> str:
    """The rules that are not taken for such, each with the reason: to be made rules by taking out their # sign."""
    others = [rule for rule in rules if not rule.active]
    return "".join(
        f"# {yaml_block([str(rule.edit)], flow=False, width=1 << 20).rstrip()}  # {rule.comment}\n" for rule in others
    )


def about_no_plan() -> str:
    """Why nothing is to be done about keys that many share, where there is nothing else."""
    return _comment(
        f"No plan is proposed: {K_OF_KEYS} records or more share each combination of keys, and no column holds what "
        "nobody should learn. If another column is known to others or confidential, state its role and inspect again."
    )


def _about_units(together: Together) -> str:
    """What groups of records say of units that have several."""
    units = together.units
    if units is None:
        return ""
    return _comment(
        f"{units.name} stands in several records: {units.counts}. That is said of records and not of each "
        f"{units.name}: a group may be of one {units.name} alone, whose means the release then tells. The verdict "
        f"counts such groups, and limits that do not hold for each {units.name} are not kept. What helps: "
        f"{units.way_out}. If {units.name} "
        "numbers nobody who is to be protected, give it another role and inspect again."
    )


def _about_design(together: Together) -> str:
    if not together.design:
        return ""
    some = len(together.design) == 1
    return _comment(
        f"{_listed(together.design)} {'changes' if some else 'change'} places in the same groups, because "
        f"{'it' if some else 'they'} would say who is who beside columns that are redrawn.{_about_total(together)}"
    )


def _about_total(together: Together) -> str:
    """What becomes of the sum of the weights."""
    weight = together.weight
    if weight is None:
        return ""
    each = ", in every stratum too" if len(together.design) > 1 else ""
    if not together.left_out.any():
        return f" The sum of {weight} stays exact{each}."
    weights = together.data.values(weight, "continuous").numbers
    before, after = float(weights.sum()), float(weights[~together.left_out].sum())
    return (
        f" Of {together.data.n:,} records, {int(together.left_out.sum()):,} are left out, because fewer than "
        f"{together.k} have their gaps, and {weight} adds up to {format_number(after)} without them, not to "
        f"{format_number(before)}: multiply it by {before / after:.6g} for totals of the population. Over the other "
        f"records its sum stays exact{each}."
    )


def _about_nestings(together: Together) -> str:
    text = ""
    if together.nestings:
        text = _comment(
            f"Some columns lie in others: {'; '.join(map(str, together.nestings))}. `blocks` lists what changes places "
            "in whole rows, so that no impossible combination arises; drawn one by one they would not stay together."
        )
    if together.parted:
        text += _comment(
            f"In the original, {'; '.join(map(str, together.parted))}. They are drawn apart all the same, and do not "
            "fit together in the release, because whole rows would show what is confidential beside true keys. If it "
            "is no secret, give it the role key and inspect again."
        )
    return text


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


def _about_households(together: Together, left_out: object) -> str:
    """What the number of the household does, or would do."""
    cost = (
        "who knows all members of a household can look for all of them at once. In a survey that we tried, this "
        "found 2 in 10 households of two and most of those of five or more, although single persons are hardly found"
    )
    if left_out is not None:
        return _comment(
            f"{left_out} says who lives together and is left out, for with it {cost}. To keep it under new numbers, at "
            f"that cost, give {left_out} the role household; then columns that were the same for a whole household "
            "(region, size) no longer are."
        )
    if together.household is None:
        return ""
    return _comment(
        f"{together.household} says who lives together, under new numbers: {cost}. Give {together.household} the role "
        "identifier to leave it out of the release. Columns that were the same for a whole household (region, size) no "
        "longer are; a note of the release counts them."
    )


def _about_rules(together: Together) -> str:
    """What the rules do to amounts that are redrawn."""
    if not any(set(edit.columns) <= set(together.redrawn) for edit in together.edits):
        return ""
    exact = ", with means and covariances exact" if together.exact else ""
    return _comment(
        f"Amounts are redrawn inside the rules under constraints{exact}: those that are never below 0 stay so, and "
        "sums still add up. Amounts of a rule that is taken out may break it. Who knows all other records of a group "
        "can compute the last one from exact moments; if that is to be feared, take a larger k."
    )


def _about_days(together: Together) -> str:
    """What becomes of rules about dates."""
    kept, parted = together.rules_of_days
    text = ""
    if kept:
        text = _comment(
            f"Dates that rules bind change places in whole rows, which `blocks` lists, so that {_rules(kept)}. Who "
            "knows several dates of somebody finds them beside one another in the release, in a record whose other "
            "columns are drawn from its group."
        )
    if parted:
        text += _comment(
            f"The plan does not keep {_rules(parted)}: whole rows of these columns would show what is confidential "
            "beside true keys, or somebody stated that one of them is an amount. A run refuses a release that breaks "
            "it: give the role key to all its columns and inspect again, or take it out if it is none."
        )
    return text


def _rules(edits: Sequence[Edit]) -> str:
    return " and ".join(map(str, edits))


def _about_repair(together: Together) -> str:
    """What the step that ends negative amounts costs, and how to do without it."""
    amounts = together.repaired
    if not amounts:
        return ""
    return _comment(
        f"Redrawn, some of {_listed(amounts)} would be below 0, where the original has none. The step `repair` puts "
        "them to 0 and lowers the others of their column, so that means stay as they were redrawn: by one amount where "
        "many are 0 in the original (`shift`, which makes more of them 0), else in proportion (`scale`). "
        "Exact covariances end there, and so none is promised: `jitter_moments` moves means and covariances by "
        "little, which hides the last record of a group from somebody who knows all others. If exact means and "
        "covariances matter more than possible values, take out `jitter_moments` and the step `repair`."
    )


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
