"""Displays of objects that a function goes through, written out: a variable for each object.

``for m in (Sum(1), Count(2)): out.append(m.release(data))`` calls another method in each round.
What is lifted has one class for each variable, so that the display becomes a variable for each of
its items, and a loop over it one copy of its body for each. So do comprehensions, and ``zip``,
``enumerate``, ``items`` and ``values`` of displays. A display that is used in any other way, or
that may be looked at from elsewhere, stays as it is.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator
from typing import Any

from dpaudit.formal.lifting.displays import (
    AS_IN_PYTHON,
    Displays,
    Round,
    assigned,
    binds,
    filled,
    holds_objects,
    is_display,
    item_of,
    leaves,
    looked_up,
    makes_object,
    parts_of,
    placed,
    round_of,
    rounds_of,
)
from dpaudit.formal.lifting.flow_syntax import bound_names, is_stored, leaves_loop
from dpaudit.formal.lifting.named_displays import name_displays

_DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_EARLY = {"sum", "list", "tuple", "dict", "sorted"}  # ask for all values of a generator at once
_BUILTINS = {*_EARLY, "zip", "enumerate", "len", "range"}


def spelled_out(tree: ast.Module) -> ast.Module:
    """Return a module without displays of objects that are only gone through; the tree is changed.

    Parameters
    ----------
    tree : Module
    """
    bound = {node.name for node in _outside_classes(tree)}
    for node in ast.walk(tree):
        bound |= set() if isinstance(node, _DEFINED) else bound_names(node)
    if not bound & {*_BUILTINS, "*"}:
        for function in [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]:
            _spell(function)
    return tree


def _outside_classes(node: ast.AST) -> Iterator[Any]:
    """Yield the functions and classes that stand directly in no class."""
    for child in ast.iter_child_nodes(node):
        named = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if named and not isinstance(node, ast.ClassDef):
            yield child
        yield from _outside_classes(child)


def _spell(function: ast.FunctionDef) -> None:
    """Write out the displays of one function, its own blocks changed."""
    made = _objects(function)
    if not made:
        return
    local = {name for node in ast.walk(function) for name in bound_names(node)}
    builtins = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)} & _BUILTINS
    before = ast.dump(function)
    for block in list(_blocks(function)):
        name_displays(block, made, local)
    displays = _own(function)
    while True:
        found = _Uses(function, displays)
        found.visit(function)
        named = Counter(n.id for n in ast.walk(function) if isinstance(n, ast.Name))
        left = {n: d for n, d in displays.items() if named[n] == 1 + found.names[n]}
        left = _with_objects(left, found.together, made)
        if len(left) == len(displays):
            break
        displays = left
    if displays:
        _Exchange(displays, found.rounds).visit(function)
    if builtins and ast.dump(function) != before:
        first = function.body[0]
        kept = [ast.Expr(ast.Name(AS_IN_PYTHON + name, ast.Load())) for name in sorted(builtins)]
        function.body[:0] = [placed(each, first) for each in kept]


def _objects(function: ast.FunctionDef) -> set[str]:
    """Return the variables that are given an object somewhere, and a mark where any is made."""
    found = {
        "·" for node in ast.walk(function) if isinstance(node, ast.Call) and makes_object(node)
    }
    for node in ast.walk(function):
        for target, value in _pairs(node) if isinstance(node, ast.Assign) else ():
            each = value.elt if isinstance(value, ast.ListComp) else value
            held = makes_object(each) or any(map(makes_object, leaves(value)))
            found |= {target.id} if isinstance(target, ast.Name) and held else set()
    return found


def _pairs(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what an assignment gives to what, the parts of tuples one by one."""
    for target in node.targets:
        yield target, node.value
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(target.elts, node.value.elts, strict=False)


def _blocks(function: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of a function, without those of the functions inside."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        block = getattr(function, field, None)
        if not isinstance(block, list):
            continue
        if field not in ("handlers", "cases"):
            yield block
        for each in block:
            if not isinstance(each, _FUNCTIONS):
                yield from _blocks(each)


def _own(function: ast.FunctionDef) -> Displays:
    """Return the displays that a function gives to variables which it binds once, where they are.

    All else that names such a variable stands behind, in the same block, and in no function inside.
    """
    found: Displays = {}
    for block in _blocks(function):
        for at, statement in enumerate(block):
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    pass
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    pass
                case _:
                    continue
            if is_display(value) and _is_seen_here(function, name, block[at + 1 :]):
                found[name] = value
    return found


def _is_seen_here(function: ast.FunctionDef, name: str, later: list[ast.stmt]) -> bool:
    every = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name]
    behind = [n for s in later for n in _outside_functions(s) if isinstance(n, ast.Name)]
    read = [n for n in behind if n.id == name and isinstance(n.ctx, ast.Load)]
    others = (ast.Global, ast.Nonlocal)
    kept = any(isinstance(n, others) and name in n.names for n in ast.walk(function))
    bound = any(name in bound_names(n) for n in ast.walk(function) if not is_stored(n))
    return len(every) == 1 + len(read) and not kept and not bound


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    if not isinstance(node, _FUNCTIONS):
        yield node
        for child in ast.iter_child_nodes(node):
            yield from _outside_functions(child)


def _with_objects(displays: Displays, together: list[set[str]], made: set[str]) -> Displays:
    """Return the displays of objects, and those that are gone through beside one."""
    kept = {name for name, value in displays.items() if holds_objects(value, made)}
    while more := {n for names in together if names & kept for n in names if n in displays} - kept:
        kept |= more
    return {name: value for name, value in displays.items() if name in kept}


class _Uses(ast.NodeVisitor):
    """The loops of a function over displays that can be written out, and what they name."""

    def __init__(self, function: ast.FunctionDef, displays: Displays) -> None:
        self.function = function
        self.displays = displays
        self.names: Counter[str] = Counter()
        self.together: list[set[str]] = []
        self.rounds: dict[int, list[Round]] = {}  # by the id of the loop

    def rounds_in(self, node: Any) -> list[Round] | None:
        """Return what each round of a loop, or a comprehension of one clause, is given."""
        clause = node if isinstance(node, ast.For) else node.generators[0]
        given = rounds_of(clause.iter, self.displays)
        if given is None or len(getattr(node, "generators", [0])) > 1:
            return None
        rounds = [one for part in given[0] if (one := round_of(clause.target, part)) is not None]
        if len(rounds) < len(given[0]):
            return None
        loop = isinstance(node, ast.For)
        fits = self.fits_loop(node, rounds) if loop else _fits_comprehension(node)
        return rounds if fits else None

    def fits_loop(self, loop: ast.For, rounds: list[Round]) -> bool:
        """Return whether a loop goes to its end, and what it holds objects in is named in it alone.

        Parameters
        ----------
        loop : For
        rounds : list of dict
        """
        body, names = ast.Module(loop.body, []), _names(loop.target)
        inside = any(isinstance(n, (*_FUNCTIONS, ast.GeneratorExp)) for n in ast.walk(body))
        if loop.orelse or inside or binds(body, names) or any(map(leaves_loop, loop.body)):
            return False
        around = [n for n in ast.walk(self.function) if isinstance(n, ast.Global | ast.Nonlocal)]
        held = {n for each in rounds for n, v in each.items() if not isinstance(v, ast.Constant)}
        own = {id(n) for one in _binding(self.function, held) for n in ast.walk(one)}
        every = (n for n in ast.walk(self.function) if isinstance(n, ast.Name) and n.id in held)
        return not around and all(id(n) in own for n in every)

    def visit(self, node: ast.AST) -> None:
        """Count what stands in a place that can be replaced."""
        if isinstance(node, ast.For | ast.ListComp | ast.SetComp | ast.DictComp):
            self.count(node)
        elif isinstance(node, ast.Call) and _asks_all(node):
            self.count(node.args[0])
        elif isinstance(node, ast.Subscript | ast.Call):
            name = looked_up(node, self.displays)
            self.names[name] += name != ""
        self.generic_visit(node)

    def count(self, node: Any) -> None:
        """Count the displays that a loop goes through."""
        rounds = self.rounds_in(node)
        if rounds is None:
            return
        self.rounds[id(node)] = rounds
        clause = node if isinstance(node, ast.For) else node.generators[0]
        named = [n.id for n in ast.walk(clause.iter) if isinstance(n, ast.Name)]
        self.names += Counter(n for n in named if n in self.displays)
        self.together.append({n for n in named if n in self.displays})


def _names(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def _binding(function: ast.AST, names: set[str]) -> Iterator[ast.AST]:
    """Yield the loops and comprehensions that bind all of several names."""
    for node in ast.walk(function):
        clauses = node.generators[:1] if isinstance(node, _COMPREHENSIONS) else []
        for each in [node] if isinstance(node, ast.For) and not node.orelse else clauses:
            if names <= _names(each.target) and not any(
                isinstance(n, ast.Name) and n.id in names for n in ast.walk(each.iter)
            ):
                yield node


def _fits_comprehension(node: Any) -> bool:
    inside = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    parts = [part for one in inside for part in ast.walk(one)]
    kept = any(isinstance(p, (*_FUNCTIONS, ast.NamedExpr, ast.GeneratorExp)) for p in parts)
    (clause,) = node.generators
    bound = any(binds(one, _names(clause.target)) for one in inside)
    return not kept and not clause.ifs and not bound


def _asks_all(node: ast.Call) -> bool:
    """Return whether a call asks for all values of a generator expression at once."""
    named = isinstance(node.func, ast.Name) and node.func.id in _EARLY
    return named and len(node.args) == 1 and not node.keywords and _is_generator(node.args[0])


def _is_generator(node: ast.expr) -> bool:
    return isinstance(node, ast.GeneratorExp)


class _Exchange(ast.NodeTransformer):
    """Puts variables in the place of displays."""

    def __init__(self, displays: Displays, rounds: dict[int, list[Round]]) -> None:
        self.displays = displays
        self.rounds = rounds

    def visit_Assign(self, node: ast.Assign) -> Any:
        """Return the assignments of the items of a display."""
        (to, *_) = node.targets
        self.generic_visit(node)
        name = to.id if isinstance(to, ast.Name) else ""
        return [*assigned(name, node.value)] if name in self.displays else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        """Return the assignments of the items of a display."""
        self.generic_visit(node)
        name = node.target.id if isinstance(node.target, ast.Name) else ""
        of = node.value if name in self.displays else None
        return node if of is None else [*assigned(name, of)]

    def visit_For(self, node: ast.For) -> Any:
        """Return the rounds of a loop one after the other."""
        rounds = self.rounds.get(id(node))
        self.generic_visit(node)
        if rounds is None:
            return node
        found: list[ast.stmt] = []
        for held in rounds:
            for name, part in held.items():
                if isinstance(part, ast.Constant):
                    to = ast.Name(name, ast.Store())
                    found.append(placed(ast.Assign([to], copy.copy(part)), node))
            found += [filled(each, held) for each in node.body]
        return found

    def visit_ListComp(self, node: Any) -> Any:
        """Return the values of a comprehension as a display."""
        rounds = self.rounds.get(id(node))
        self.generic_visit(node)
        if rounds is None:
            return node
        if isinstance(node, ast.DictComp):
            keys = [filled(node.key, held) for held in rounds]
            made: ast.expr = ast.Dict(keys, [filled(node.value, held) for held in rounds])
        else:
            items = [filled(node.elt, held) for held in rounds]
            made = ast.Set(items) if isinstance(node, ast.SetComp) else ast.List(items, ast.Load())
        return placed(made, node)

    visit_SetComp = visit_DictComp = visit_ListComp  # noqa: N815

    def visit_Call(self, node: ast.Call) -> Any:
        """Return a call that goes through a generator expression with a list, and lengths."""
        if _asks_all(node):
            node.args = [self.visit_ListComp(node.args[0])]
            return node
        name = looked_up(node, self.displays)
        self.generic_visit(node)
        return (
            placed(ast.Constant(len(parts_of(name, self.displays[name]))), node) if name else node
        )

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        """Return the variable of an item that is looked up."""
        found = item_of(node, self.displays) if looked_up(node, self.displays) else None
        self.generic_visit(node)
        return node if found is None else placed(copy.deepcopy(found), node)
