"""What the commands share about reading a data file: the options that say what it is, and what is said about it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from microveil.cli.completion import column_and_kind, column_and_role
from microveil.cli.console import facts, out
from microveil.core.errors import BadInput
from microveil.core.parameters import nearest

if TYPE_CHECKING:
    from microveil.data import Microdata
    from microveil.plan import Project

Role = Annotated[
    list[str] | None,
    typer.Option("--role", metavar="COLUMN=ROLE", help="what a column is", autocompletion=column_and_role),
]
Kind = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="COLUMN=KIND", help="how it is measured", autocompletion=column_and_kind),
]
Edits = Annotated[
    list[str] | None,
    typer.Option(
        "--edit",
        metavar="RULE",
        help='a rule that every record satisfies, such as "income >= 0"; for several say it again',
    ),
]
Hierarchies = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        metavar="COLUMN=FILE",
        help="the coarser values of a column: a file, or a rule such as age='{intervals: {widths: [5, 10]}}'",
    ),
]
Missing = Annotated[list[str] | None, typer.Option("--na", help="a text or code that means missing, in any column")]
Encoding = Annotated[
    str | None, typer.Option("--encoding", metavar="NAME", help="of a text file, for example cp1252; else found")
]
Decimal = Annotated[
    str | None, typer.Option("--decimal", metavar="MARK", help="of a text file: comma or point; else found")
]
Delimiter = Annotated[
    str | None,
    typer.Option("--delimiter", metavar="MARK", help="of a text file: comma, semicolon, tab or bar; else found"),
]

Sheet = Annotated[
    str | None, typer.Option("--sheet", metavar="NAME", help="of an XLSX file; else the first that is not hidden")
]

# words, because a shell takes some of these marks for its own
_DECIMALS = {"comma": ",", "point": "."}
_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "bar": "|"}


def tell_guessed(listed: str) -> str:
    """Which roles were guessed, beside those that were stated."""
    return (
        f"columns of which nobody stated the role were taken for what they look like: {listed}; decide with --role or "
        "--project"
    )


def reading_options(
    encoding: str | None, decimal: str | None, delimiter: str | None, sheet: str | None
) -> dict[str, Any]:
    """The options of single formats that were given, as `mv.read` takes them."""
    given = {
        "encoding": encoding,
        "decimal": _mark(decimal, _DECIMALS, "--decimal"),
        "delimiter": _mark(delimiter, _DELIMITERS, "--delimiter"),
        "sheet": sheet,
    }
    return {name: value for name, value in given.items() if value is not None}


def _mark(given: str | None, words: dict[str, str], option: str) -> str | None:
    if given is None or len(given) == 1:
        return given
    if given.lower() not in words:
        shown = [word for word in words if word.isalpha()]
        raise BadInput(
            f"{option} {given!r} is neither one character nor one of {', '.join(shown)}{nearest(given, shown)}"
        )
    return words[given.lower()]


def read_hierarchy_options(given: Sequence[str]) -> dict[str, Any]:
    """`column=file` and `column=rule` options as `mv.read` takes them; a rule with parameters is read as YAML."""
    from microveil.hierarchy.stated import check_stated
    from microveil.io import read_yaml

    found = facts(given, "hierarchy")
    stated: dict[str, Any] = {}
    for column, text in found.items():
        rule = text.startswith("{")
        stated[column] = read_yaml(text, f"--hierarchy {column}") if rule else text
        if not text:
            raise BadInput(f"--hierarchy {column}= names neither a file nor a rule; say --hierarchy {column}=FILE")
        check_stated(stated[column], f"--hierarchy {column}")
    return stated


def read_stated(file: Path, project: Project | None, known: dict[str, Any]) -> Microdata:
    """The file with what is stated about it; a column that it lacks is told with the line of the project."""
    from microveil import io

    with project.telling_lines() if project is not None else nullcontext():
        data = io.read(file, **known)
        if project is not None:
            project.check_names(data.columns)
    return data


def hierarchy_files(given: Sequence[str] | None) -> dict[str, Path | None]:
    """The files that --hierarchy names, so that no output takes their place."""
    named = facts(given or [], "hierarchy")
    return {f"--hierarchy {column}": Path(text) for column, text in named.items() if text and Path(text).is_file()}


def say_how_read(data: Microdata) -> None:
    """One line where a text file was not plain UTF-8 with commas and decimal points, or a workbook has other sheets.

    Another where a hierarchy was completed.
    """
    said = [str(data.codebook.read_as or "") if data.codebook is not None else ""]
    said += [note for column in data.schema.values() for note in getattr(column.hierarchy, "notes", ())]
    for line in filter(None, said):
        out.print(f"{line[0].upper()}{line[1:]}.", markup=False)


def say_broken_rules(data: Microdata) -> None:
    """The rules that records of the data break, before anything is done."""
    from microveil.plan import tell_broken_rules

    for line in tell_broken_rules(data):
        out.print(line, markup=False)
