"""`microveil doctor`: what is installed and works.

It prints plainly: the consoles of other commands know the words of all methods, and load every room for that.
"""

from __future__ import annotations

import typer

from microveil.cli.finding import ABSENT, BROKEN
from microveil.core.words import counted


def doctor() -> None:
    """Say what is installed and works, what is absent, and what to do about it; nothing is changed."""
    from microveil.cli.installed import check_packages
    from microveil.cli.machine import check_machine

    findings = [*check_packages(), *check_machine()]
    width = max(len(one.what) for one in findings)
    for one in findings:
        typer.echo(f"{one.what:<{width}}  {one.state:<6}  {one.line}")
    broken = [one.what for one in findings if one.state == BROKEN]
    absent = [one.what for one in findings if one.state == ABSENT]
    if broken:
        typer.echo(f"microveil will not work until this is repaired: {', '.join(broken)}.")
        raise typer.Exit(1)
    said = f"{counted(len(absent), 'optional part')} absent" if absent else "nothing is absent"
    typer.echo(f"Everything that microveil needs works; {said}.")
