"""What the body of a loop over records does to a record that stands for all of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dpaudit.formal import program as ir
from dpaudit.formal.assign import assign
from dpaudit.formal.calls import apply
from dpaudit.formal.constants import constant
from dpaudit.formal.domain import Array, Number, Rows, Table, Tuple, Value
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported
from dpaudit.formal.words import in_words

if TYPE_CHECKING:
    from dpaudit.formal.walk import Walk


_MISSING = object()


def rows_of(value: Value) -> Rows | None:
    """Return the records that an iteration over a value goes through one by one."""
    if isinstance(value, Table) and value.container in ("array", "list"):
        return value.rows
    if isinstance(value, Array) and not value.element and value.shape:
        axis = value.shape[0]
        if isinstance(axis, Rows):
            return axis
    return None


def element_of(value: Array | Table) -> Value:
    """Return what stands for each of the records."""
    if isinstance(value, Table):
        columns = {name: element_of(column) for name, column in value.columns.items()}
        return replace(value, columns=columns, element=True)
    if len(value.shape) != 1:
        raise Unsupported("a loop over rows of several entries")
    return replace(value, element=True, container="array" if value.container == "array" else "list")


@dataclass(slots=True)
class Body:
    """What an iteration leaves behind."""

    walk: Walk
    rows: Rows
    place: Place
    carried: set[str]
    added: dict[str, list[Value]] = field(default_factory=dict)
    extremes: dict[str, tuple[str, list[tuple[Value, Value | None]]]] = field(default_factory=dict)
    appended: dict[str, list[tuple[Value, Value | None]]] = field(default_factory=dict)
    conditional: set[str] = field(default_factory=set)

    def refuse(self, what: str, place: Place) -> Unsupported:
        """Return what is to be raised."""
        return Unsupported(f"{what} in a loop over records", place)

    def run(self, body: tuple[ir.Statement, ...], mask: Value | None) -> Value | bool | None:
        """Run statements for the records of the mask; return the mask of those that go on.

        False stands for none.
        """
        for statement in body:
            match statement:
                case ir.Update(target=ir.Name(id=name)) if name in self.carried:
                    self._update(statement, name, mask)
                case ir.Assign(target=ir.Name(id=name)) if name in self.carried:
                    self._assign(statement, name, mask)
                case ir.Assign(target=target, value=value):
                    self._bind(target, self.walk.evaluate(value), mask, statement.place)
                case ir.Update(target=ir.Name(id=name), function=function, value=value):
                    old = self.walk.evaluate(statement.target)
                    new = self.call(function, [old, self.walk.evaluate(value)], statement.place)
                    self._bind(statement.target, new, mask, statement.place)
                case ir.Evaluate(value=ir.Call(function="method.append") as call):
                    self._append(call, mask)
                case ir.Branch():
                    going = self._branch(statement, mask)
                    if going is False:
                        return False
                    mask = going
                case ir.Leave(how="continue"):
                    return False
                case _:
                    raise self.refuse(in_words(statement), statement.place)
        return mask

    def call(self, name: str, args: list[Value], place: Place) -> Value:
        """Return the value of a call."""
        return apply(self.walk, name, args, {}, place)

    def _both(self, one: Value | None, other: Value, place: Place) -> Value:
        return other if one is None else self.call("operator.and_", [one, other], place)

    def _branch(self, node: ir.Branch, mask: Value | None) -> Any:
        test = self.walk.evaluate(node.test)
        if not (isinstance(test, Array) and test.element):
            outcome = self.walk.truth(test, node.place)
            if outcome is None:
                raise self.refuse("a test on private totals", node.place)
            return self.run(node.yes if outcome else node.no, mask)
        if not test.boolean:
            test = self.call("operator.ne", [test, constant(0)], node.place)
        contrary = self.call("numpy.logical_not", [test], node.place)
        before = (
            self._both(mask, test, node.place),
            self._both(mask, contrary, node.place),
        )
        after = [self.run(side, m) for side, m in zip((node.yes, node.no), before, strict=True)]
        if after[0] is before[0] and after[1] is before[1]:
            return mask
        going = [m for m in after if m is not None and not isinstance(m, bool)]
        if len(going) < 2:
            return going[0] if going else False
        return self.call("operator.or_", going, node.place)

    def _bind(self, target: Any, value: Value, mask: Value | None, place: Place) -> None:
        if mask is None:
            assign(self.walk, target, value)
            return
        if not isinstance(target, ir.Name):
            raise self.refuse("an assignment to several names under a test", place)
        variables = self.walk.frames[-1].variables
        old = variables.get(target.id, _MISSING)
        if old is _MISSING:
            variables[target.id] = value  # read again only where it was set, or refused below
            self.conditional.add(target.id)
            return
        variables[target.id] = self.call("numpy.where", [mask, value, old], place)

    def _masked(self, value: Value, mask: Value | None, place: Place) -> Value:
        if mask is None:
            return value
        return self.call("numpy.where", [mask, value, constant(0)], place)

    def _update(self, node: ir.Update, name: str, mask: Value | None) -> None:
        if node.function not in ("operator.iadd", "operator.isub"):
            raise self.refuse(f"`{name}` changed by {node.function}", node.place)
        self._add(name, self.walk.evaluate(node.value), node.function == "operator.isub", mask,
                  node.place)  # fmt: skip

    def _add(self, name: str, value: Value, minus: bool, mask: Value | None, place: Place) -> None:
        if minus:
            value = self.call("operator.neg", [value], place)
        if name in self.extremes or name in self.appended:
            raise self.refuse(f"`{name}` changed in two ways", place)
        self.added.setdefault(name, []).append(self._masked(value, mask, place))

    def _assign(self, node: ir.Assign, name: str, mask: Value | None) -> None:
        match node.value:
            case ir.Call(function="operator.add", arguments=(ir.Name(id=left), other)) if (
                left == name
            ):
                self._add(name, self.walk.evaluate(other), False, mask, node.place)
            case ir.Call(function="operator.add", arguments=(other, ir.Name(id=right))) if (
                right == name
            ):
                self._add(name, self.walk.evaluate(other), False, mask, node.place)
            case ir.Call(
                function="builtins.max" | "builtins.min" as which,
                arguments=(ir.Name(id=left), other), keywords=(),
            ) if left == name:  # fmt: skip
                known = self.extremes.setdefault(name, (str(which), []))
                if known[0] != which or name in self.added:
                    raise self.refuse(f"`{name}` changed in two ways", node.place)
                known[1].append((self.walk.evaluate(other), mask))
            case _:
                raise self.refuse(f"`{name}`, which depends on earlier records,", node.place)

    def _append(self, call: ir.Call, mask: Value | None) -> None:
        target = call.arguments[0]
        if not isinstance(target, ir.Name) or len(call.arguments) != 2:
            raise self.refuse("a change inside of a container", call.place)
        if target.id not in self.carried:
            raise self.refuse(f"`{target.id}`, which is not set before,", call.place)
        known = self.appended.setdefault(target.id, [])
        if known or target.id in self.added:
            raise self.refuse(f"`{target.id}` changed in two ways", call.place)
        known.append((self.walk.evaluate(call.arguments[1]), mask))


def entries_of(body: Body, entry: Value) -> Value:
    """Return the entries of all records as an array."""
    if isinstance(entry, Table) and entry.element and entry.rows is body.rows:
        columns = {name: entries_of(body, column) for name, column in entry.columns.items()}
        return replace(entry, columns=columns, element=False, container="list")
    if isinstance(entry, Array) and entry.element:
        return replace(entry, element=False, container="array", dtype=entry.dtype or "float64")
    if isinstance(entry, Number) and entry.public:
        ones = Array(
            (body.rows,), entry.low, entry.high, entry.integer, source=body.rows,
            dtype="int64" if entry.integer else "float64",
            term=("repeated", entry.term, body.rows.id),
        )  # fmt: skip
        from dpaudit.formal.arrays import derived

        return derived(ones)
    if isinstance(entry, Tuple):
        raise body.refuse("several values a record", body.place)
    raise body.refuse("a value that is no number of the record", body.place)
