"""Statements: what the program does step by step, on one path."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpaudit.core import names
from dpaudit.core.language import Core, Data, Raise, Return
from dpaudit.core.lowering import expressions
from dpaudit.core.lowering.calls import broadcast
from dpaudit.core.lowering.paths import End, Path, tree
from dpaudit.core.lowering.values import Const, Fn, Frame, Items, Ref, Token, Unsupported
from dpaudit.formal import program as ir
from dpaudit.formal.binding import fitted
from dpaudit.formal.error_text import error_name
from dpaudit.formal.program import Program

MOST_CALLS = 30


class _Leave(Exception):  # noqa: N818 - control flow
    def __init__(self, how: str, value: Any = None) -> None:
        super().__init__(how)
        self.how, self.value = how, value


def lower(program: Program, data: Data) -> Core:
    """Return a lifted program in Core.

    Parameters
    ----------
    program : Program
    data : Data
        What it receives.

    Raises
    ------
    Unsupported
        Where it is not lowered, with the line.
    """
    if program.symbolic or program.prints:
        raise Unsupported("a program with parameters that have no value, or that prints")
    return Core(data, tree(lambda path: _run(program, data, path)))


def _run(program: Program, data: Data, path: Path) -> End:
    machine = Machine(path, data)
    shape: Any = {"array": "rows", "list": "list", "table": "table"}.get(data.form, "scalar")
    given: Any = Ref(0, shape)
    if data.form == "vector":
        entries = [Ref(path.let("item", [given], (place,))) for place in range(data.length)]
        given = Items("array", list(entries), fixed=True)
    variables = {name: Const(c.value) for name, c in program.fixed.items()} | {program.data: given}
    if program.rng is not None:
        variables[program.rng] = Token()
    try:
        result = machine.body(program.entry.body, Frame(variables))
    except _Leave as leave:
        if leave.how != "raise":
            raise path.refuse(leave.how) from None
        return Raise(leave.value, path.place.line)
    return Return(path.variable(result), path.place.line)


class Machine(expressions.Evaluator):
    """Runs statements; the expressions in them are evaluated by the base."""

    calls = 0

    def call(self, fn: Fn, args: list[Any], keywords: dict[str, Any]) -> Any:
        """Return what a function of the user's returns."""
        function = fn.function
        bound = fitted(function, args, keywords, self.path.place)
        for name, value in bound.items():
            if isinstance(value, tuple):
                bound[name] = Items("tuple", list(value))
        defaults = {n: Const(c.value) for n, c in function.defaults.items() if n not in bound}
        self.calls += 1
        if self.calls > MOST_CALLS:
            raise self.path.refuse("calls within calls")
        try:
            return self.body(function.body, Frame({**defaults, **bound}, fn.frame))
        finally:
            self.calls -= 1

    def body(self, statements: tuple[ir.Statement, ...], frame: Frame) -> Any:
        """Return what the body of a function returns."""
        try:
            self.block(statements, frame)
        except _Leave as leave:
            if leave.how == "return":
                return leave.value
            raise
        return Const(None)

    def block(self, statements: tuple[ir.Statement, ...], frame: Frame) -> None:
        """Run statements, one after another."""
        for statement in statements:
            self.statement(statement, frame)

    def statement(self, node: ir.Statement, frame: Frame) -> None:
        """Run a statement."""
        self.path.step(node.place)
        match node:
            case ir.Assign(target=target, value=value):
                self.assign(target, self.evaluate(value, frame), frame)
            case ir.Update():
                self.update(node, frame)
            case ir.Evaluate(value=value):
                self.evaluate(value, frame)
            case ir.Branch(test=test, yes=yes, no=no):
                self.block(yes if self.truth(self.evaluate(test, frame)) else no, frame)
            case ir.For():
                self.loop(node, frame)
            case ir.While():
                self.repeat(node, frame)
            case ir.Return(value=value):
                raise _Leave("return", self.evaluate(value, frame))
            case ir.Leave(how=how):
                raise _Leave(how)
            case ir.Raise(value=value):
                raise _Leave("raise", error_name(value, node.place))
            case ir.Define(name=name, function=closure):
                frame.variables[name] = Fn(closure.function, frame)
            case _:
                raise self.path.refuse(f"a statement {type(node).__name__}")

    def loop(self, node: ir.For, frame: Frame) -> None:
        """Run a loop over what has a public length."""
        over = self.evaluate(node.iterable, frame)
        with expressions.unchanged(over):
            for value in self.entries(over):
                self.path.step(node.place)
                self.assign(node.target, value, frame)
                try:
                    self.block(node.body, frame)
                except _Leave as leave:
                    if leave.how == "break":
                        return
                    if leave.how != "continue":
                        raise
        self.block(node.otherwise, frame)

    def repeat(self, node: ir.While, frame: Frame) -> None:
        """Run a loop for as long as its test holds."""
        while self.truth(self.evaluate(node.test, frame)):
            self.path.step(node.place)
            try:
                self.block(node.body, frame)
            except _Leave as leave:
                if leave.how == "break":
                    return
                if leave.how != "continue":
                    raise
        self.block(node.otherwise, frame)

    def assign(self, target: ir.Target, value: Any, frame: Frame) -> None:
        """Bind a name, several, or an entry of a container."""
        match target:
            case ir.Name(id=name):
                frame.variables[name] = value
            case ir.Sequence(items=targets) if not any(isinstance(t, ir.Starred) for t in targets):
                values = self.entries(value)
                if len(values) != len(targets):
                    raise self.path.refuse("as many values as targets are wanted")
                for each, entry in zip(targets, values, strict=True):
                    self.assign(each, entry, frame)  # type: ignore[arg-type]
            case ir.Subscript(value=holder, index=index):
                self.store(self.evaluate(holder, frame), self.evaluate(index, frame), value)
            case _:
                raise self.path.refuse("such a target")

    def store(self, holder: Any, index: Any, value: Any) -> None:
        """Change a container in place, which all who hold it see."""
        self.changes()
        if not isinstance(holder, Items) or holder.locked or not isinstance(index, Const):
            raise self.path.refuse("a change in place of what is not a list or dict made here")
        at = index.value
        if holder.kind == "dict":
            if not isinstance(at, str | int | float) or at != at:
                raise self.path.refuse("such a key")
            if at in holder.keys:
                holder.items[holder.keys.index(at)] = value
            else:
                holder.keys.append(at)
                holder.items.append(value)
            return
        if type(at) is not int or not -len(holder.items) <= at < len(holder.items):
            raise self.path.refuse("such an index")
        if holder.kind == "array":
            if not isinstance(value, Ref | Const) or not holder.floats:
                raise self.path.refuse("such an entry of an array")
            value = self.cast("float", value)
        if holder.kind == "tuple":
            raise self.path.refuse("a change of a tuple")
        holder.items[at] = value

    def update(self, node: ir.Update, frame: Frame) -> None:
        """``target op= value``: in place for lists and arrays, else a new value for the name."""
        target, value = node.target, self.evaluate(node.value, frame)
        prim = names.PRIMITIVES.get(node.function)
        if isinstance(target, ir.Name):
            old = self.lookup(target.id, frame)
        elif isinstance(target, ir.Subscript):
            old = self.subscript(self.evaluate(target.value, frame),
                                 self.evaluate(target.index, frame))  # fmt: skip
        else:
            raise self.path.refuse("such a target")
        if isinstance(old, Items):
            new = self.changed_in_place(old, prim, value)
        elif isinstance(old, Ref) and old.shape in ("rows", "list", "table"):
            raise self.path.refuse("the records changed in place")
        elif isinstance(old, Const) and not isinstance(old.value, int | float | str | tuple):
            raise self.path.refuse("a constant changed in place")
        else:
            new = self.function(node.function, [old, value], {})
        self.assign(target, new, frame)

    def changed_in_place(self, old: Items, prim: str | None, value: Any) -> Any:
        """Return a container after ``op=`` on it."""
        self.changes()
        if old.kind == "tuple":
            return self.function("operator.add", [old, value], {})
        if old.locked:
            raise self.path.refuse("a change in place of what another holds")
        if old.kind == "list" and prim == "add":
            old.items.extend(self.entries(value))
        elif old.kind == "array" and prim in ("add", "sub", "mul", "div"):
            new = broadcast(self, prim, [replace(old), value])
            if not isinstance(new, Items) or len(new.items) != len(old.items):
                raise self.path.refuse("an array changed in place")
            old.items[:] = [self.cast("float", item) for item in new.items]
        else:
            raise self.path.refuse("such a change in place")
        return old


__all__ = ["Machine", "lower"]
