"""Keys of an output: the line that forms which of them there are, or that lets one through."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from dpaudit.trace.accumulators import FILLING, named
from dpaudit.trace.definitions import Spot
from dpaudit.trace.forms import takes_end
from dpaudit.trace.parts import around, is_reference
from dpaudit.trace.sampling import OfRelease

_DEEPEST = 8
KINDS = ("DPA108", "DPA109")
_WRAPPERS = frozenset(
    {
        *("list", "tuple", "dict", "sorted", "reversed", "enumerate", "round", "asarray", "array"),
        *("DataFrame", "Series", "items", "keys", "values", "to_dict", "tolist", "copy"),
        *("reset_index", "to_frame", "to_list", "sort_index", "sort_values", "join", "astype"),
    }
)
_VIEWS = frozenset({"index", "values", "columns", "T"})
_CHOOSING = frozenset({"argmax", "argmin", "max", "min", "index", "idxmax", "idxmin"})
_FORMING = frozenset({"set", "unique", "Counter", "groupby", "value_counts", "fromkeys"})
_GRIDS = frozenset({"linspace", "arange", "histogram", "digitize", "cut", "range", "geomspace"})


class Keys(OfRelease):
    """What the keys, the labels or the branches of an output come from.

    Notes
    -----
    A line that returns them or hands them on gives way to the one that forms them. An entry that is
    set in a loop over keys of the data has them from what the loop goes through; where the loop
    goes through what is public, the test that lets it through is private (DPA108). A test of what a
    helper with noise has returned tells nothing more: what that returns is looked at.
    """

    def further(self, spot: Spot, kind: str) -> tuple[int, str] | None:
        """Return the line that forms what a line only hands on, with its kind.

        Parameters
        ----------
        spot : Spot
        kind : str
        """
        found = self._placed(spot, kind) or self._let_through(spot)
        found = found or self._chosen(spot) or self._any_keys(spot)
        if found is not None:
            return found
        line = (self._ended(spot) if kind == "DPA109" else None) or self._handed_back(spot)
        return None if line is None else (line, kind)

    def _placed(self, spot: Spot, kind: str) -> tuple[int, str] | None:
        """Return the loop or the test for which a line sets an entry, puts in or yields."""
        keys = _keys_in(spot.statement)
        loops, tests = [], []
        heads = around(spot.function, spot.statement) if keys else []
        for node in heads:
            if isinstance(node, ast.For) and _names(node.target) & keys:
                if not self._code.is_public(spot, node.iter):
                    loops.append(node)
            elif isinstance(node, ast.If) and self._is_private(spot, node.test, heads):
                tests.append(node.test.lineno)
        if tests and (kind == "DPA108" or not loops):
            return tests[0], "DPA108"
        if not loops or is_reference(loops[0].iter):
            return None  # a loop through records, whose values are the keys
        gone = self._carrier(spot, loops[0].iter)
        return (self._line_of(spot, gone) or loops[0].iter.lineno), kind

    def _let_through(self, spot: Spot) -> tuple[int, str] | None:
        """Return the line that puts in a value without noise, where a test pays for itself alone.

        The test has noise, so that it is no private one.
        """
        noisy = spot.line in self._sampling.drawn
        for node in ast.walk(spot.function) if noisy else ():
            if not isinstance(node, ast.If) or node.test.lineno != spot.line:
                continue
            public = {
                name for head in around(spot.function, node) if isinstance(head, ast.For)
                and self._code.is_public(spot, head.iter) for name in _names(head.target)
            }  # fmt: skip
            tested = {
                side.id for n in ast.walk(node.test)
                if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Add | ast.Sub)
                for side in (n.left, n.right) if isinstance(side, ast.Name)
            } - public  # fmt: skip
            for statement in node.body:
                if _keys_in(statement) & tested:
                    return statement.lineno, "DPA101"
        return None

    def _chosen(self, spot: Spot) -> tuple[int, str] | None:
        """Return the line that chooses without noise which of public labels a line returns."""
        returned = spot.statement.value if isinstance(spot.statement, ast.Return) else None
        for node in ast.walk(returned) if returned is not None else ():
            match node:
                case ast.Subscript(value=ast.Name() as labels, slice=ast.Name() as at) if (
                    self._code.is_public(spot, labels)
                ):
                    formed = self._code.formed(spot, at)
                    if formed is not None and _calls(formed) & _CHOOSING:
                        noisy = formed.lineno in self._sampling.drawn
                        return None if noisy else (formed.lineno, "DPA101")
        return None

    def _any_keys(self, spot: Spot) -> tuple[int, str] | None:
        """Return the line that forms the keys, where a line tests whether there are any."""
        match spot.statement:
            case ast.Expr(
                value=ast.UnaryOp(op=ast.Not(), operand=ast.Name() as keys)
                | ast.Compare(
                    left=ast.Call(func=ast.Name(id="len"), args=[ast.Name() as keys]),
                    comparators=[ast.Constant(value=0 | 1)],
                )
                | (ast.Name() as keys)
            ):
                line = self._keyed_at(spot, keys)
                return None if line is None else (line, "DPA109")
        return None

    def _keyed_at(self, spot: Spot, value: ast.expr, depth: int = 0) -> int | None:
        """Return the line that forms keys of the data, where an expression has them."""
        if _calls(value) & _FORMING:
            return value.lineno
        carrier = self._carrier(spot, value) if depth < _DEEPEST else None
        helper = self._code.called(carrier) if isinstance(carrier, ast.Call) else None
        if helper is not None:
            returned = self._code.returned(helper)
            there = None if returned is None else self._code.spot(returned.lineno)
            return None if there is None or returned is None else (
                self._keyed_at(there, returned, depth + 1)
            )  # fmt: skip
        if not isinstance(carrier, ast.Name):
            return None
        for home, found in self._code.assigned(spot, carrier.id, spot.statement):
            filler = self._code.filler(home)
            filled = isinstance(_target(filler or home.statement), ast.Subscript)
            return found.lineno if filled else self._keyed_at(home, found, depth + 1)
        return None

    def is_constant(self, spot: Spot) -> tuple[int, str] | None:
        """Return the test for which a line returns a constant, which tells nothing by itself.

        Parameters
        ----------
        spot : Spot
        """
        match spot.statement:
            case ast.Return(value=ast.Constant()):
                tests = [n.test for n in around(spot.function, spot.statement)
                         if isinstance(n, ast.If)]  # fmt: skip
                private = [t for t in tests if not self._code.is_public(spot, t)]
                return (private[0].lineno, "DPA108") if private else None
        return None

    def counted(self, spot: Spot) -> tuple[int, str] | None:
        """Return the private test that ends a public loop, whose rounds a line only counts.

        Parameters
        ----------
        spot : Spot
        """
        match spot.statement:
            case ast.AugAssign(value=ast.Constant()):
                loops = [n for n in around(spot.function, spot.statement)
                         if isinstance(n, ast.For | ast.While)]  # fmt: skip
            case _:
                return None
        if not loops or (
            isinstance(loops[0], ast.For) and not self._code.is_public(spot, loops[0].iter)
        ):
            return None
        tests = [
            node.test for node in loops[0].body
            if isinstance(node, ast.If) and isinstance(node.body[-1], ast.Break | ast.Return)
        ]  # fmt: skip
        private = [test.lineno for test in tests if not self._code.is_public(spot, test)]
        return (private[0], "DPA108") if len(private) == 1 else None

    def _is_private(self, spot: Spot, test: ast.expr, heads: Sequence[ast.stmt]) -> bool:
        """Whether a test in a loop reads what is set anew for each key, and has no noise."""
        set_anew = {
            name: statement
            for head in heads if isinstance(head, ast.For | ast.While)
            for statement in ast.walk(head)
            if isinstance(statement, ast.For | ast.Assign)
            for name in _names_set(statement)
        }  # fmt: skip
        noisy = {
            name for name, statement in set_anew.items()
            if isinstance(statement, ast.Assign) and self._is_noisy(statement)
        }  # fmt: skip
        return bool(_names(test) & (set_anew.keys() - noisy))

    def _is_noisy(self, statement: ast.stmt) -> bool:
        """Whether a statement draws noise, or calls a function of the user's that does."""
        lines = range(statement.lineno, (statement.end_lineno or 0) + 1)
        if any(line in lines for line in self._sampling.drawn):
            return True
        calls = (n for n in ast.walk(statement) if isinstance(n, ast.Call))
        return any(self._draws(call) for call in calls)

    def _draws(self, call: ast.Call) -> bool:
        helper = self._code.called(call)
        return helper is not None and self._sampling.draws_in(helper)

    def _ended(self, spot: Spot) -> int | None:
        """Return the line that takes the ends between which a line makes a grid."""
        match spot.statement:
            case ast.Assign(value=ast.Call(func=function, args=given)) if named(function) in _GRIDS:
                formed = [self._code.formed(spot, n) for n in given if isinstance(n, ast.Name)]
                ends = {e.lineno for e in formed if e is not None and takes_end(ast.unparse(e))}
                return ends.pop() if len(ends) == 1 else None
        return None

    def _handed_back(self, spot: Spot) -> int | None:
        """Return the line that forms what a line returns, names anew or only wraps."""
        match spot.statement:
            case (
                ast.Return(value=ast.IfExp(test=test))
                | ast.Assign(value=ast.IfExp(test=test))
                | ast.Expr(value=ast.expr() as test)
            ):
                return self._tested(spot, test)
            case (
                ast.Return(value=ast.Subscript(value=ast.Name() as labels, slice=ast.Name() as at))
                | ast.Assign(
                    value=ast.Subscript(value=ast.Name() as labels, slice=ast.Name() as at)
                )
            ) if isinstance(self._code.formed(spot, at), ast.Call):  # positions, and no mask
                return self._keyed_at(spot, labels)
            case ast.Return(value=ast.expr() as value) | ast.Assign(value=value):
                return self._line_of(spot, self._carrier(spot, value))
        return None

    def _tested(self, spot: Spot, test: ast.expr) -> int | None:
        """Return what a helper with noise returns, where a test reads that alone."""
        read = {n.id: n for n in ast.walk(test) if isinstance(n, ast.Name)}
        if len(read) != 1 or any(isinstance(n, ast.Attribute) for n in ast.walk(test)):
            return None
        [name] = read.values()
        formed = self._code.formed(spot, name)
        if not isinstance(formed, ast.Call) or not self._draws(formed):
            return None
        return self._line_of(spot, formed)

    def _line_of(self, spot: Spot, carrier: ast.expr | None) -> int | None:
        """Return the line that forms what a variable holds, or what a function returns."""
        helper = self._code.called(carrier) if isinstance(carrier, ast.Call) else None
        if helper is not None:
            returned = self._code.returned(helper)
            return None if returned is None else returned.lineno
        name = carrier.id if isinstance(carrier, ast.Name) else ""
        for _, value in self._code.assigned(spot, name, spot.statement) if name else ():
            return value.lineno  # whatever it is that is put in, the keys are set there
        if carrier is None or not is_reference(carrier):
            return None
        formed = self._code.formed(spot, carrier)
        return None if formed is None else formed.lineno

    def _carrier(self, spot: Spot, value: ast.expr | None) -> ast.expr | None:
        """Return the variable or the call of a user's function whose keys an expression has."""
        while value is not None:
            match value:
                case ast.Attribute(value=inner, attr=name) if name in _VIEWS:
                    value = inner
                case ast.Name() | ast.Attribute():
                    return value
                case ast.Call(args=given) if self._code.called(value) is not None:
                    named_alone = all(is_reference(e) or self._is_constant(e) for e in given)
                    return value if named_alone else None
                case ast.Call(func=function, args=given) if named(function) in _WRAPPERS:
                    base = [function.value] if isinstance(function, ast.Attribute) else []
                    held = [e for e in (*base, *given) if not self._is_constant(e)]
                    value = held[0] if len(held) == 1 else None
                case ast.DictComp(generators=[each]) | ast.ListComp(generators=[each]):
                    public = self._code.is_public(spot, each.iter)
                    value = None if each.ifs or public else each.iter
                case ast.Subscript(value=inner, slice=ast.Slice() | ast.Constant()):
                    value = inner
                case _:
                    return None
        return None

    def _is_constant(self, value: ast.expr) -> bool:
        """Whether an expression is a number, a text or a name of a library."""
        if isinstance(value, ast.Name):
            return self._code.is_module(value)
        return not any(isinstance(n, ast.Name) for n in ast.walk(value))


def _target(statement: ast.stmt) -> ast.expr | None:
    match statement:
        case ast.Assign(targets=[target]) | ast.AugAssign(target=target):
            return target
    return None


def _keys_in(statement: ast.stmt) -> set[str]:
    """Return the names in a key that a statement sets, or in what it puts in or yields."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(slice=key)]):
            return _names(key)
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name), args=given)) if name in FILLING:
            return {each for value in given for each in _names(value)}
        case ast.Expr(value=ast.Yield(value=ast.expr() as value)):
            return _names(value)
    return set()


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _names_set(statement: ast.For | ast.Assign) -> set[str]:
    targets = [statement.target] if isinstance(statement, ast.For) else statement.targets
    return {n.id for t in targets for n in ast.walk(t)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}  # fmt: skip


def _calls(node: ast.AST) -> set[str]:
    return {named(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
