"""`microveil hierarchy`: look at a hierarchy, check it against a column, write it to a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from microveil.cli.console import out
from microveil.cli.outputs import check_outputs, written_together
from microveil.cli.reading import Decimal, Delimiter, Encoding, Sheet, read_hierarchy_options, reading_options
from microveil.core.errors import BadInput


def hierarchy(
    stated: Annotated[
        str,
        typer.Argument(metavar="FILE_OR_RULE", help="a file, or a rule such as '{intervals: {widths: [5, 10]}}'"),
    ],
    data: Annotated[Path | None, typer.Option(help="the data file whose column it is for")] = None,
    column: Annotated[str | None, typer.Option(help="the column, each value of which must have a path")] = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="where to write it, a line value;coarser;*")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="replace an existing file")] = False,
) -> None:
    """Show a hierarchy as a tree and say what is wrong with it; a rule needs the column that it is for.

    With --data, the options on reading are about the data file; without, --delimiter is that of the hierarchy.
    """
    from microveil.hierarchy import Hierarchy
    from microveil.hierarchy.showing import levels_table, tree_text

    if (data is None) != (column is None):
        raise BadInput("--data and --column belong together; give both, or neither")
    file = Path(stated) if Path(stated).is_file() else None  # else a rule, or told below
    check_outputs({"the hierarchy": file, "--data": data}, {"--output": output}, force)
    how = reading_options(encoding, decimal, delimiter, sheet)
    if data is None and set(how) - {"delimiter"}:
        raise BadInput("--encoding, --decimal and --sheet say how the data file is read; give --data too")
    named = column or "COLUMN"
    given = read_hierarchy_options([f"{named}={stated}"])[named]
    if data is not None and column is not None:
        from microveil import io

        found = io.read(data, hierarchies={column: given}, **how).schema[column].hierarchy
        if found is None:
            raise BadInput(f"{column} of {data.name} holds no value; there is nothing to make a hierarchy of")
        made = found if isinstance(found, Hierarchy) else Hierarchy(found)
    elif isinstance(given, str) and (Path(given).suffix or Path(given).exists()):
        made = Hierarchy.read(given, **how)
    else:
        raise BadInput(f"{stated} is a rule and needs values; say --data FILE --column COLUMN")
    head, rows = levels_table(made, most=6)
    out.print(tree_text(made), markup=False)
    for row in rows:
        out.print("  ".join(f"{word} {cell}" for word, cell in zip(head, row, strict=True)), markup=False)
    for note in made.notes:
        out.print(f"note: {note}", markup=False)
    if output is not None:
        with written_together({"--output": output}) as places:
            made.write(places["--output"])
        out.print(f"Wrote {output}.", markup=False)
