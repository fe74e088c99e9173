"""A lifted program as Python functions, for any meaning of its constants, names and draws.

What a program says is what Python makes of it: loops, branches, closures and comprehensions are
Python's own. Only what a constant is, which function a name stands for, and how noise is drawn is
asked of whoever runs it: with exact numbers and draws that fork for distributions, with noise kept
as symbols to search for counterexamples, with NumPy itself to compare the program with the code
that it was read from.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from typing import Any, Protocol, TypeVar

from dpaudit.checker.file import NotCheckedError, RejectedError
from dpaudit.checker.program import (
    Node,
    assigned,
    error_name,
    functions_of,
    identifier,
    refused,
    target_names,
)

FILE = "<a lifted program>"
_Tree = TypeVar("_Tree", bound=ast.stmt | ast.expr)
_HIDING_WORDS = """
base ctypes data dump dumps format_map getfield gi_frame mro newbyteorder setfield setflags
tofile view gi_code cr_frame cr_code func
"""
_HIDING = frozenset(_HIDING_WORDS.split())  # attributes that lead to files, memory or frames
_DISPLAYS: dict[str, Callable[[list[ast.expr]], ast.expr]] = {
    "tuple": lambda items: ast.Tuple(items, ast.Load()),
    "list": lambda items: ast.List(items, ast.Load()),
    "set": ast.Set,
}
_COMPREHENSIONS = {"list": ast.ListComp, "set": ast.SetComp, "generator": ast.GeneratorExp}


class RaisedError(BaseException):
    """An exception of the program, which is an output; nothing in the program handles it."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


def failure(error: BaseException) -> str:
    """Return why a run stops: the exception, if Python and NumPy with plain numbers raise it too.

    What stands in for these may lack an operation, and raise what the code never does.
    """
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    raised = at is not None and at.tb_frame.f_code.co_filename == FILE
    if raised and isinstance(error, LookupError | ArithmeticError):
        return f"the code raises {type(error).__name__}: {error!s:.100}"
    return "an operation that is not known for exact numbers and draws"


class Meaning(Protocol):
    """What is asked of whoever runs a program.

    Attributes
    ----------
    raises : bool
        Whether exceptions are raised as they are, instead of as `RaisedError`.
    """

    raises: bool

    def constant(self, node: Node) -> Any:
        """Return the value of a constant, anew for each run where it can change."""

    def function(self, name: str) -> Callable[..., Any]:
        """Return what a canonical name stands for."""

    def generator(self, origin: str, seed: Any, library: str | None) -> Any:
        """Return a source of randomness."""

    def draw(self, generator: Any, family: str, **arguments: Any) -> Any:
        """Return one draw."""

    def called(self, function: Callable[..., Any], node: Node) -> Callable[..., Any]:
        """Return what is called in the place of a function of the program."""

    @property
    def turn(self) -> Callable[[Callable[[], Any]], Any] | None:
        """What runs a turn of a loop, given as a function; None where turns are statements."""

    def step(self) -> None:
        """Count a turn of a loop, or a call."""


class Watch(Protocol):
    """What is told which way a run goes, and may change what it meets there.

    Attributes
    ----------
    lines : list of str
        The place in the source of each line of the code, from line 1 on.
    """

    lines: list[str]

    def test(self, value: Any) -> bool:
        """Return the outcome of a test, whose value is given."""

    def returned(self, value: Any) -> Any:
        """Return what is returned, other than the value of a function of the program."""

    def stored(self, holder: Any) -> Any:
        """Return what an entry is written into next."""

    def outside(self, function: Any) -> Any:
        """Return what is called in the place of a function that is no part of the program."""

    def error(self, node: Node) -> str:
        """Return the name of the exception that a statement raises."""


def compiled(
    entry: Node,
    meaning: Meaning,
    every: list[Node] | None = None,
    watch: Watch | None = None,
) -> Callable[..., Any]:
    """Return a function that does what a lifted function says.

    Parameters
    ----------
    entry : dict
        A function of a program, as certificates hold it.
    meaning : Meaning
    every : list of dict, optional
        All functions of the program, in order; those in `entry` unless given.
    watch : Watch, optional

    Raises
    ------
    NotCheckedError, RejectedError
        Where it is none, or holds what is not run.
    """
    writer = _Writer(meaning, functions_of(entry) if every is None else every, watch)
    name = writer.function(entry)
    tree = ast.fix_missing_locations(ast.Module(writer.functions, []))
    try:
        exec(compile(tree, FILE, "exec"), writer.space)
    except (SyntaxError, ValueError, TypeError) as error:
        raise NotCheckedError(f"not checked: the program is no Python: {error}") from None
    for called_name, node in writer.called.items():
        writer.space[called_name] = meaning.called(writer.space[called_name], node)
    return writer.space[name]  # type: ignore[no-any-return]


def safe(name: str) -> str:
    """Return the name of an attribute or a method; refuse those that lead behind objects."""
    if not name.isidentifier() or name.startswith("_") or name in _HIDING:
        raise RejectedError(f"the program reads the attribute {name!r:.60}")
    return name


class _Writer:
    """Writes the functions of a program as syntax trees.

    What a program cannot name, as it is no identifier, is ours: `space` holds what is meant.
    """

    def __init__(self, meaning: Meaning, every: list[Node], watch: Watch | None) -> None:
        self.meaning, self._every, self._watch = meaning, every, watch
        self._lines: dict[str, int] = {}
        self.functions: list[ast.stmt] = []
        self.space: dict[str, Any] = {
            "__builtins__": {},
            "draw of": meaning.draw,
            "generator of": meaning.generator,
            "constant of": meaning.constant,
            "count of": meaning.step,
            "turn of": meaning.turn,
            "raised of": RaisedError,
            "not checked of": NotCheckedError,
            "items of": self._counted,
        }
        if watch is not None:
            self.space |= {"test of": watch.test, "value of": watch.returned}
            self.space |= {"holder of": watch.stored, "outside of": watch.outside}
        self.called: dict[str, Node] = {}
        self._names: dict[int, str] = {}
        self._turns: list[str] = []
        self._in_turn = False

    def _counted(self, items: Iterable[Any]) -> Iterator[Any]:
        """Go through items, and count them."""
        for item in items:
            self.meaning.step()
            yield item

    def _placed(self, written: _Tree, node: Node) -> _Tree:
        """Return code on a line of its own for each place in the source."""
        place = node.get("place")
        if isinstance(place, str):
            if place not in self._lines and self._watch is not None:
                self._watch.lines.append(place)
            line = self._lines.setdefault(place, len(self._lines) + 1)
            written.lineno = written.end_lineno = line
            written.col_offset = written.end_col_offset = 0
        return written

    def _told(self, word: str, value: ast.expr, node: Node) -> ast.expr:
        """Return a value that whoever watches is told of."""
        return value if self._watch is None else self._placed(_call(word, value), node)

    # --- functions

    def function(self, node: Node) -> str:
        """Write a function, once; return its name."""
        node = self._whole(node)
        if id(node) not in self._names:
            name = self._names[id(node)] = f"function {len(self._names)}"
            self.functions.append(self._defined(name, node))
        return self._names[id(node)]

    def _whole(self, node: Node) -> Node:
        """Return a function that the program may name by its number."""
        if node.get("kind") == "Again" and 0 <= node["number"] < len(self._every):
            return self._every[node["number"]]
        if node.get("kind") != "Function":
            raise RejectedError("what the program calls as a function is none")
        return node

    def _defined(self, name: str, node: Node) -> ast.FunctionDef:
        node = self._whole(node)
        counted = ast.Expr(_call("count of"))
        inside, self._in_turn = self._in_turn, False
        end = ast.Return(self._told("value of", ast.Constant(None), node))
        body = [counted, *self._block(node["body"]), end]
        self._in_turn = inside
        return self._placed(ast.FunctionDef(name, self._parameters(node), body, []), node)

    def _parameters(self, node: Node) -> ast.arguments:
        defaults, starred = node["defaults"], node["starred"]
        names = [identifier(each) for each in node["parameters"] if each != starred]
        if len(set(names)) < len(names):
            raise RejectedError("a parameter of the program stands twice")
        values = [self.expr(defaults[each]) if each in defaults else None for each in names]
        first = next((i for i, value in enumerate(values) if value is not None), len(values))
        stop = next((i for i in range(first, len(values)) if values[i] is None), len(values))
        return ast.arguments(
            posonlyargs=[],
            args=[ast.arg(each) for each in names[:stop]],
            vararg=None if starred is None else ast.arg(identifier(starred)),
            kwonlyargs=[ast.arg(each) for each in names[stop:]],
            kw_defaults=values[stop:],
            kwarg=None,
            defaults=[value for value in values[first:stop] if value is not None],
        )

    # --- statements

    def _block(self, statements: list[Node]) -> list[ast.stmt]:
        return [each for node in statements for each in self._written(node)] or [ast.Pass()]

    def _written(self, node: Node) -> list[ast.stmt]:
        try:
            if node["kind"] == "Update":
                found = self._update(node)
            elif node["kind"] in ("For", "While"):
                found = self._loop(node)
            else:
                found = [self._statement(node)]
        except NotCheckedError as error:  # refused where a run gets there
            found = [ast.Raise(_call("not checked of", ast.Constant(str(error))))]
        return [self._placed(each, node) for each in found]

    def _loop(self, node: Node) -> list[ast.stmt]:
        """Write a loop; each turn of it is a function, where it is not left in the middle."""
        turns = self._in_turn
        self._in_turn = self.meaning.turn is not None and not leaves(node["body"])
        counted = ast.Expr(_call("count of"))
        body = [counted, *self._block(node["body"])]
        before: list[ast.stmt] = []
        if self._in_turn:
            name = f"turn {len(self.space)} {len(self._turns)}"
            self._turns.append(name)
            shared = sorted(assigned(node["body"]))
            if shared:  # they are variables of the function around
                names: list[ast.expr] = [ast.Name(each, ast.Store()) for each in shared]
                none = ast.Assign(names, ast.Constant(None), lineno=1)
                before = [ast.If(ast.Constant(False), [none], [])]
                body = [ast.Nonlocal(shared), *body]
            no = ast.arguments([], [], None, [], [], None, [])
            before.append(ast.FunctionDef(name, no, body, [], lineno=1, col_offset=0))
            body = [ast.Expr(_call("turn of", ast.Name(name, ast.Load())))]
        self._in_turn = turns
        after = self._block(node["otherwise"]) if node["otherwise"] else []
        if node["kind"] == "While":
            return [*before, ast.While(self._test(node["test"]), body, after)]
        target, among = self.target(node["target"]), self.expr(node["iterable"])
        return [*before, ast.For(target, among, body, after, lineno=1)]

    def _otherwise(self, statements: list[Node]) -> list[ast.stmt]:
        return self._block(statements) if statements else []

    def _statement(self, node: Node) -> ast.stmt:
        match node["kind"]:
            case "Assign":
                return ast.Assign([self.target(node["target"])], self.expr(node["value"]))
            case "Evaluate":
                return ast.Expr(self.expr(node["value"]))
            case "Branch":
                return ast.If(
                    self._test(node["test"]), self._block(node["yes"]), self._otherwise(node["no"])
                )
            case "Return":
                value, own = self.expr(node["value"]), _is_own_call(node["value"])
                return ast.Return(value if own else self._told("value of", value, node))
            case "Leave":
                if node["how"] == "break":
                    return ast.Break()
                return ast.Return(ast.Constant(None)) if self._in_turn else ast.Continue()
            case "Raise":
                return self._raised(node)
            case "Define":
                return self._defined(identifier(node["name"]), node["function"]["function"])
        raise RejectedError(f"the program has a statement of the kind {node['kind']!r:.40}")

    def _raised(self, node: Node) -> ast.stmt:
        if not self.meaning.raises:
            text = error_name(node) if self._watch is None else self._watch.error(node)
            return ast.Raise(_call("raised of", ast.Constant(text)))
        if node["value"] is None:
            return ast.Raise(_call(self._named("builtins.RuntimeError")))
        return ast.Raise(self.expr(node["value"]))

    def _update(self, node: Node) -> list[ast.stmt]:
        """``target op= value``: what is updated is looked up once."""
        target = node["target"]
        first: list[ast.stmt] = []
        if target["kind"] == "Subscript":
            of, at = (f"part {len(self.space)} {word}" for word in ("of", "at"))
            first = [
                ast.Assign([ast.Name(of, ast.Store())], self.expr(target["value"])),
                ast.Assign([ast.Name(at, ast.Store())], self.expr(target["index"])),
            ]
            held, place = ast.Name(of, ast.Load()), ast.Name(at, ast.Load())
            old: ast.expr = ast.Subscript(held, place, ast.Load())
            written = self._told("holder of", held, target)
            new: ast.expr = ast.Subscript(written, place, ast.Store())
        else:
            old, new = self.expr(target), self.target(target)
        found = _call(self._named(node["function"]), old, self.expr(node["value"]))
        return [*first, ast.Assign([new], found)]

    def target(self, node: Node) -> ast.expr:
        """Return what is assigned to."""
        return self._placed(self._target(node), node)

    def _target(self, node: Node) -> ast.expr:
        match node["kind"]:
            case "Name":
                return ast.Name(identifier(node["id"]), ast.Store())
            case "Subscript":
                value, index = self.expr(node["value"]), self.expr(node["index"])
                return ast.Subscript(self._told("holder of", value, node), index, ast.Store())
            case "Starred":
                return ast.Starred(self.target(node["value"]), ast.Store())
            case "tuple" | "list":
                return ast.Tuple([self.target(item) for item in node["items"]], ast.Store())
        raise refused("an assignment to this", node)

    # --- expressions

    def _test(self, node: Node) -> ast.expr:
        """Return what decides which way a run goes."""
        return self._told("test of", self.expr(node), node)

    def expr(self, node: Node) -> ast.expr:
        """Return an expression."""
        return self._placed(self._expression(node), node)

    def _expression(self, node: Node) -> ast.expr:
        kind = node["kind"]
        match kind:
            case "Constant":
                return self._constant(node)
            case "Name":
                return ast.Name(identifier(node["id"]), ast.Load())
            case "Generator":
                seed = ast.Constant(None) if node["seed"] is None else self.expr(node["seed"])
                origin, library = (ast.Constant(node[name]) for name in ("origin", "library"))
                return _call("generator of", origin, seed, library)
            case "Draw":
                return self._draw(node)
            case "Call":
                return self._call(node)
            case "Starred":
                return ast.Starred(self.expr(node["value"]), ast.Load())
            case "Slice":
                ends = (node["start"], node["stop"], node["step"])
                parts = [ast.Constant(None) if end is None else self.expr(end) for end in ends]
                return _call(self._named("builtins.slice"), *parts)
            case "Subscript":
                return ast.Subscript(self.expr(node["value"]), self.expr(node["index"]), ast.Load())
            case "Attribute":
                return ast.Attribute(self.expr(node["value"]), safe(node["name"]), ast.Load())
            case "Mapping":
                pairs = [(self.expr(key), self.expr(value)) for key, value in node["items"]]
                return ast.Dict([key for key, _ in pairs], [value for _, value in pairs])
            case "Choice":
                ways = self.expr(node["yes"]), self.expr(node["no"])
                return ast.IfExp(self._test(node["test"]), *ways)
            case "Logic":
                joined = ast.And() if node["operator"] == "and" else ast.Or()
                return ast.BoolOp(joined, [self.expr(each) for each in node["operands"]])
            case "Named":
                name = ast.Name(identifier(node["target"]["id"]), ast.Store())
                return ast.NamedExpr(name, self.expr(node["value"]))
            case "Closure":
                return self._lambda(node["function"])
        if "items" in node and kind in _DISPLAYS:
            return _DISPLAYS[kind]([self.expr(item) for item in node["items"]])
        if "clauses" in node:
            return self._comprehension(node)
        raise RejectedError(f"the program has an expression of the kind {kind!r:.40}")

    def _constant(self, node: Node) -> ast.expr:
        value = node["value"]
        if value is None or type(value) in (bool, str):
            return ast.Constant(value)
        name = f"constant {len(self.space)}"
        self.space[name] = node
        return _call("constant of", ast.Name(name, ast.Load()))

    def _draw(self, node: Node) -> ast.expr:
        given = [(safe(name), self.expr(value)) for name, value in node["arguments"]]
        return ast.Call(
            ast.Name("draw of", ast.Load()),
            [self.expr(node["generator"]), ast.Constant(safe(node["family"]))],
            [ast.keyword(name, value) for name, value in given],
        )

    def _call(self, node: Node) -> ast.expr:
        function = node["function"]
        called: ast.expr
        if isinstance(function, str):
            called = ast.Name(self._named(function), ast.Load())
        elif function["kind"] == "Constant":
            called = self._told("outside of", self._constant(function), function)
        else:
            name = self.function(function)
            self.called[name] = self._whole(function)
            called = ast.Name(name, ast.Load())
        arguments = [self.expr(each) for each in node["arguments"]]
        words = [ast.keyword(identifier(name), self.expr(v)) for name, v in node["keywords"]]
        return ast.Call(called, arguments, words)

    def _named(self, name: str) -> str:
        """Return the variable that holds what a canonical name stands for."""
        variable = f"name {name}"
        if variable not in self.space:
            self.space[variable] = self.meaning.function(name)
        return variable

    def _lambda(self, node: Node) -> ast.expr:
        node = self._whole(node)
        body = node["body"]
        if len(body) != 1 or body[0]["kind"] != "Return":
            if free(node):
                raise refused("a function that is made in the middle of an expression", node)
            return ast.Name(self.function(node), ast.Load())  # made anywhere, it is the same
        return ast.Lambda(self._parameters(node), self.expr(body[0]["value"]))

    def _comprehension(self, node: Node) -> ast.expr:
        kind, element = node["kind"], node["element"]
        clauses = [
            ast.comprehension(
                self.target(target),
                _call("items of", self.expr(among)),
                [self._test(each) for each in tests],
                is_async=0,
            )
            for target, among, tests in node["clauses"]
        ]
        if kind == "dict":
            key, value = (self.expr(part) for part in element["items"])
            return ast.DictComp(key, self._turn(element["items"][1], value), clauses)
        if kind not in _COMPREHENSIONS:
            raise RejectedError(f"the program has a comprehension of the kind {kind!r:.40}")
        return _COMPREHENSIONS[kind](self._turn(element, self.expr(element)), clauses)

    def _turn(self, node: Node, written: ast.expr) -> ast.expr:
        """Return an item of a comprehension as a turn of a loop, where it may draw."""
        if self.meaning.turn is None or not may_draw(node) or assigned(node):
            return written
        no = ast.arguments([], [], None, [], [], None, [])
        return _call("turn of", ast.Lambda(no, written))


def _is_own_call(node: Node) -> bool:
    """Return whether a function of the program is called."""
    function = node.get("function") if node["kind"] == "Call" else None
    return isinstance(function, dict) and function["kind"] != "Constant"


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def leaves(statements: list[Node]) -> bool:
    """Return whether statements of a loop may end it, or return."""
    for node in statements:
        match node["kind"]:
            case "Return":
                return True
            case "Leave":
                if node["how"] == "break":
                    return True
            case "Branch":
                if leaves(node["yes"]) or leaves(node["no"]):
                    return True
            case "For" | "While":
                if _returns(node["body"]) or leaves(node["otherwise"]):
                    return True
    return False


def _returns(statements: list[Node]) -> bool:
    """Return whether statements may return."""
    inside = ("yes", "no", "body", "otherwise")
    parts = [node[part] for node in statements for part in inside if part in node]
    return any(node["kind"] == "Return" for node in statements) or any(map(_returns, parts))


def free(node: Any) -> set[str]:
    """Return the names in a part of a program that the part itself gives no value to."""
    if isinstance(node, list | tuple):
        return set().union(*map(free, node))
    if not isinstance(node, dict):
        return set()
    match node.get("kind"):
        case "Name":
            return {identifier(node["id"])}
        case "Call":  # what is called is written on its own
            return free([node["arguments"], [value for _, value in node["keywords"]]])
        case "Again":  # it may be any function
            return {f"function {node['number']}"}
        case "Function":
            own = {*node["parameters"], str(node["starred"])} | assigned(node["body"])
            return (free(node["body"]) - own) | free(list(node["defaults"].values()))
    clauses = node.get("clauses", ())
    if not clauses:
        return free(list(node.values()))
    own = set().union(*(target_names(target) for target, _, _ in clauses))
    inside = [node["element"], [[among, tests] for _, among, tests in clauses]]
    return (free(inside) - own) | free(clauses[0][1])


def may_draw(node: Any) -> bool:
    """Return whether an expression may draw, or call what may."""
    if isinstance(node, list | tuple):
        return any(map(may_draw, node))
    if not isinstance(node, dict):
        return False
    calls = node.get("kind") == "Call" and not isinstance(node["function"], str)
    return calls or node.get("kind") == "Draw" or may_draw(list(node.values()))


def method(name: str) -> Callable[..., Any]:
    """Return what calls a method of its first argument."""
    word = safe(name)
    return lambda holder, *args, **named: getattr(holder, word)(*args, **named)


def called(function: Any, *args: Any, **named: Any) -> Any:
    """Call a function of the program, or a class or function of a library."""
    return function(*args, **named)


def looked_up(name: str) -> Any:
    """Return what a dotted name stands for in a library, which is imported; None for nothing."""
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        try:
            return reduce(
                getattr, parts[length:], importlib.import_module(".".join(parts[:length]))
            )
        except (ImportError, AttributeError):
            continue
    return None
