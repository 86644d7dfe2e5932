"""The small faults that are planted: each is a place in a source file with the text to put there."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}
_NAMES = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "minimum": "maximum",
    "maximum": "minimum",
    "nanmin": "nanmax",
    "nanmax": "nanmin",
}
# what a function of this annotated type may return and be hardly noticed
_NEUTRAL = {
    "bool": ("True", "False"),
    "int": ("0",),
    "float": ("0.0",),
    "str": ("''",),
    "Deviation": ("Deviation(0.0, 0.0)",),
}
# texts for people are checked by reading them, and examples of claims are test material
_SPARED_FUNCTIONS = {"__repr__", "__str__", "examples"}


@dataclass(frozen=True)
class Mutant:
    """A fault: bytes `start` to `stop` of a file become `new`."""

    file: str
    line: int
    start: int
    stop: int
    old: str
    new: str
    what: str

    def applied(self, source: bytes) -> bytes:
        """The source with the fault."""
        return source[: self.start] + self.new.encode() + source[self.stop :]

    def changed_line(self, source: bytes) -> tuple[str, str]:
        """The first line that is different, without and with the fault."""
        before, after = source.decode().splitlines(), self.applied(source).decode().splitlines()
        pairs = zip(before, after, strict=False)
        old, new = next(((old, new) for old, new in pairs if old != new), ("", ""))
        return old.strip(), new.strip()


def mutants_of(path: Path, root: Path) -> list[Mutant]:
    """Every fault that can be planted in a file, in the order of their places."""
    source = path.read_bytes()
    finder = _Finder(str(path.relative_to(root)), source)
    finder.visit(ast.parse(source))
    return sorted(finder.found, key=lambda mutant: (mutant.start, mutant.stop, mutant.new))


class _Finder(ast.NodeVisitor):
    """Walks through a module and notes what could be changed; annotations, decorators and texts are left alone."""

    def __init__(self, file: str, source: bytes) -> None:
        self.file, self.source, self.found = file, source, list[Mutant]()
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._returns: list[str] = []

    def _note(self, node: ast.expr | ast.stmt, new: str, what: str) -> None:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._starts[node.lineno - 1] + node.col_offset
        stop = self._starts[node.end_lineno - 1] + node.end_col_offset
        old = self.source[start:stop].decode()
        self.found.append(Mutant(self.file, node.lineno, start, stop, old, new, what))

    def _note_changed(self, node: ast.expr, what: str, **fields: object) -> None:
        changed = copy.copy(node)
        for name, value in fields.items():
            setattr(changed, name, value)
        self._note(node, f"({ast.unparse(changed)})", what)

    # what is left alone

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Texts."""

    def visit_Raise(self, node: ast.Raise) -> None:
        """Error texts; the error itself may be forgotten."""
        self._note(node, "pass", "error not raised")

    def visit_keyword(self, node: ast.keyword) -> None:
        """Arguments, but for the guard that sequences are equally long: the tests would have to break it first."""
        if node.arg != "strict":
            self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """A value, and not its annotation."""
        if node.value is not None:
            self.visit(node.value)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Its body only."""
        for statement in node.body:
            self.visit(statement)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Defaults and body; what is returned depends on the annotation."""
        if node.name in _SPARED_FUNCTIONS:
            return
        for default in [*node.args.defaults, *(one for one in node.args.kw_defaults if one is not None)]:
            self.visit(default)
        self._returns.append(ast.unparse(node.returns) if node.returns is not None else "")
        for statement in node.body:
            self.visit(statement)
        self._returns.pop()

    # expressions

    def visit_Compare(self, node: ast.Compare) -> None:
        """One comparison of a chain at a time."""
        for place, operator in enumerate(node.ops):
            other = _COMPARISONS.get(type(operator))
            if other is not None:
                operators = [*node.ops[:place], other(), *node.ops[place + 1 :]]
                self._note_changed(node, "comparison", ops=operators)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Plus and minus, times and over."""
        other = _ARITHMETIC.get(type(node.op))
        if other is not None:
            self._note_changed(node, "arithmetic", op=other())
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """And becomes or."""
        self._note_changed(node, "and, or", op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """Not, and the inversion of arrays of truths, are left out."""
        if isinstance(node.op, ast.Not | ast.Invert):
            self._note(node, f"({ast.unparse(node.operand)})", "not")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Truths are turned round, numbers moved by one."""
        if isinstance(node.value, bool):
            self._note(node, str(not node.value), "truth")
        elif isinstance(node.value, int | float):
            self._note(node, f"({node.value!r} + 1)", "number")
            self._note(node, f"({node.value!r} - 1)", "number")

    def visit_Call(self, node: ast.Call) -> None:
        """Smallest for largest, any for all, and sorting the other way."""
        name = node.func
        if isinstance(name, ast.Name) and name.id in _NAMES:
            self._note(name, _NAMES[name.id], "function")
        elif isinstance(name, ast.Attribute) and name.attr in _NAMES:
            self._note_changed(name, "function", attr=_NAMES[name.attr])
        elif isinstance(name, ast.Name) and name.id == "sorted" and not any(k.arg == "reverse" for k in node.keywords):
            reverse = ast.keyword("reverse", ast.Constant(True))
            self._note_changed(node, "order", keywords=[*node.keywords, reverse])
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """Ends of slices."""
        if isinstance(node.slice, ast.Slice):
            for end, step in (("lower", "+"), ("upper", "-")):
                value = getattr(node.slice, end)
                if value is not None:
                    self._note(value, f"({ast.unparse(value)}) {step} 1", "slice")
        self.generic_visit(node)

    # statements

    def visit_Return(self, node: ast.Return) -> None:
        """A constant is returned instead."""
        for neutral in _NEUTRAL.get(self._returns[-1] if self._returns else "", ()):
            if node.value is not None and ast.unparse(node.value) != ast.unparse(ast.parse(neutral, mode="eval")):
                self._note(node.value, neutral, "constant returned")
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        """A branch is never or always taken."""
        if ast.unparse(node.test) == "TYPE_CHECKING":
            return
        self._note(node.test, "False", "branch never taken")
        self._note(node.test, "True", "branch always taken")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        """A call is forgotten; a docstring is no statement."""
        if isinstance(node.value, ast.Constant):
            return
        self._note(node, "pass", "statement left out")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """A change of a variable is forgotten."""
        self._note(node, "pass", "statement left out")
        self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        """A change of a part of something is forgotten; without a new name the rest would not run."""
        if all(isinstance(target, ast.Subscript | ast.Attribute) for target in node.targets):
            self._note(node, "pass", "statement left out")
        self.visit(node.value)


def mutants_in(root: Path, folders: list[str]) -> Iterator[Mutant]:
    """Every fault that can be planted in the Python files of some folders or files."""
    for folder in folders:
        place = root / folder
        for path in [place] if place.is_file() else sorted(place.rglob("*.py")):
            yield from mutants_of(path, root)
