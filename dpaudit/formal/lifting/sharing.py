"""Which variables of a module may hold one object, and which objects a function may change.

A variable stands for two nodes of a graph: the object that it holds, and whatever is inside of
that. Nodes that may be the same are joined. An object counts as changed unless all that functions
do with it is known to read it: arithmetic, comparisons, subscripts, iteration, and the calls of
`dpaudit.formal.lifting.reading`. What other modules do with it is not seen.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from dpaudit.checker.writing import first_output
from dpaudit.formal.lifting.canonical import LIBRARIES
from dpaudit.formal.lifting.flow import (
    ATTRIBUTE,
    MODULE,
    RETURNED,
    Flow,
    Target,
    Variable,
    inner,
    result_of,
)
from dpaudit.formal.lifting.flow_syntax import parameters_of
from dpaudit.formal.lifting.reading import (
    CHANGING,
    applies,
    calls_functions,
    calls_nothing,
    fills,
    is_reading_method,
    is_writing,
    only_reads,
    states,
    yields_argument,
    yields_array,
    yields_contents,
    yields_object,
    yields_view,
)

_RESULT = -3  # of calls
_PLAIN = frozenset({"shape", "size", "ndim", "dtype"})  # attributes that cannot be changed


class Alias(NamedTuple):
    """What an expression may yield: an object of a variable, or a new one that holds such."""

    whole: Variable | None
    inside: Variable


class _Given(NamedTuple):
    keyword: str | None
    aliases: frozenset[Alias]
    node: ast.expr
    root: Variable | None
    path: tuple[str, ...]
    cells: frozenset[Alias]  # what a frame holds that is made from it


@dataclass(frozen=True, eq=False, slots=True)
class _Call:
    root: Variable | None
    path: tuple[str, ...]
    callee: frozenset[Alias]  # of the object that a method is of, or of what is called
    given: tuple[_Given, ...]
    inside: bool
    result: Variable
    of: Variable | None  # the object's variable, or the class that is called to make it


def _part(alias: Alias) -> Alias:
    return Alias(alias.inside, alias.inside)


def _around(aliases: Iterable[Alias]) -> set[Alias]:
    """Return aliases of a new object that holds these."""
    return {Alias(None, v) for a in aliases for v in (a.whole, a.inside) if v is not None}


@dataclass(eq=False)
class Sharing:
    """Reads the statements of a module that share or change objects.

    Attributes
    ----------
    flow : Flow
        Into which the graph goes.
    variable : callable
        What a name stands for where it is read.
    is_inside : callable
        Whether the code that is read runs in a function.
    foreign : callable
        The graph of another module of the user's, None where it cannot be read.
    methods : dict of str to list of Target
        Of all classes, by name.
    returning : list of (Variable or None, node)
        Names and lambdas in what functions return: some are functions.
    classes : dict of Variable to str
    fields : dict of str to list of str
        Names that the body of a class annotates.
    lambdas : dict of int to Target
        By the id of their node.
    owners : dict of int to str
        The class of the object that a method is given first, by the method's scope.
    parameters : set of Variable
    special : set of str
        Classes of which a call may yield something else than an object of theirs.
    makers : dict of Variable to list
        The class that a variable's value is made from, once for each assignment; None for others.
    """

    flow: Flow
    variable: Callable[[str], Variable]
    is_inside: Callable[[], bool]
    foreign: Callable[[str], Flow | None]
    methods: dict[str, list[Target]] = field(default_factory=lambda: defaultdict(list))
    classes: dict[Variable, str] = field(default_factory=dict)
    returning: list[tuple[Variable | None, ast.AST]] = field(default_factory=list)
    fields: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    lambdas: dict[int, Target] = field(default_factory=dict)
    owners: dict[int, str] = field(default_factory=dict)
    parameters: set[Variable] = field(default_factory=set)
    special: set[str] = field(default_factory=set)
    makers: dict[Variable, list[Variable | None]] = field(default_factory=lambda: defaultdict(list))
    _calls: list[_Call] = field(default_factory=list)
    _results: dict[int, Variable] = field(default_factory=dict)

    def aliases(self, node: ast.AST | None) -> set[Alias]:
        """Return what an expression may yield of the objects that variables hold."""
        match node:
            case ast.Name():
                variable = self.variable(node.id)
                return {Alias(variable, inner(variable))}
            case ast.Attribute(attr=name) if name in _PLAIN:
                return set()
            case ast.Attribute():
                named = ATTRIBUTE, node.attr
                return {Alias(named, inner(named))} | self.aliases(node.value)
            case ast.Subscript() | ast.Starred():
                return {_part(alias) for alias in self.aliases(node.value)}
            case ast.NamedExpr() | ast.Await():
                return self.aliases(node.value)
            case ast.IfExp():
                return self.aliases(node.body) | self.aliases(node.orelse)
            case ast.BoolOp():
                return {a for part in node.values for a in self.aliases(part)}
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                return _around(a for part in parts for a in self.aliases(part))
            case ast.Dict(values=parts):
                return _around(a for part in parts for a in self.aliases(part))
            case ast.ListComp(elt=part) | ast.GeneratorExp(elt=part) | ast.SetComp(elt=part):
                return _around(self.aliases(part))
            case ast.DictComp():
                return _around(self.aliases(node.value))
            case ast.BinOp(op=ast.Add() | ast.Mult() | ast.BitOr()):  # of lists or dictionaries
                both = self.aliases(node.left) | self.aliases(node.right)
                return {Alias(None, alias.inside) for alias in both}
            case ast.Call():
                result = self._result(node)
                return {Alias(result, inner(result))}
            case ast.Lambda() if id(node) in self.lambdas:  # calls hand out what it returns
                return _around({held((self.lambdas[id(node)].scope, RETURNED))})
        return set()

    def assign(self, target: ast.AST, value: ast.AST | None, *, making: bool = False) -> None:
        """Read ``target = value``."""
        match target, value:
            case [ast.Tuple(elts=targets) | ast.List(elts=targets), ast.Tuple(elts=values)] if len(
                targets
            ) == len(values) and not any(isinstance(e, ast.Starred) for e in (*targets, *values)):
                for one, other in zip(targets, values, strict=True):
                    self.assign(one, other, making=making)
            case _:
                maker = self._maker(value)
                self.store(target, self.aliases(value), making=making, maker=maker)

    def store(
        self,
        target: ast.AST,
        value: set[Alias],
        *,
        making: bool = False,
        maker: Variable | None = None,
    ) -> None:
        """Read what a target is given; `making` where it is an attribute of a new object."""
        match target:
            case ast.Tuple() | ast.List():
                for element in target.elts:
                    self.store(element, {_part(alias) for alias in value}, making=making)
            case ast.Starred():
                self.store(target.value, _around(value), making=making)
            case ast.Name():
                self.link(self.variable(target.id), value)
                self.makers[self.variable(target.id)].append(maker)
            case ast.Attribute():
                self.link((ATTRIBUTE, target.attr), value)
                self.makers[ATTRIBUTE, target.attr].append(maker)
                if not making:
                    self._change(self.aliases(target.value))
            case ast.Subscript():
                base = self.aliases(target.value)
                self._hold(base, value)
                self._change(base)

    def update(self, target: ast.AST, value: set[Alias]) -> None:
        """Read an assignment such as ``target += value``."""
        holder = self.aliases(target)
        self._hold(holder, {Alias(None, alias.inside) for alias in value})
        self._change(holder)
        if isinstance(target, ast.Subscript | ast.Attribute):
            self._change(self.aliases(target.value))

    def delete(self, target: ast.AST) -> None:
        """Read what is deleted."""
        if isinstance(target, ast.Subscript | ast.Attribute):
            self._change(self.aliases(target.value))

    def give_away(self, values: Iterable[ast.expr]) -> None:
        """Read what an exception is made of, which whoever catches it may change."""
        self._change_all({a for v in values for a in self.aliases(v)}, self.is_inside())

    def parts(self, value: ast.AST | None) -> set[Alias]:
        """Return what iteration over an expression yields."""
        return {_part(alias) for alias in self.aliases(value)}

    def returned(self, scope: int, value: ast.AST | None, *, yielded: bool = False) -> None:
        """Read what a function returns or yields."""
        found = self.aliases(value)
        self.link((scope, RETURNED), _around(found) if yielded else found)
        every = list(ast.walk(value)) if value is not None else []
        called = {part.func for part in every if isinstance(part, ast.Call)}
        for part in every:
            if part in called:
                continue
            if isinstance(part, ast.Lambda):
                self.returning.append((None, part))
            elif isinstance(part, ast.Name):
                self.returning.append((self.variable(part.id), part))

    def attribute(self, node: ast.Attribute) -> None:
        """Read a method that is kept, and may be called later."""
        if node.attr in CHANGING:
            self._change_all(self.aliases(node.value))

    def call(self, node: ast.Call) -> None:
        """Read a call; what it does is known once the whole module has been read."""
        result = self._result(node)
        root, path = self._path(node.func)
        base = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        every = [(None, a) for a in node.args] + [(k.arg or "**", k.value) for k in node.keywords]
        given = tuple(
            _Given(
                keyword, frozenset(self.aliases(a)), a, *self._path(a), frozenset(self._cells(a))
            )
            for keyword, a in every
        )
        callee = frozenset(self.aliases(base))
        of = self._object(base)
        self._calls.append(_Call(root, path, callee, given, self.is_inside(), result, of))

    def _maker(self, node: ast.AST | None) -> Variable | None:
        """Return the variable that is called to make a value, which may be a class."""
        called = node.func if isinstance(node, ast.Call) else None
        return self.variable(called.id) if isinstance(called, ast.Name) else None

    def _object(self, node: ast.expr) -> Variable | None:
        """Return the variable of an object, or what is called where it is made."""
        match node:
            case ast.Name(id=name):
                return self.variable(name)
            case ast.Attribute(attr=name):
                return ATTRIBUTE, name
        return self._maker(node)

    def link(self, variable: Variable, value: Iterable[Alias]) -> None:
        """Let a variable hold what an expression yields."""
        for alias in value:
            if alias.whole is not None:
                self._join(variable, alias.whole)
            self._join(inner(variable), alias.inside)

    def settle(self) -> None:
        """Read the calls, now that every function is known."""
        for call in self._calls:
            self._settle(call)

    def _settle(self, call: _Call) -> None:
        name = self._library_name(call.root, call.path)
        if name is not None and states(name):
            return
        of_library = name is not None and name.partition(".")[0] in LIBRARIES
        if call.root is not None and not call.path and not of_library:
            self.link(call.result, {held(result_of(call.root))})
        method = call.path[-1] if call.path else None
        own = self.flow.functions.get(call.root, []) if call.root and not call.path else []
        own = own or (self.methods.get(method, []) if method and name is None else [])
        made = self.classes.get(call.root) if call.root and not call.path else None
        self._apply_given(call, name)
        uses = self.flow.uses
        if method and name is None and call.given and uses and uses.gives(method, own=False):
            self._change_all(_every(call), call.inside)
        special = made is None or made in self.special
        if name is None and not (call.path or own) and special:
            self._call_of_a_value(call)
        if made is not None:
            self._make(call, made)
            if call.root is not None and self.makers.get(call.root):  # the name is assigned, too
                self._unknown(call, name)
        elif own:
            surely = self._is_own(call, str(method))
            for target in own:
                self._bind(call, target, surely and target.scope in self.owners)
                self._yield(call, {held((target.scope, RETURNED))})
            if method and not (surely or is_reading_method(method)) and call.inside:
                self.flow.called |= {v for a in call.callee for v in a if v is not None}
        elif name is not None and self._foreign_call(call, name):
            pass
        elif name == "copy.deepcopy" and len(call.given) > 1:  # the memo keeps what is copied
            self._unknown(call, name)
        elif name is not None and only_reads(name):
            self._written(call, first_output(name, method=False))
            if yields_array(name) and (yields_view(name) or yields_argument(name)):
                self._share_memory(call, cells=fills(name))
            elif yields_contents(name):
                self.link(call.result, {Alias(None, a.inside) for a in _every(call)})
            elif yields_view(name) or any(g.keyword == "copy" for g in call.given):
                self.link(call.result, _every(call))
            elif yields_argument(name):
                self._yield(call, _every(call))
        elif method is not None and name is None and self._is_reading(call, method):
            self._written(call, first_output(method, method=True))
            if yields_array(method):
                self._share_memory(call, cells=fills(method))
            elif yields_contents(method):
                self.link(call.result, {Alias(None, a.inside) for a in call.callee})
            elif yields_object(method):
                self._yield(call, {*call.callee, *_every(call)})
        else:
            self._unknown(call, name)

    def _is_reading(self, call: _Call, method: str) -> bool:
        """Return whether a method changes nothing but what functions do that it is given."""
        if is_reading_method(method):
            return True
        named = [g for g in call.given if not isinstance(g.node, ast.Constant)]
        return calls_functions(method) and bool(call.given) and all(map(self._targets, named))

    def _call_of_a_value(self, call: _Call) -> None:
        """Read the call of what a variable, or another call, yields.

        It may be an object that is called, or any function that a function of the module returns.
        """
        for target in self.methods.get("__call__", []):
            self._bind(call, target, of_object=True)
            self._yield(call, {held((target.scope, RETURNED))})
        for variable, node in self.returning:
            found = [self.lambdas[id(node)]] if id(node) in self.lambdas else []
            for target in (*found, *(self.flow.functions.get(variable, []) if variable else [])):
                self._yield(call, {held((target.scope, RETURNED))})

    def _is_own(self, call: _Call, method: str) -> bool:
        """Return whether a method surely is of a class of the module, whose body is read."""
        if call.of is None:
            return False
        made: list[str | None] = []
        if call.of in self.classes:  # a class, called where its method is
            name = self.classes[call.of]
            sure = call.root is None and call.of not in self.makers and self._is_plain(name)
            made = [name] if sure else []
        elif call.of[1] == "self" and call.of[0] in self.owners and call.of not in self.makers:
            made = [self.owners[call.of[0]]]
        elif not self._is_given(call.of):
            found = [self.classes.get(m) if m else None for m in self.makers.get(call.of, [])]
            made = [name if name and self._is_plain(name) else None for name in found]
        return bool(made) and all(name and f"{name}.{method}" in self.methods for name in made)

    def _is_plain(self, name: str) -> bool:
        """Return whether a call of a class surely yields an object of it."""
        return name not in self.special and f"{name}.__new__" not in self.methods

    def _is_given(self, variable: Variable) -> bool:
        """Return whether a variable may get a value otherwise than by assignments."""
        if variable[0] != ATTRIBUTE:
            return variable in self.parameters or variable in self.flow.imported
        fields = {name for names in self.fields.values() for name in names}
        return variable[1] in fields or variable[1] in self.methods

    def _unknown(self, call: _Call, name: str | None) -> None:
        """Read a call that may change its arguments, or the object that it is a method of."""
        every = _every(call)
        method = call.path[-1] if call.path and name is None else None
        self._hold(call.callee, every)
        if method in CHANGING:
            whole = every if method == "shuffle" else call.callee
            self.link(call.result, call.callee if "__" in method else map(_part, call.callee))
            if call.inside:
                self.flow.mutated |= {a.whole for a in whole if a.whole is not None}
            return
        self._yield(call, {*call.callee, *every})
        self._change_all(every | (call.callee if name is None else set()), call.inside)

    def _foreign_call(self, call: _Call, name: str) -> bool:
        """Read the call of a function of another module, where that module is read."""
        module, _, last = name.rpartition(".")
        flow = None if name.partition(".")[0] in LIBRARIES else self.foreign(module)
        while flow is not None and (MODULE, last) in flow.imported:
            module, last = flow.imported[MODULE, last]
            flow = None if module.partition(".")[0] in LIBRARIES else self.foreign(module)
        targets = [] if flow is None else flow.functions.get((MODULE, last), [])
        if flow is None or not targets or flow.in_progress:  # modules that import one another
            return False
        for target in targets:
            self._bind_foreign(call, target, flow)
        return True

    def _bind_foreign(self, call: _Call, target: Target, flow: Flow) -> None:
        """Read a call of a function of another module: what is joined there is joined here.

        An argument that outlives the call there is taken to be returned.
        """
        there, here = held((target.scope, RETURNED)), held(call.result)
        pairs = {*zip(there, here, strict=True)}
        for given, names, surely in self._given_to(call, target, 0):
            loose = set() if surely else _around(given.aliases)
            for name in names:
                for alias in {*given.aliases, *loose}:
                    pairs |= {*zip(held((target.scope, name)), alias, strict=True)}
        known = [(flow.joined([one]), other) for one, other in pairs if one and other]
        outliving = [v for joined, v in known if any(map(_outlives, joined))]
        for joined, variable in known:
            if call.inside and variable not in here and joined & flow.changed_by_methods:
                self.flow.mutated.add(variable)
            for one, other in pairs:
                if one in joined and other is not None:
                    self._join(variable, other)
        for variable in outliving:
            self._join(call.result, variable)
            self._join(inner(call.result), variable)

    def _written(self, call: _Call, first: float) -> None:
        """Read the arguments that a function writes to."""
        for at, given in enumerate(call.given):
            nan = call.path[-1:] == ("nan_to_num",) and given.keyword == "copy"
            if nan:
                self._change_all(_every(call), call.inside)
            if is_writing(given.keyword) or (given.keyword is None and at >= first):
                whole = given.keyword is None or given.keyword == "out"
                changed = set(given.aliases) if whole else {*_every(call), *call.callee}
                self._change_all(changed, call.inside)

    def _apply_given(self, call: _Call, name: str | None) -> None:
        """Let functions that are given be called with the other arguments."""
        passive = name is not None and calls_nothing(name)
        known = _every(call) | (call.callee if name is None and call.path else set())
        others = {a for alias in known for a in (alias, _part(alias)) if not passive}
        for at, given in enumerate(call.given):
            targets = self._targets(given)
            for target in targets:
                for parameter in parameters_of(target.arguments):
                    self.link((target.scope, parameter), others)
                self._yield(call, {held((target.scope, RETURNED))})
            applied = name is not None and applies(name) and at == 0 and given.keyword is None
            if (applied or given.keyword == "key") and not targets and not self._is_known(given):
                self._change_all(_every(call))

    def _targets(self, given: _Given) -> list[Target]:
        if id(given.node) in self.lambdas:
            return [self.lambdas[id(given.node)]]
        if given.root is None:
            return []
        if given.path:
            return self.methods.get(given.path[-1], [])
        return self.flow.functions.get(given.root, [])

    def _is_known(self, given: _Given) -> bool:
        if isinstance(given.node, ast.Constant) or given.root in self.classes:
            return True
        name = self._library_name(given.root, given.path)
        return name is not None and only_reads(name)

    def _make(self, call: _Call, name: str) -> None:
        targets = self.methods.get(f"{name}.__init__", [])
        for target in targets:
            self._bind(call, target, of_object=True)
        for target in self.methods.get(f"{name}.__new__", []):
            self._yield(call, {held((target.scope, RETURNED))})
        for attribute in self.fields[name] if not targets else ():
            self.link((ATTRIBUTE, attribute), _every(call))
        self._yield(call, _around(_every(call)))

    def _bind(self, call: _Call, target: Target, of_object: bool) -> None:
        """Let parameters hold what a call gives; `of_object` where the first is the object."""
        first = 1 if of_object else None if call.path else 0
        for given, names, surely in self._given_to(call, target, first):
            loose = set() if surely else _around(given.aliases)  # of ``*args``
            for name in names:
                self.link((target.scope, name), {*given.aliases, *loose})

    def _given_to(
        self, call: _Call, target: Target, first: int | None
    ) -> Iterator[tuple[_Given, list[str], bool]]:
        """Yield what a call gives, the parameters that may get it, and whether one surely does.

        Parameters
        ----------
        call : _Call
        target : Target
        first : int or None
            The parameter that the first argument is for, None where that is not known.
        """
        arguments = target.arguments
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        every = parameters_of(arguments)
        starred = any(isinstance(g.node, ast.Starred) for g in call.given)
        start = None if starred else first
        for at, given in enumerate(call.given):
            if given.keyword in every:
                yield given, [str(given.keyword)], True
            elif given.keyword is None and start is not None and at + start < len(names):
                yield given, [names[at + start]], True
            else:
                yield given, every[first or 0 :], False

    def _library_name(self, root: Variable | None, path: tuple[str, ...]) -> str | None:
        """Return the full name of what an expression names of a library, None for the rest."""
        if root is None:
            return None
        if root in self.flow.imported:
            return ".".join(filter(None, (*self.flow.imported[root], *path)))
        if root[0] == MODULE and root not in self.flow.sources and root not in self.classes:
            return ".".join(("builtins", root[1], *path))
        return None

    def _path(self, node: ast.AST) -> tuple[Variable | None, tuple[str, ...]]:
        path: list[str] = []
        while isinstance(node, ast.Attribute):
            path.insert(0, node.attr)
            node = node.value
        return (self.variable(node.id) if isinstance(node, ast.Name) else None), tuple(path)

    def _result(self, node: ast.Call) -> Variable:
        return self._results.setdefault(id(node), (_RESULT, str(len(self._results))))

    def _yield(self, call: _Call, value: Iterable[Alias]) -> None:
        """Let the result of a call be these, a part of them, or hold them."""
        given = set(value)
        self.link(call.result, {*given, *map(_part, given), *_around(given)})

    def _cells(self, node: ast.AST) -> set[Alias]:
        """Return what the cells hold of a frame that is made from lists, or from columns."""
        match node:
            case ast.Name():
                return {Alias(None, alias.inside) for alias in self.aliases(node)}
            case ast.Dict(values=columns) if all(isinstance(c, ast.Name) for c in columns):
                return {alias for column in columns for alias in self._cells(column)}
        return self.aliases(node)

    def _share_memory(self, call: _Call, *, cells: bool) -> None:
        """Let the result of a call be an array or a frame, which no list is that is given.

        It may hold what is given, or what its cells are made from, and be a view of an array.
        """
        for given in call.given:
            self.link(call.result, _around(given.cells if cells else given.aliases))
        self.link(call.result, _around(call.callee))
        for alias in {*_every(call), *call.callee}:
            for variable in (v for v in alias if v is not None):
                self.flow.memory[call.result].add(variable)
                self.flow.memory[variable].add(call.result)

    def _hold(self, holders: Iterable[Alias], value: Iterable[Alias]) -> None:
        for holder in holders:
            for alias in _around(value):
                self._join(holder.inside, alias.inside)

    def _join(self, one: Variable, other: Variable) -> None:
        if one != other:
            self.flow.same[one].add(other)
            self.flow.same[other].add(one)

    def _change(self, aliases: Iterable[Alias]) -> None:
        if self.is_inside():
            self.flow.mutated |= {a.whole for a in aliases if a.whole is not None}

    def _change_all(self, aliases: Iterable[Alias], inside: bool = True) -> None:
        if inside:
            self.flow.mutated |= {v for a in aliases for v in a if v is not None}


def _outlives(variable: Variable) -> bool:
    """Return whether what a variable holds outlives the calls of functions."""
    return variable[0] in (MODULE, ATTRIBUTE) and "()" not in variable[1]


def held(variable: Variable) -> Alias:
    """Return the alias of what a variable holds."""
    return Alias(variable, inner(variable))


def _every(call: _Call) -> set[Alias]:
    return {alias for given in call.given for alias in given.aliases}
