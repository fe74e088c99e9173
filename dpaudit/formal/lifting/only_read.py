"""Lists, dicts and sets of a module that are only read, as each use of their name shows.

A container that is made where it is assigned, whose parts cannot change, and that no use hands on,
is what it was: a use may look at it, go through it, or give it to a function that keeps nothing of
it. An object may keep it in an attribute if every attribute of that name is only read. This needs
no knowledge of which variables share objects (`dpaudit.formal.lifting.sharing`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from dpaudit.checker.pure import marked
from dpaudit.formal.lifting.array_uses import ARRAY, VECTOR, is_new_array, reads_array
from dpaudit.formal.lifting.customs import Customs
from dpaudit.formal.lifting.deterministic import is_deterministic, is_in_place
from dpaudit.formal.lifting.flow_syntax import absolute
from dpaudit.formal.lifting.makers import makes_new
from dpaudit.formal.lifting.reading import COPYING, applies, is_reading_method, states

_TAKES_WORDS = """
builtins.filter builtins.map builtins.print builtins.type copy.deepcopy itertools.accumulate
itertools.chain itertools.combinations itertools.permutations itertools.product random.choice
random.choices random.sample
"""
_TAKES = frozenset(_TAKES_WORDS.split()) | COPYING | marked("at_once")
_TAKEN_BY_WORDS = """
choice choices sample isin reindex map join intersection union difference issubset issuperset
isdisjoint set_categories
"""
_TAKEN_BY = frozenset(_TAKEN_BY_WORDS.split())  # methods, with the same of their arguments
_TABLES = ("pandas.DataFrame", "pandas.Series")
_MERGING = ("map", "merge", "join")
_OF_LISTS = ("math.", "numpy.", "pandas.", "statistics.")  # they take lists apart, not dicts
_COPIES_PARTS = {ast.Dict: "pandas.DataFrame", ast.List: "pandas.MultiIndex.from_product"}
_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_MAKES = frozenset({"builtins.list", "builtins.dict", "builtins.set", "builtins.sorted"})
_LOOKING_UP_WORDS = """
getattr setattr delattr attrgetter methodcaller vars __dict__ __getattribute__ __setattr__ __slots__
__getstate__ __setstate__ __reduce__
"""
_LOOKING_UP = frozenset(_LOOKING_UP_WORDS.split())
_HIDING = ("locals", "vars", "globals", "eval", "exec", "inspect", "gc", "_getframe")
_PLAIN_WORDS = "len repr str hash bool format contains int float index bytes complex del dir sizeof"
_PLAIN_RESULTS = frozenset(f"__{word}__" for word in _PLAIN_WORDS.split())  # no containers
_PLAIN_OF = frozenset(f"builtins.{word}" for word in ("len", "sum", "any", "all", "isinstance"))
_OF_CONTAINERS = frozenset(name for kind in (list, dict, set) for name in dir(kind))


@dataclass(eq=False)
class Uses:
    """What the source of a module does with the names in it.

    Parameters
    ----------
    tree : Module
    package : str
        What its relative imports start from.
    foreign : callable
        Given a module, its uses; None where it is not read.
    """

    tree: ast.Module
    package: str
    foreign: Callable[[str], Uses | None]
    _parents: dict[ast.AST, ast.AST] = field(default_factory=dict)
    _names: dict[str, list[ast.AST]] = field(default_factory=dict)
    _asked: dict[tuple[ast.AST, str, str], bool] = field(default_factory=dict)
    _kept: set[str] = field(default_factory=set)  # attributes that what was asked about is kept in

    @cached_property
    def customs(self) -> Customs:
        """What the module gives a meaning of its own to."""
        return Customs(self.tree)

    @cached_property
    def reach(self) -> dict[str, Uses]:
        """The module, without a name, and all of the user's that it imports, and these import."""
        found = {"": self}
        rest = [self]
        while rest:
            for full in rest.pop()._imports():
                for name in (full, full.rpartition(".")[0]):
                    other = self.foreign(name) if name and name not in found else None
                    if other is not None:
                        found[name] = other
                        rest.append(other)
        return found

    def _imports(self) -> list[str]:
        """Return the full names of what the module imports."""
        self.uses_of("")
        every = [n for n in ast.walk(self.tree) if isinstance(n, ast.Import | ast.ImportFrom)]
        whole = [a.name for n in every if isinstance(n, ast.Import) for a in n.names]
        return whole + [self._imported(a) or "" for node in every for a in node.names]

    def gives(self, method: str, *, own: bool = True) -> bool:
        """Return whether an object may have a method of this name that is the user's.

        Parameters
        ----------
        method : str
        own : bool
            Whether functions in the classes of this module count.
        """
        return any(
            uses.customs.any
            or method in uses.customs.others
            or (method in uses.customs.methods and (own or uses is not self))
            for uses in self.reach.values()
        )

    @cached_property
    def is_hooked(self) -> bool:
        """Whether an operator of the user's may change or keep its operands, or hand out others."""
        return any(
            uses.customs.unread
            or not all(map(uses._reads_operands, uses.customs.operators))
            or any(map(uses._hands_out, uses.customs.hooks))
            for uses in self.reach.values()
        )

    def _hands_out(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        """Return whether a method that Python calls by itself may return what a global holds."""
        named = (n for n in ast.walk(node) if isinstance(n, ast.Name) and _is_load(n))
        return node.name not in _PLAIN_RESULTS and any(map(self._may_leave, named))

    def _may_leave(self, use: ast.Name) -> bool:
        """Return whether a use of a name hands on a container of the module, or a part of one."""
        made = [self._parents.get(n) for n in self.bound(use.id)]
        values = [n.value for n in made if isinstance(n, ast.Assign | ast.AnnAssign)]
        parent = self._parents[use]
        flat = isinstance(parent, ast.Subscript) and all(map(_is_flat, values))
        called = isinstance(parent, ast.Call) and self.library(parent.func) in _PLAIN_OF
        read = isinstance(parent, ast.Compare | ast.FormattedValue | ast.BinOp) or flat or called
        return not (read or all(isinstance(value, ast.Constant) for value in values))

    def _reads_operands(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        """Return whether a method only reads what it is given but its object."""
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        given = [a.arg for a in (*every[1:], arguments.vararg, arguments.kwarg) if a is not None]
        inside = set(ast.walk(node))
        keeps = any(
            isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load) for n in inside
        )
        return not (given and (keeps or _yields(node))) and all(
            sum(n in inside for n in self.bound(name)) == 1 and self.all_read(name, node, "keyed")
            for name in given
        )

    def only_read(self, name: str, *, kind: str) -> bool:
        """Return whether a global is a new container whose uses all read it.

        Parameters
        ----------
        name : str
        kind : str
            ``"list"``, of which arrays and frames are copies; ``"keyed"``; or that of an array.
        """
        bound = self.bound(name)
        if self.hides() or self.is_hooked:
            return False
        match [self._parents.get(n) for n in bound]:
            case [ast.Assign(targets=[ast.Name()], value=value) as made]:
                new = made in self.tree.body and self._is_new(value, kind)
            case [ast.AnnAssign(value=ast.expr() as value) as made]:
                new = made in self.tree.body and self._is_new(value, kind)
            case [ast.ImportFrom()]:  # the other module is asked as well
                new = True
            case _:
                new = False
        return new and self.all_read(name, self.tree, kind) and self._kept_read(kind)

    def only_merged(self, name: str) -> bool:
        """Return whether a global is a new frame or series that is only merged with others.

        Its uses are operands, arguments of methods that copy what they take, or calls of
        ``set_index``.

        Parameters
        ----------
        name : str
        """
        match [self._parents.get(n) for n in self.bound(name)]:
            case [ast.Assign(targets=[ast.Name()], value=ast.Call(func=function) as call) as made]:
                given = [*call.args, *call.keywords]  # an array that a name holds may be shared
                plain = not any(isinstance(n, ast.Name) for each in given for n in ast.walk(each))
                new = plain and made in self.tree.body and self.library(function) in _TABLES
            case _:
                return False
        if not new or self.hides() or self.is_hooked or len(self.reach) > 1:
            return False
        return all(self._is_merged(use) for use in self.uses_of(name) if _is_load(use))

    def _is_merged(self, use: ast.AST) -> bool:
        parent = self._parents[use]
        match parent:
            case ast.BinOp():
                return True
            case ast.Call(func=ast.Attribute(attr=method) as function, args=args) if use in args:
                copies = method in _MERGING and not self.gives(method)
                return copies or self.library(function) == "pandas.merge"
            case ast.Attribute(attr="set_index"):
                call = self._parents[parent]
                return (
                    isinstance(call, ast.Call) and call.func is parent and not call.keywords
                    and len(call.args) == 1 and not self.gives("set_index")
                )  # fmt: skip
        return False

    def reads_of(self, name: str, *, kind: str) -> bool:
        """Return whether the module only reads what others hold under a name.

        Parameters
        ----------
        name : str
        kind : str
        """
        if self.hides() or self.is_hooked or not self._attribute_read(name, kind):
            return False
        return self.all_read(name, self.tree, kind) and self._kept_read(kind)

    def _kept_read(self, kind: str) -> bool:
        """Return whether attributes are only read in which an object keeps a container."""
        done: set[str] = set()
        every = self.reach.values()
        while more := {name for uses in every for name in uses._kept} - done:
            done |= more
            if not all(uses._attribute_read(name, kind) for uses in every for name in more):
                return False
        return True

    def _attribute_read(self, attribute: str, kind: str) -> bool:
        """Return whether the module only reads what attributes of a name hold."""
        key = self.tree, f".{attribute}", kind
        if key not in self._asked:
            self.uses_of("")
            every = list(ast.walk(self.tree))
            unnamed = self.customs.any or any(self.uses_of(word) for word in _LOOKING_UP)
            self._asked[key] = not unnamed and not any(
                isinstance(node, ast.MatchClass)
                or (isinstance(node, ast.ClassDef) and attribute in _members(node))
                or (isinstance(node, ast.Attribute) and not self._reads_it(node, attribute, kind))
                for node in every
            )
        return self._asked[key]

    def _reads_it(self, node: ast.Attribute, attribute: str, kind: str) -> bool:
        if node.attr != attribute:
            return node.attr not in _LOOKING_UP
        if isinstance(node.ctx, ast.Load):
            return self.is_read(node, kind)
        return isinstance(self._parents[node], ast.Assign | ast.AnnAssign)

    def _is_keeping(self, target: ast.Attribute) -> bool:
        """Return whether an attribute is set of the object that a method is called on."""
        node: ast.AST = target
        while not isinstance(node, ast.FunctionDef | ast.Lambda | ast.Module):
            node = self._parents[node]
        if not isinstance(node, ast.FunctionDef) or node.decorator_list or not node.args.args:
            return False
        first, of = node.args.args[0].arg, target.value
        inside = set(ast.walk(node))
        once = sum(n in inside for n in self.bound(first)) == 1
        itself = isinstance(of, ast.Name) and of.id == first and once
        return itself and isinstance(self._parents[node], ast.ClassDef)

    def _is_new(self, value: ast.expr, kind: str) -> bool:
        """Return whether an expression makes a container or an array that nothing else holds."""
        if kind in (VECTOR, ARRAY):
            return is_new_array(self, value)
        called = value.func if isinstance(value, ast.Call) else None
        return self.makes_container(value) or (called is not None and makes_new(self, called))

    def makes_container(self, value: ast.expr) -> bool:
        """Return whether an expression, for itself, makes a list, a dict or a set."""
        if isinstance(value, ast.Call):
            return self.library(value.func) in _MAKES
        return isinstance(value, _DISPLAYS)

    def reads(self, function: str, at: int | str, *, kind: str) -> bool:
        """Return whether a function of the module only reads what one of its parameters is given.

        Parameters
        ----------
        function : str
        at : int or str
            The parameter, by position or by name.
        kind : str
        """
        match self.bound(function):
            case [ast.FunctionDef() as node] if node in self.tree.body:
                pass
            case [ast.ClassDef() as made] if made in self.tree.body:
                inits = [n for n in made.body if getattr(n, "name", "") == "__init__"]
                plain = {"object", "ABC"}.issuperset(getattr(b, "id", "") for b in made.bases)
                if made.keywords or made.decorator_list or not plain or len(inits) != 1:
                    return False
                (init,) = inits
                if not isinstance(init, ast.FunctionDef) or "__new__" in _members(made):
                    return False
                node, at = init, at + 1 if isinstance(at, int) else at
            case [ast.alias()]:
                return self.is_taken_by(self.library(ast.Name(function)), at, kind)
            case _:
                return False
        if node.decorator_list or _yields(node) or self.hides():
            return False
        names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
        every = [*names, *(a.arg for a in node.args.kwonlyargs)]
        name = at if isinstance(at, str) else names[at] if at < len(names) else None
        if name not in every:
            return False
        bound, inside = self.bound(name), set(ast.walk(node))
        return sum(n in inside for n in bound) == 1 and self.all_read(name, node, kind)

    def all_read(self, name: str, within: ast.AST, kind: str) -> bool:
        """Return whether a part of the module only reads what a name holds."""
        key = within, name, kind
        if key not in self._asked:
            self._asked[key] = True  # of functions that call themselves
            nodes = set(ast.walk(within))
            uses = (n for n in self.uses_of(name) if n in nodes and _is_load(n))
            self._asked[key] = all(self.is_read(use, kind) for use in uses)
        return self._asked[key]

    def is_read(self, use: ast.AST, kind: str) -> bool:
        """Return whether a use of a container, or of an array, reads it and hands it to nobody."""
        if kind in (VECTOR, ARRAY):
            return reads_array(self, use, kind)
        parent = self._parents[use]
        match parent:
            case ast.Compare() | ast.BinOp() | ast.FormattedValue() | ast.Expr() | ast.Starred():
                return True
            case ast.For(iter=iterable) | ast.comprehension(iter=iterable):
                return iterable is use
            case ast.Subscript(ctx=ast.Load()):  # of it, or where it is the index
                return True
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                return test is use
            case ast.UnaryOp(op=ast.Not()):
                return True
            case ast.Assign(targets=[ast.Attribute(attr=name) as target], value=value):
                self._kept |= {name} if value is use else set()
                return value is use and self._is_keeping(target)
            case ast.Attribute(attr=name) if name not in _OF_CONTAINERS:
                return True  # an error
            case ast.Attribute(attr=method):
                call = self._parents[parent]
                called = isinstance(call, ast.Call) and call.func is parent
                return is_reading_method(method) and (called or self._is_key(parent))
            case ast.Call(args=args) if use in args:
                starred = any(isinstance(a, ast.Starred) for a in args[: args.index(use)])
                at = args.index(use)
                return not starred and self._is_taken(parent, at, kind)
            case ast.keyword(arg=None):  # `**` copies
                return True
            case ast.keyword(arg=str() as name):
                call = self._parents[parent]
                return isinstance(call, ast.Call) and self._is_taken(call, name, kind)
            case ast.Dict() | ast.List() if use not in getattr(parent, "keys", ()):
                call = self._parents[parent]
                copied = isinstance(call, ast.Call) and call.args[:1] == [parent]
                takes = _COPIES_PARTS[type(parent)]
                return kind == "list" and copied and self.library(call.func) == takes  # type: ignore[attr-defined]
        return False

    def _is_key(self, method: ast.Attribute) -> bool:
        """Return whether a bound method is the ``key`` that a built-in function calls."""
        keyword = self._parents[method]
        call = self._parents.get(keyword)
        if not isinstance(keyword, ast.keyword) or not isinstance(call, ast.Call):
            return False
        named = ("builtins.sorted", "builtins.max", "builtins.min")
        return keyword.arg == "key" and self.library(call.func) in named

    def _is_taken(self, call: ast.Call, at: int | str, kind: str) -> bool:
        """Return whether a call keeps nothing of an argument but its parts."""
        name = self.library(call.func)
        if name is None:
            return self._is_taken_by_own(call, at, kind)
        if states(name) or name.startswith("dpaudit."):  # domains of records copy their values
            return True
        if name in ("builtins.max", "builtins.min", "builtins.sum") and len(call.args) > 1:
            return False  # one of these may be the result
        if name in ("builtins.map", "builtins.filter") and at == 0:
            return False
        if name in _TAKES:
            only = name != "copy.deepcopy" or len(call.args) == 1  # a memo keeps what it copies
            return only and (isinstance(at, int) or name.startswith("random."))
        if kind == "list" and name.startswith(_OF_LISTS):
            known = is_deterministic(name) or name == "numpy.random.choice"
            return known and not is_in_place(name) and not applies(name)
        return self.is_taken_by(name, at, kind)

    def is_taken_by(self, name: str | None, at: int | str, kind: str) -> bool:
        """Return whether a function of another module of the user's keeps nothing but parts."""
        module, _, last = (name or "").rpartition(".")
        other = self.foreign(module) if module else None
        return other is not None and other.reads(last, at, kind=kind)

    def _is_taken_by_own(self, call: ast.Call, at: int | str, kind: str) -> bool:
        match call.func:
            case ast.Name(id=function):
                return self.reads(function, at, kind=kind)
            case ast.Attribute(attr=method):
                return method in _TAKEN_BY and not self.gives(method)
        return False

    def library(self, node: ast.expr) -> str | None:
        """Return the full name of what an expression names of another module, None of all else."""
        path: list[str] = []
        while isinstance(node, ast.Attribute):
            path.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        bound = self.bound(node.id)
        names = {self._imported(each) for each in bound}
        if not bound and not self.uses_of("*"):
            names = {f"builtins.{node.id}"}
        (name,) = names if len(names) == 1 else (None,)
        return None if name is None else ".".join((name, *path))

    def _imported(self, node: ast.AST) -> str | None:
        """Return what an import gives a name to, None where it is bound otherwise."""
        made = self._parents.get(node)
        match node, made:
            case ast.alias(name=name, asname=other), ast.Import():
                return name if other else name.partition(".")[0]
            case ast.alias(name=name), ast.ImportFrom(module=module, level=level):
                return ".".join(filter(None, (absolute(self.package, level, module), name)))
        return None

    def parent(self, node: ast.AST) -> ast.AST | None:
        """Return what a node is a part of."""
        return self._parents.get(node)

    def function_of(self, node: ast.AST) -> ast.FunctionDef | ast.Lambda | None:
        """Return the function that owns the variables of the block that a node is in."""
        inner: ast.AST | None = node
        while inner is not None and not isinstance(inner, ast.FunctionDef | ast.Lambda):
            inner = None if isinstance(inner, ast.ClassDef) else self._parents.get(inner)
        return inner

    def hides(self) -> bool:
        """Return whether code may use variables that it does not name."""
        return any(self.uses_of(name) for name in _HIDING)

    def bound(self, name: str) -> list[ast.AST]:
        """Return the nodes that bind a name."""
        return [node for node in self.uses_of(name) if not _is_load(node)]

    def uses_of(self, name: str) -> list[ast.AST]:
        """Return the nodes that read or bind a name, in whichever scope."""
        if not self._parents:
            for node in ast.walk(self.tree):
                for child in ast.iter_child_nodes(node):
                    self._parents[child] = node
                for bound in _bound_or_read(node):
                    self._names.setdefault(bound, []).append(node)
        return self._names.get(name, [])


def _members(node: ast.ClassDef) -> set[str]:
    """Return the names that the body of a class gives a value to."""
    assigned = [n for n in node.body if not isinstance(n, ast.AnnAssign) or n.value is not None]
    functions = {n.name for n in node.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    inside = (
        n for each in assigned for n in ast.walk(each) if not isinstance(each, ast.FunctionDef)
    )
    return functions | {n.id for n in inside if isinstance(n, ast.Name) and not _is_load(n)}


def _is_flat(node: ast.expr | None) -> bool:
    """Return whether an expression is a display of constants."""
    if isinstance(node, ast.Dict):
        return all(isinstance(value, ast.Constant) for value in node.values)
    parts = node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else [None]
    return all(isinstance(part, ast.Constant) for part in parts)


def _is_load(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


def _yields(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(n, ast.Yield | ast.YieldFrom | ast.Await) for n in ast.walk(node))


def _bound_or_read(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node itself reads or binds."""
    match node:
        case ast.Name(id=name) | ast.arg(arg=name):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.alias(name=name, asname=other):
            yield other or name.partition(".")[0]
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            yield from names
        case ast.ExceptHandler(name=str() as name):
            yield name
        case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
            yield name
        case ast.MatchMapping(rest=str() as name):
            yield name
