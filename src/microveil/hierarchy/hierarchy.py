"""A hierarchy: every value of a column with its coarser values, the nearest first, up to a single one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw
from narwhals.typing import IntoDataFrame

from microveil.core.errors import BadInput
from microveil.core.open_types import Cell
from microveil.core.open_types import Hierarchy as Paths
from microveil.hierarchy.checking import complete_paths
from microveil.hierarchy.files import Rows, read_rows, write_rows

if TYPE_CHECKING:
    from microveil.hierarchy.rule import HierarchyRule


class Hierarchy(Mapping[Any, tuple[str, ...]]):
    """Values with their paths: all equally long, nested, and ending in one value.

    Made from a mapping, from a file (`Hierarchy.read`) or by a rule (`mv.hierarchy.Intervals(...).of(values)`). Shorter
    paths are padded by their top and several tops are joined by `*`; `notes` say so. One that a rule made knows the
    paths of numbers that it has not seen.

    >>> regions = Hierarchy({"Vienna": ["East"], "Graz": ["South"]})
    >>> regions["Vienna"], regions.height
    (('East', '*'), 2)
    """

    def __init__(
        self,
        paths: Paths,
        *,
        rule: HierarchyRule | None = None,
        what: str = "the hierarchy",
    ) -> None:
        if not isinstance(paths, Mapping) or not paths:
            raise BadInput(f"{what} is {paths!r:.80}; map each value to a list of coarser values, the nearest first")
        values = list(paths)
        rows = [paths[value] for value in values]
        for value, path in zip(values, rows, strict=True):
            if isinstance(path, str) or not isinstance(path, list | tuple):
                raise BadInput(f"{what} maps {value!r} to {path!r}; give a list of coarser values, the nearest first")
        self._take(Rows(values, [[_text(one) for one in path] for path in rows], unit="value"), what)
        self.rule = rule

    def _take(self, rows: Rows, what: str) -> None:
        completed, self.notes = complete_paths(rows, what)
        self._paths = dict(zip(rows.values, completed, strict=True))

    # -- files -----------------------------------------------------------------------------------

    @classmethod
    def read(cls, path: str | Path, *, delimiter: str | None = None) -> Hierarchy:
        """The hierarchy of a text file in the form of ARX: a line `value;coarser;...;*` for each value, no header.

        The delimiter is found unless it is told: semicolon, tab, bar or comma. What is wrong is told with its lines.
        """
        return cls.of_rows(read_rows(Path(path), delimiter), f"the hierarchy {Path(path).name!r}")

    @classmethod
    def from_frame(cls, frame: IntoDataFrame) -> Hierarchy:
        """The hierarchy of a table: a row for each value, its columns from the value to the coarsest.

        >>> import pyarrow as pa
        >>> Hierarchy.from_frame(pa.table({"city": ["Linz", "Graz"], "state": ["Upper Austria", "Styria"]}))["Linz"]
        ('Upper Austria', '*')
        """
        rows = nw.from_native(frame, eager_only=True).rows()
        if not rows:
            raise BadInput("the table of the hierarchy has no rows; give one for each value")
        paths = [[*map(_text, row[1:])] for row in rows]
        return cls.of_rows(Rows([row[0] for row in rows], paths, range(1, len(rows) + 1), unit="row"), "the table")

    @classmethod
    def of_rows(cls, rows: Rows, what: str) -> Hierarchy:
        """The hierarchy of the rows of a file."""
        made = cls.__new__(cls)
        made._take(rows, what)
        made.rule = None
        return made

    def write(self, path: str | Path, *, delimiter: str = ";") -> None:
        """Write the file that `read` reads, in UTF-8 with semicolons unless another delimiter is given."""
        write_rows(Path(path), ([value, *steps] for value, steps in self._paths.items()), delimiter)

    # -- a mapping -------------------------------------------------------------------------------

    def __getitem__(self, value: Cell) -> tuple[str, ...]:
        found = self._paths.get(value)
        if found is None and self.rule is not None and isinstance(value, int | float):
            # numbers that a method made; texts that it made are classes, which are no values
            found = self.rule.whole_path(value)
        if found is None:
            raise KeyError(value)
        return found

    def __iter__(self) -> Iterator[Any]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    @property
    def height(self) -> int:
        """How many steps lead from a value to the top."""
        return len(next(iter(self._paths.values())))

    def at(self, level: int) -> tuple[Cell, ...]:
        """The different values at a level; 0: the original ones."""
        if not 0 <= level <= self.height:
            raise BadInput(f"level={level} is not between 0 and {self.height}, the height of the hierarchy")
        if level == 0:
            return tuple(self._paths)
        return tuple(dict.fromkeys(path[level - 1] for path in self._paths.values()))

    def with_values(self, paths: Paths) -> Hierarchy:
        """The same steps under other keys, such as the numbers of a column for their texts."""
        made = type(self).__new__(type(self))
        made._paths = {value: tuple(map(str, path)) for value, path in paths.items()}
        made.notes, made.rule = self.notes, self.rule
        return made

    # -- looking ---------------------------------------------------------------------------------

    def __repr__(self) -> str:
        from microveil.hierarchy.showing import tree_text

        return tree_text(self)

    def _repr_html_(self) -> str:
        from microveil.core.cards import card
        from microveil.hierarchy.showing import tell_size, tree_html

        return card(f"Hierarchy: {tell_size(self)}", tree_html(self))


def _text(one: Cell) -> str:
    return "" if one is None or one != one else str(one)
