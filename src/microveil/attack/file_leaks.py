"""What a written file tells beside the values of its cells."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from microveil.attack.aside import AttackAside
from microveil.attack.written_file import CHECKS, WrittenFile
from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.measure import Linked
from microveil.run.release import AnyFile


@dataclass(frozen=True, kw_only=True)
class FileLeaks(AttackAside, name="file-leaks"):
    """The worst, in per cent, of what the file as written tells beside the values of its cells.

    Use it on any file before it is given away, whoever wrote it: `FileLeaks()(data, "protected.csv")`. It looks for an
    order of rows that follows the original's (`order`: the correlation of places) or the values of one of its columns
    (`sorted`), numbers of households that follow either (`numbers of households`), columns that the original lacks,
    such as an index, or that identify (`further columns`), words of the original that no cell shows, as in lists of
    categories (`words of the original`), decimals that tell changed cells from others (`digits`), and gaps that the
    weight fills (`weights`); in Parquet and Feather files descriptions of file and columns (`attributes`); in XLSX
    files hidden or further sheets, rows and columns (`hidden parts`), `formulas`, `comments` and names, and
    `properties` such as the author; in SPSS, Stata and SAS files `labels of absent values`, and `notes` or declared
    missing values. What chance explains is 0. A file that passes may leak in ways that nobody looked for. `known` are
    the columns whose cells are compared.
    """

    title: ClassVar[str] = "Traces in the file"
    reference: ClassVar[str] = "Hundepool et al. 2012"
    advice: ClassVar[str] = (
        "The file shows more than its values. Let microveil write it: rows are shuffled then, numbers rounded to the "
        "digits of the source, and traces left out."
    )
    needs: ClassVar[str] = "it looks at a file as written; give its path: FileLeaks()(data, 'protected.csv')"

    def __call__(
        self,
        original: AnyFile,
        protected: AnyFile | str | os.PathLike[str] | None = None,
        *,
        columns: Sequence[str] | None = None,
        by: str | Sequence[str] | None = None,
        linked: Linked = True,  # nobody who gets the file knows it
    ) -> Measured | NotApplicable:
        """Look at a file that was made from the original."""
        if not isinstance(protected, str | os.PathLike):
            return self.not_applicable(self.needs)
        if columns is not None or by is not None:
            raise BadInput("a file is looked at as a whole; leave columns and by out")
        written = WrittenFile.open(Path(protected), original, self.known)
        found = {name: check(written) for name, check in CHECKS.items()}
        told = {name: part for name, part in found.items() if part is not None}
        worst = max(told, key=lambda name: told[name])
        leaking = [name for name, part in told.items() if part > 0]
        return self.measured(
            told[worst],
            parts={"certain": 100.0 * len(leaking) / len(told), "precision": 1.0, "baseline": 0.0, **told},
            reading=(
                f"The file tells more than its cells by {', '.join(leaking)}; {worst}: {format_number(told[worst])} %."
                if leaking
                else f"None of {len(told)} checks finds anything in the file beside the values of its cells."
            ),
        )
