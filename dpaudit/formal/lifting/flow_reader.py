"""Reads the source of a module into the graph of `dpaudit.formal.lifting.flow`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from dpaudit.formal.lifting.flow import (
    ATTRIBUTE,
    CALLED,
    MODULE,
    RETURNED,
    Flow,
    Target,
    Variable,
)
from dpaudit.formal.lifting.flow_syntax import (
    Defined,
    absolute,
    base_name,
    inner_statements,
    is_seeded,
    is_stored,
    makes_again,
    own_expressions,
    owned_names,
    parameters_of,
    sets_attributes,
    sets_globals,
)
from dpaudit.formal.lifting.mangled import written_name
from dpaudit.formal.lifting.only_read import Uses
from dpaudit.formal.lifting.sharing import Alias, Sharing, held

_FIXED = ("sys.float_info", "sys.maxsize", "sys.hash_info.modulus", "sys.int_info")
_AT_ONCE = ("__init__", "__new__", "__post_init__", "__init_subclass__", "__set_name__")


def flow_of(
    tree: ast.Module, package: str = "", foreign: Callable[[str], Flow | None] | None = None
) -> Flow:
    """Return the graph of a module.

    Parameters
    ----------
    tree : Module
    package : str
        What its relative imports start from.
    foreign : callable, optional
        The graph of another module, by its name; None where it cannot be read.
    """
    reader = _Reader(package, foreign or (lambda _name: None))
    reader.block(tree.body)
    flow = reader.flow
    flow.uses = Uses(
        tree, package, lambda name: getattr(reader.sharing.foreign(name), "uses", None)
    )

    def rest() -> None:
        flow.wild, flow.any_attribute = sets_globals(tree), sets_attributes(tree)
        if makes_again(tree):
            flow.attributes |= reader.made
        reader.sharing.settle()

    flow.rest = rest
    return flow


class _Reader:
    def __init__(self, package: str, foreign: Callable[[str], Flow | None]) -> None:
        self.flow = Flow()
        self.package = package
        self.frames: list[int] = []  # scopes of the functions that are read
        self.arguments: list[ast.arguments] = []
        self.chain: list[tuple[int, frozenset[str]]] = [(MODULE, frozenset())]
        self.count = MODULE
        self.depth = 0
        self.loops = 0
        self.sharing = Sharing(self.flow, self.variable, lambda: self.inside, foreign)
        self.made: set[str] = set()  # attributes that objects get when they are made
        self.tests: list[set[Variable]] = []
        self.holder: Variable | None = None  # what the code that is read belongs to
        self.late: list[tuple[Variable, ast.Call, list[set[Variable]]]] = []

    @property
    def inside(self) -> bool:
        """Whether the code runs in a function, after the module was imported."""
        return self.depth > 0

    def variable(self, name: str) -> Variable:
        """Return the variable that a name stands for where it is read."""
        for scope, owned in reversed(self.chain[1:]):
            if name in owned:
                return scope, name
        return MODULE, name

    def block(self, body: Iterable[ast.AST]) -> None:
        """Read statements; those of functions after all others, which may define what they call."""
        for node in body:
            self.statement(node)
        if not self.inside:
            for function, call, given in self.late:
                self._bind(function, call, given)

    def statement(self, node: ast.AST) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._define(node, self.variable(node.name))
        elif isinstance(node, ast.ClassDef):
            self._define_class(node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            self._rebind(node)
        else:
            self._simple(node)

    def _simple(self, node: ast.AST) -> None:
        is_loop = isinstance(node, ast.For | ast.AsyncFor | ast.While)
        self.loops += is_loop
        self._read_parts(node)
        self.loops -= is_loop

    def _read_parts(self, node: ast.AST) -> None:
        value = getattr(node, "value", None) or getattr(node, "iter", None)
        if isinstance(node, ast.Assign):
            self._name_lambda(node)
            self._store(node.targets, value)
        elif isinstance(node, ast.AnnAssign):
            self._store([node.target], value)
        elif isinstance(node, ast.AugAssign):
            self._store([node.target], value, set())
            self.sharing.update(node.target, self.sharing.aliases(value))
        elif isinstance(node, ast.For | ast.AsyncFor):
            self._store([node.target], value, self.sharing.parts(value))
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                entered = self.sharing.aliases(item.context_expr)
                entered.add(held((ATTRIBUTE, "__enter__")))
                targets = [item.optional_vars] if item.optional_vars else []
                self._store(targets, item.context_expr, entered)
        elif isinstance(node, ast.Delete):
            self._store(node.targets, None, set())
            for target in node.targets:
                self.sharing.delete(target)
        elif isinstance(node, ast.Match):
            self._match(node)
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            self._reads(node.exc)
            self.sharing.give_away(node.exc.args)
        else:
            for expression in own_expressions(node):
                self._reads(expression)
        if isinstance(node, ast.Return) and self.inside:
            self.sharing.returned(self.frames[-1], node.value)
        tests = [getattr(node, "test", None), getattr(node, "subject", None), value]
        inner = list(inner_statements(node))
        self.tests.append({v for test in tests if inner and test for v in self.names(test)})
        for statement in inner:
            self.statement(statement)
        self.tests.pop()

    def _name_lambda(self, node: ast.Assign) -> None:
        """Let a variable that is assigned a lambda stand for a function."""
        if isinstance(node.value, ast.Lambda):
            target = self._target_of(node.value)
            for name in (t.id for t in node.targets if isinstance(t, ast.Name)):
                self.flow.functions[self.variable(name)].append(target)

    def _match(self, node: ast.Match) -> None:
        subject = self._reads(node.subject)
        held = self.sharing.aliases(node.subject) | self.sharing.parts(node.subject)
        for part in (p for case in node.cases for p in ast.walk(case.pattern)):
            name = getattr(part, "name", None) or getattr(part, "rest", None)
            if isinstance(name, str):
                self.flow.sources[self.variable(name)] |= subject
                self.sharing.link(self.variable(name), held)
                self.sharing.makers[self.variable(name)].append(None)
        for case in node.cases:
            self._reads(case.guard)

    def _reads(self, expression: ast.AST | None) -> set[Variable]:
        """Return what an expression names; the function that it is in reads that too."""
        if expression is None:
            return set()
        found = self.names(expression)
        if self.holder is not None:
            self.flow.sources[self.holder] |= found
        kept = {id(n) for n in ast.walk(expression) if isinstance(n, ast.Attribute)}
        for node in ast.walk(expression):  # a call before what it calls
            if isinstance(node, ast.NamedExpr):
                self._store([node.target], node.value)
            elif isinstance(node, ast.comprehension):
                self._store([node.target], node.iter, self.sharing.parts(node.iter))
            elif isinstance(node, ast.Lambda):
                self._define(node, None)
            elif isinstance(node, ast.Call):
                self._call(node)
                kept.discard(id(node.func))
            elif isinstance(node, ast.Attribute) and id(node) in kept:
                self.sharing.attribute(node)
            elif isinstance(node, ast.Yield | ast.YieldFrom) and self.inside:
                self.sharing.returned(self.frames[-1], node.value, yielded=True)
        return found

    def _store(
        self,
        targets: list[ast.expr],
        value: ast.expr | None,
        aliases: set[Alias] | None = None,
    ) -> None:
        """Read an assignment; `aliases` are what the targets hold, if that is not the value."""
        sources = self._reads(value) | {v for test in self.tests for v in test}
        for target in targets:
            self._set(target, sources)
            making = self._is_making(target)
            if aliases is None:
                self.sharing.assign(target, value, making=making)
            else:
                self.sharing.store(target, aliases, making=making)

    def _set(self, target: ast.expr, sources: set[Variable]) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                self._set(part, sources)
            return
        if isinstance(target, ast.Starred):
            self._set(target.value, sources)
            return
        if isinstance(target, ast.Name):
            variable = self.variable(target.id)
            self.flow.sources[variable] |= sources
            if not self.inside and variable[0] == MODULE:
                self.flow.times[target.id] += 2 if self.loops else 1
            return
        self._reads(target)
        if isinstance(target, ast.Attribute):
            self.flow.sources[ATTRIBUTE, target.attr] |= sources
            making = self._is_making(target)
            if self.inside:
                (self.made if making else self.flow.attributes).add(target.attr)
        base = base_name(target)
        if base is not None:
            self.flow.sources[self.variable(base)] |= sources

    def _is_making(self, target: ast.expr) -> bool:
        """Whether a function that makes an object sets an attribute of that object."""
        if self.holder is None or self.holder[1].rpartition(".")[2] not in _AT_ONCE:
            return False
        if not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name):
            return False
        name = target.value.id
        first = next(iter(parameters_of(self.arguments[-1])), None)
        if self.holder[1].endswith(".__new__"):
            return name != first and self.variable(name)[0] == self.frames[-1]
        return name == first

    def _call(self, node: ast.Call) -> None:
        function = node.func
        self.sharing.call(node)
        last = getattr(function, "attr", None) or getattr(function, "id", None)
        if self.inside and last in ("setattr", "delattr", "__setattr__", "__delattr__"):
            named = [a.value for a in node.args if isinstance(a, ast.Constant)]
            self.flow.attributes |= {name for name in named if isinstance(name, str)}
            self.flow.rebound |= {(MODULE, n) for n in named if isinstance(n, str)}
        if isinstance(function, ast.Name):
            given = [*node.args, *(k.value for k in node.keywords)]
            self.late.append((self.variable(function.id), node, [self.names(g) for g in given]))

    def _bind(
        self,
        function: Variable,
        call: ast.Call,
        reads: list[set[Variable]],
    ) -> None:
        for scope, arguments in self.flow.functions.get(function, []):
            self._bind_to(scope, arguments, call, reads)

    def _bind_to(
        self, scope: int, arguments: ast.arguments, call: ast.Call, reads: list[set[Variable]]
    ) -> None:
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        every = parameters_of(arguments)
        starred = any(isinstance(a, ast.Starred) for a in call.args)
        for at, given in enumerate([*call.args, *call.keywords]):
            if isinstance(given, ast.keyword):
                to = [given.arg] if given.arg in every else every
            else:
                to = [names[at]] if at < len(names) and not starred else every
            for name in to:
                self.flow.sources[scope, str(name)] |= reads[at]

    def _define(self, node: Defined, variable: Variable | None, owner: str = "") -> None:
        target = self._target_of(node)
        scope, arguments = target
        defaults = [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        with_default = names[len(names) - len(arguments.defaults) :] + [
            a.arg
            for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if d is not None
        ]
        for name, default in zip(with_default, defaults, strict=True):
            of_default = scope, f"{name}="
            self.flow.sources[of_default] |= self.names(default)
            self.flow.sources[scope, name].add(of_default)
            self.sharing.link(of_default, self.sharing.aliases(default))
            self.sharing.link((scope, name), {held(of_default)})
            self._reads(default)
        self.sharing.parameters |= {(scope, name) for name in parameters_of(arguments)}
        called = (CALLED, f"#{scope}")
        if variable is not None:
            assert not isinstance(node, ast.Lambda)
            self._register(variable, node, target, owner)
            decorators = {v for d in node.decorator_list for v in self._reads(d)}
            self.flow.sources[variable] |= decorators | {v for t in self.tests for v in t}
            called = (CALLED, f"{owner}.{node.name}" if node.name in _AT_ONCE else node.name)
            line = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            self.flow.scopes[line, written_name(node)].append(scope)
        else:
            self.flow.scopes[node.lineno, "<lambda>"].append(scope)
        holder, self.holder = self.holder, called
        tests, self.tests = self.tests, []
        self.flow.around[scope] = tuple(self.chain[1:])
        self.chain.append((scope, owned_names(node)))
        self.depth += 1
        self.frames.append(scope)
        self.arguments.append(arguments)
        if isinstance(node, ast.Lambda):
            self._reads(node.body)
            self.sharing.returned(scope, node.body)
        else:
            for statement in node.body:
                self.statement(statement)
        self.chain.pop()
        self.depth -= 1
        self.frames.pop()
        self.arguments.pop()
        self.holder, self.tests = holder, tests
        if holder is not None:
            self.flow.sources[holder].add(called)

    def _target_of(self, node: Defined) -> Target:
        """Return the scope and the parameters of a function, the same whenever it is asked."""
        found = self.sharing.lambdas.get(id(node))
        if found is None:
            self.count += 1
            found = self.sharing.lambdas[id(node)] = Target(self.count, node.args)
        return found

    def _register(
        self,
        variable: Variable,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        target: Target,
        owner: str,
    ) -> None:
        if not owner:
            self.flow.functions[variable].append(target)
            return
        self.sharing.methods[node.name].append(target)
        self.sharing.methods[f"{owner}.{node.name}"].append(target)
        if node.decorator_list or node.name == "__enter__":  # a property is what it returns
            self.sharing.link((ATTRIBUTE, node.name), {held((target.scope, RETURNED))})
        else:
            self.sharing.owners[target.scope] = owner

    def _define_class(self, node: ast.ClassDef) -> None:
        variable = self.variable(node.name)
        self.sharing.classes[variable] = node.name
        called = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
        if node.bases or node.keywords or any(getattr(c, "id", "") != "dataclass" for c in called):
            self.sharing.special.add(node.name)
        outer = [*node.bases, *(k.value for k in node.keywords), *node.decorator_list]
        sources = {v for part in outer for v in self._reads(part)}
        self.flow.sources[variable] |= {v for test in self.tests for v in test}
        made = (CALLED, node.name)  # what making an object reads
        self.flow.sources[made] |= sources | {(CALLED, f"{node.name}.{name}") for name in _AT_ONCE}
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                self._define(statement, (ATTRIBUTE, statement.name), node.name)
            else:
                self._class_statement(statement, node.name)
        for decorator in reversed(node.decorator_list):  # the name is what they return
            if "dataclass" not in ast.unparse(decorator):
                replaced = ast.Call(decorator, [ast.Name(node.name, ast.Load())], [])
                bound = ast.Assign([ast.Name(node.name, ast.Store())], replaced)
                self.statement(ast.fix_missing_locations(ast.copy_location(bound, node)))

    def _class_statement(self, statement: ast.stmt, owner: str) -> None:
        """Read a statement whose names are the class's: each is an attribute."""
        names = frozenset(n.id for n in ast.walk(statement) if is_stored(n))  # type: ignore[attr-defined]
        self.count += 1
        scope = self.count
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            self.sharing.fields[owner].append(statement.target.id)
        self.chain.append((scope, names))
        self.statement(statement)
        for name in names:
            self.flow.sources[ATTRIBUTE, name].add((scope, name))
            self.sharing.link((ATTRIBUTE, name), {held((scope, name))})
            self.sharing.makers[ATTRIBUTE, name].append(None)
        self.chain.pop()

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if isinstance(node, ast.Import):
                module = alias.name if alias.asname else alias.name.partition(".")[0]
                found, name = (module, ""), alias.asname or module
            else:
                module = absolute(self.package, node.level, node.module)
                found, name = (module, alias.name), alias.asname or alias.name
                if name == "*":
                    self.flow.stars.append(module)
                    continue
            variable = self.variable(name)
            self.flow.imported[variable] = found
            self.flow.sources[variable] |= {v for test in self.tests for v in test}

    def _rebind(self, node: ast.Global | ast.Nonlocal) -> None:
        for name in node.names:
            is_global = isinstance(node, ast.Global)
            self.flow.rebound.add((MODULE, name) if is_global else self.variable(name))

    def names(self, expression: ast.AST) -> set[Variable]:
        """Return the variables that an expression names, with what they read when called."""
        found: set[Variable] = set()
        rest: list[ast.AST] = [expression]
        while rest:
            node = rest.pop()
            if isinstance(node, ast.Attribute):
                if ast.unparse(node).startswith(_FIXED):
                    continue
                found |= {(ATTRIBUTE, node.attr), (CALLED, node.attr)}
            elif isinstance(node, ast.Name):
                variable = self.variable(node.id)
                found |= {variable, (CALLED, node.id)}
            elif isinstance(node, ast.Call) and is_seeded(node):
                rest += node.args  # its numbers are the same in every process
                continue
            rest += ast.iter_child_nodes(node)
        return found
