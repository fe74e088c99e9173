"""Reads the source of a module into the graph of `dpaudit.formal.lifting.flow`."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from dpaudit.formal.lifting.flow import ATTRIBUTE, CALLED, MODULE, Flow, Variable
from dpaudit.formal.lifting.flow_syntax import (
    Defined,
    base_name,
    inner_statements,
    is_seeded,
    is_stored,
    own_expressions,
    owned_names,
    parameters_of,
)

_FIXED = ("sys.float_info", "sys.maxsize", "sys.hash_info.modulus", "sys.int_info")
_CHANGES_WORDS = """
append appendleft extend extendleft insert pop popleft popitem remove discard clear update
setdefault sort reverse add fill put resize itemset subtract rotate __setitem__ __delitem__
"""
_CHANGES = frozenset(_CHANGES_WORDS.split())
_VIEWS_WORDS = """
asarray asanyarray atleast_1d atleast_2d ravel reshape view squeeze transpose swapaxes
MappingProxyType memoryview ChainMap iter reversed enumerate zip get values items setdefault
"""
_VIEWS = frozenset(_VIEWS_WORDS.split())
_AT_ONCE = ("__init__", "__new__", "__post_init__", "__init_subclass__", "__set_name__")


def flow_of(tree: ast.Module, package: str = "") -> Flow:
    """Return the graph of a module; `package` is what its relative imports start from."""
    reader = _Reader(package)
    reader.block(tree.body)
    return reader.flow


class _Reader:
    def __init__(self, package: str) -> None:
        self.flow = Flow()
        self.package = package
        self.chain: list[tuple[int, frozenset[str]]] = [(MODULE, frozenset())]
        self.count = MODULE
        self.depth = 0
        self.loops = 0
        self.functions: dict[Variable, tuple[int, ast.arguments]] = {}
        self.tests: list[set[Variable]] = []
        self.holder: Variable | None = None  # what the code that is read belongs to
        self.late: list[tuple[Variable, ast.Call, list[set[Variable]], list[set[Variable]]]] = []

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
            for function, call, given, same in self.late:
                self._bind(function, call, given, same)

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
            self._store(node.targets, value)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.For | ast.AsyncFor):
            self._store([node.target], value)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                self._store([item.optional_vars] if item.optional_vars else [], item.context_expr)
        elif isinstance(node, ast.Delete):
            self._store(node.targets, None)
        elif isinstance(node, ast.Match):
            self._match(node)
        else:
            for expression in own_expressions(node):
                self._reads(expression)
        tests = [getattr(node, "test", None), getattr(node, "subject", None), value]
        inner = list(inner_statements(node))
        self.tests.append({v for test in tests if inner and test for v in self.names(test)})
        for statement in inner:
            self.statement(statement)
        self.tests.pop()

    def _match(self, node: ast.Match) -> None:
        subject = self.names(node.subject)
        for part in (p for case in node.cases for p in ast.walk(case.pattern)):
            name = getattr(part, "name", None) or getattr(part, "rest", None)
            if isinstance(name, str):
                self.flow.sources[self.variable(name)] |= subject

    def _reads(self, expression: ast.AST | None) -> set[Variable]:
        """Return what an expression names; the function that it is in reads that too."""
        if expression is None:
            return set()
        found = self.names(expression)
        if self.holder is not None:
            self.flow.sources[self.holder] |= found
        for node in ast.walk(expression):
            if isinstance(node, ast.NamedExpr):
                self._store([node.target], node.value)
            elif isinstance(node, ast.comprehension):
                self._store([node.target], node.iter)
            elif isinstance(node, ast.Lambda):
                self._define(node, None)
            elif isinstance(node, ast.Call):
                self._call(node)
        return found

    def _store(self, targets: list[ast.expr], value: ast.expr | None) -> None:
        sources = self._reads(value) | {v for test in self.tests for v in test}
        same = self.aliases(value)
        for target in targets:
            if isinstance(target, ast.Tuple | ast.List):
                for part in target.elts:
                    inner = part.value if isinstance(part, ast.Starred) else part
                    self._set(inner, sources, same)
            else:
                self._set(target, sources, same)

    def _set(self, target: ast.expr, sources: set[Variable], same: set[Variable]) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                self._set(part, sources, same)
            return
        if isinstance(target, ast.Name):
            variable = self.variable(target.id)
            self._edges(variable, sources, same)
            if not self.inside and variable[0] == MODULE:
                self.flow.times[target.id] += 2 if self.loops else 1
            return
        self._reads(target)
        if isinstance(target, ast.Attribute):
            self.flow.sources[ATTRIBUTE, target.attr] |= sources
            if self.inside and not self._is_making(target):
                self.flow.attributes.add(target.attr)
        base = base_name(target)
        if base is not None:
            variable = self.variable(base)
            self._edges(variable, sources, same)
            if self.inside:
                self.flow.mutated.add(variable)

    def _is_making(self, target: ast.Attribute) -> bool:
        made = self.holder is not None and self.holder[1].rpartition(".")[2] in _AT_ONCE
        return made and isinstance(target.value, ast.Name)

    def _edges(self, variable: Variable, sources: set[Variable], same: set[Variable]) -> None:
        self.flow.sources[variable] |= sources
        for other in same:
            self.flow.same[variable].add(other)
            self.flow.same[other].add(variable)

    def _call(self, node: ast.Call) -> None:
        function = node.func
        last = getattr(function, "attr", None) or getattr(function, "id", None)
        if self.inside and isinstance(function, ast.Attribute) and function.attr in _CHANGES:
            base = base_name(function.value)
            if base is not None:
                self.flow.mutated.add(self.variable(base))
        if self.inside and last in ("setattr", "delattr", "__setattr__"):
            named = [a.value for a in node.args if isinstance(a, ast.Constant)]
            self.flow.attributes |= {name for name in named if isinstance(name, str)}
            self.flow.rebound |= {(MODULE, n) for n in named if isinstance(n, str)}
        writes = last in ("globals", "exec") or (last == "vars" and not node.args)
        self.flow.wild |= self.inside and writes
        if isinstance(function, ast.Name):
            given = [*node.args, *(k.value for k in node.keywords)]
            reads, same = [self.names(g) for g in given], [self.aliases(g) for g in given]
            self.late.append((self.variable(function.id), node, reads, same))

    def _bind(
        self,
        function: Variable,
        call: ast.Call,
        reads: list[set[Variable]],
        same: list[set[Variable]],
    ) -> None:
        if function not in self.functions:
            return
        scope, arguments = self.functions[function]
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        every = parameters_of(arguments)
        starred = any(isinstance(a, ast.Starred) for a in call.args)
        for at, given in enumerate([*call.args, *call.keywords]):
            if isinstance(given, ast.keyword):
                to = [given.arg] if given.arg in every else every
            else:
                to = [names[at]] if at < len(names) and not starred else every
            for name in to:
                self._edges((scope, str(name)), reads[at], same[at])

    def _define(self, node: Defined, variable: Variable | None, owner: str = "") -> None:
        self.count += 1
        scope, arguments = self.count, node.args
        defaults = [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        with_default = names[len(names) - len(arguments.defaults) :] + [
            a.arg
            for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if d is not None
        ]
        for name, default in zip(with_default, defaults, strict=True):
            self._edges((scope, f"{name}="), self.names(default), self.aliases(default))
            self._edges((scope, name), {(scope, f"{name}=")}, {(scope, f"{name}=")})
            self._reads(default)
        called = (CALLED, f"#{scope}")
        if variable is not None:
            assert not isinstance(node, ast.Lambda)
            self.functions[variable] = scope, arguments
            decorators = {v for d in node.decorator_list for v in self._reads(d)}
            self.flow.sources[variable] |= decorators | {v for t in self.tests for v in t}
            called = (CALLED, f"{owner}.{node.name}" if node.name in _AT_ONCE else node.name)
            line = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            self.flow.scopes[line, node.name].append(scope)
        else:
            self.flow.scopes[node.lineno, "<lambda>"].append(scope)
        held, self.holder = self.holder, called
        tests, self.tests = self.tests, []
        self.flow.around[scope] = tuple(self.chain[1:])
        self.chain.append((scope, owned_names(node)))
        self.depth += 1
        if isinstance(node, ast.Lambda):
            self._reads(node.body)
        else:
            for statement in node.body:
                self.statement(statement)
        self.chain.pop()
        self.depth -= 1
        self.holder, self.tests = held, tests
        if held is not None:
            self.flow.sources[held].add(called)

    def _define_class(self, node: ast.ClassDef) -> None:
        variable = self.variable(node.name)
        outer = [*node.bases, *(k.value for k in node.keywords), *node.decorator_list]
        sources = {v for part in outer for v in self._reads(part)}
        self.flow.sources[variable] |= {v for test in self.tests for v in test}
        made = (CALLED, node.name)  # what making an object reads
        self.flow.sources[made] |= sources | {(CALLED, f"{node.name}.{name}") for name in _AT_ONCE}
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                self._define(statement, (ATTRIBUTE, statement.name), node.name)
            else:
                self._class_statement(statement)

    def _class_statement(self, statement: ast.stmt) -> None:
        """Read a statement whose names are the class's: each is an attribute."""
        names = frozenset(n.id for n in ast.walk(statement) if is_stored(n))  # type: ignore[attr-defined]
        self.count += 1
        scope = self.count
        self.chain.append((scope, names))
        self.statement(statement)
        for name in names:
            self._edges((ATTRIBUTE, name), {(scope, name)}, {(scope, name)})
        self.chain.pop()

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if isinstance(node, ast.Import):
                module = alias.name if alias.asname else alias.name.partition(".")[0]
                found, name = (module, ""), alias.asname or module
            else:
                start = self.package.split(".")
                start = start[: len(start) - node.level + 1] if node.level else []
                module = ".".join(filter(None, (*start, node.module or "")))
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

    def aliases(self, value: ast.AST | None) -> set[Variable]:
        """Return the variables whose object, or a part of it, an expression may yield."""
        match value:
            case ast.Name():
                return {self.variable(value.id)}
            case ast.Attribute() | ast.Subscript() | ast.Starred() | ast.NamedExpr():
                return self.aliases(value.value)
            case ast.IfExp():
                return self.aliases(value.body) | self.aliases(value.orelse)
            case ast.BoolOp(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
                return {v for part in parts for v in self.aliases(part)}
            case ast.Dict(values=parts):
                return {v for part in parts for v in self.aliases(part)}
            case ast.Call(func=ast.Name(id=last) | ast.Attribute(attr=last)) if last in _VIEWS:
                base = value.func.value if isinstance(value.func, ast.Attribute) else None
                given = [*value.args, *(k.value for k in value.keywords), base]
                return {v for part in given for v in self.aliases(part)}
        return set()
