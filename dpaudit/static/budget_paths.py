"""Budget paths: in which order a function answers, tests its budget, books a price, and refuses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Literal

from dpaudit.static.budget_conditions import BUDGET, is_ahead, is_of_none, is_strict, refuses
from dpaudit.static.modules import DEFINITIONS, Function

_SPENDS = re.compile(r"^_?(spend|charge|debit|consume|withdraw|deduct)(_\w+)?$")
_UNDONE = frozenset({"pop", "clear", "remove", "popitem", "rollback", "refund"})
_SHOWN = frozenset({"print", "info", "warning", "error", "debug", "exception", "warn"})
_MOST = 64  # paths of a function
_DEEPEST = 3
_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)

Kind = Literal["answer", "keep", "leave", "test", "book", "refuse", "wait", "undo", "optional"]


class TooManyPathsError(Exception):
    """A function has more paths than are looked at."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a path does at a place.

    Attributes
    ----------
    kind : str
        An answer with noise is formed, is kept where others see it, or leaves the function; a
        test of the budget passes, or ends in a refusal; a price is booked; other tasks may run;
        what was kept is undone; or the budget is optional.
    node : ast.AST
    names : frozenset of str
        The names that a price, or both sides of a test, are made of.
    strict : bool
        Of a refusal: that more than the budget is spent, or would be.
    ahead : bool
        Of a refusal: that it is of a price which is not booked yet.
    """

    kind: Kind
    node: ast.AST
    names: frozenset[str] = frozenset()
    strict: bool = True
    ahead: bool = True


@dataclass(slots=True)
class Path:
    """A way through a function: its steps, how it ended, and what its names are made of.

    It knows which names hold an answer or noise, whether an answer or noise is returned, and which
    calls gave nothing of either. In a called function, names stand for what they are made of.
    """

    steps: tuple[Step, ...] = ()
    ended: str = ""
    made_of: dict[str, frozenset[str]] = field(default_factory=dict)
    answers: frozenset[str] = frozenset()
    noise: frozenset[str] = frozenset()
    gives: str = ""
    called: bool = False
    empty: frozenset[int] = frozenset()

    def did(self, kind: Kind, node: ast.AST, names: Set[str] = frozenset()) -> Path:
        """Return the path with one more step."""
        return replace(self, steps=(*self.steps, Step(kind, node, frozenset(names))))

    def names(self, node: ast.AST) -> frozenset[str]:
        """Return the names that an expression is made of, through assignments."""
        found: set[str] = set()
        for part in ast.walk(node):
            if isinstance(part, ast.Name | ast.Attribute):
                name = ast.unparse(part)
                local = self.called and isinstance(part, ast.Name) and name in self.made_of
                found |= self.made_of.get(name, frozenset()) | (set() if local else {name})
        return frozenset(found - {"self"})


class Paths:
    """The paths of a function, through the functions that it calls.

    Parameters
    ----------
    functions : mapping of int to Function
        What calls run, by the id of their node.
    noisy : set of int
        Ids of the calls that draw noise.
    """

    def __init__(self, functions: Mapping[int, Function], noisy: Set[int]) -> None:
        self.functions, self.noisy = functions, noisy
        self._inside: list[ast.AST] = []
        self._locked = 0

    def of(self, function: Function) -> list[Path]:
        """Return the paths of a function; none where it has too many."""
        if not isinstance(function.node, DEFINITIONS):
            return []
        self._inside = [function.node]
        try:
            return self._block([Path()], function.node.body)
        except (TooManyPathsError, RecursionError):
            return []

    def _block(self, paths: list[Path], body: Sequence[ast.stmt]) -> list[Path]:
        for node in body:
            done = [p for p in paths if p.ended]
            paths = done + [q for p in paths if not p.ended for q in self._statement(p, node)]
            if len(paths) > _MOST:
                raise TooManyPathsError
        return paths

    def _statement(self, path: Path, node: ast.stmt) -> list[Path]:
        match node:
            case ast.If():
                return self._if(path, node)
            case ast.For() | ast.AsyncFor() | ast.While():
                head = node.test if isinstance(node, ast.While) else node.iter
                inner = self._block(self._expression(path, head), node.body)
                return [replace(p, ended="" if p.ended == "loop" else p.ended) for p in inner]
            case ast.With() | ast.AsyncWith():
                return self._with(path, node)
            case ast.Try():
                return self._try(path, node)
            case ast.Return() | ast.Raise():
                return self._end(path, node)
            case ast.Continue() | ast.Break():
                return [replace(path, ended="loop")]
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign() if node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                paths = self._expression(path, node.value)
                for target in targets:
                    paths = [
                        p if p.ended else self._assign(p, node, target, node.value) for p in paths
                    ]
                return paths
            case ast.Expr():
                paths = self._expression(path, node.value)
                return [p if p.ended else self._shown(p, node.value) for p in paths]
        return [path]

    def _end(self, path: Path, node: ast.Return | ast.Raise) -> list[Path]:
        value = node.value if isinstance(node, ast.Return) else node.exc
        paths = [path] if value is None else self._expression(path, value)
        ended = "return" if isinstance(node, ast.Return) else "raise"
        result = []
        for p in paths:
            if value is not None and not p.ended and self._answers(p, value):
                outside = isinstance(node, ast.Raise) or len(self._inside) == 1
                p = replace(p.did("leave", node) if outside else p, gives="answer")
            elif value is not None and not p.ended and self._draws(p, value):
                p = replace(p, gives="noise")
            result.append(p if p.ended else replace(p, ended=ended))
        return result

    def _if(self, path: Path, node: ast.If) -> list[Path]:
        known = refuses(node.test)
        result = []
        for p in self._expression(path, node.test):
            if p.ended:
                result.append(p)
                continue
            names = p.names(node.test)
            arm, other = (node.body, node.orelse) if known else (node.orelse, node.body)
            if known is None or (known and not (arm and isinstance(arm[-1], _ENDS))):
                optional = known is None and bool(BUDGET.search(ast.unparse(node.test)))
                p = p.did("optional", node) if optional or is_of_none(node.test) else p
                result += self._block([p], node.body) + self._block([p], node.orelse)
                continue
            no = Step("refuse", node, names, is_strict(node.test), is_ahead(node.test))
            result += self._block([replace(p, steps=(*p.steps, no))], arm)
            result += self._block([p.did("test", node, names)], other)
        return result

    def _with(self, path: Path, node: ast.With | ast.AsyncWith) -> list[Path]:
        paths = [path]
        for item in node.items:
            paths = [
                q
                for p in paths
                for q in ([p] if p.ended else self._expression(p, item.context_expr))
            ]
        locks = any(re.search("lock|mutex|semaphore", ast.unparse(i), re.I) for i in node.items)
        self._locked += locks
        paths = self._block(paths, node.body)
        self._locked -= locks
        return paths

    def _try(self, path: Path, node: ast.Try) -> list[Path]:
        result = []
        for p in self._block([path], node.body):
            if p.ended == "raise" and node.handlers:
                for handler in node.handlers:
                    result += self._block([replace(p, ended="")], handler.body)
            else:
                result += [p] if p.ended else self._block([p], node.orelse)
        final = []
        for p in result:
            after = self._block([replace(p, ended="")], node.finalbody)
            final += [replace(q, ended=q.ended or p.ended) for q in after]
        return final

    def _assign(self, path: Path, node: ast.stmt, target: ast.expr, value: ast.expr) -> Path:
        text = ast.unparse(target)
        names = path.names(value)
        added = isinstance(node, ast.AugAssign) or text in names
        if isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                path = self._assign(path, node, part, value)
            return path
        if added and BUDGET.search(text) and not self._answers(path, value):
            own = frozenset() if isinstance(node, ast.AugAssign) else {text}
            path = path.did("book", node, names - own)
        kept = path.made_of.get(text, frozenset()) if added else frozenset()
        path = replace(path, made_of={**path.made_of, text: names | kept})
        answer = self._answers(path, value)
        if isinstance(target, ast.Name):
            noise = not answer and self._draws(path, value)
            answers = path.answers | {text} if answer else path.answers - {text}
            all_noise = path.noise | {text} if noise else path.noise - {text}
            return replace(path, answers=answers, noise=all_noise)
        return self._put(path, target, node) if answer else path

    def _put(self, path: Path, into: ast.expr, node: ast.AST) -> Path:
        """Return the path after an answer was put into something."""
        root = into
        while isinstance(root, ast.Subscript):
            root = root.value
        if isinstance(root, ast.Name):
            return replace(path, answers=path.answers | {root.id})
        return path.did("keep", node)

    def _shown(self, path: Path, value: ast.expr) -> Path:
        """Return the path after an expression alone on its line."""
        inner = value.value if isinstance(value, ast.Await) else value
        if not isinstance(inner, ast.Call):
            return path
        given = [*inner.args, *(k.value for k in inner.keywords)]
        name = getattr(inner.func, "attr", getattr(inner.func, "id", ""))
        if name in _UNDONE:
            return path.did("undo", inner)
        if not any(self._answers(path, each) for each in given):
            return path
        if name in _SHOWN:
            return path.did("keep", inner)
        grows = name in ("append", "add", "update", "extend", "insert", "setdefault", "put")
        if grows and isinstance(inner.func, ast.Attribute):
            return self._put(path, inner.func.value, inner)
        return path

    def _expression(self, path: Path, node: ast.expr) -> list[Path]:
        """Return the paths after the calls of an expression, innermost first."""
        paths = [path]
        for part in _inner_first(node):
            paths = [q for p in paths for q in ([p] if p.ended else self._part(p, part))]
        return paths

    def _part(self, path: Path, node: ast.AST) -> list[Path]:
        if isinstance(node, ast.Await) and not self._locked:
            return [path.did("wait", node)]
        if isinstance(node, ast.Yield) and node.value is not None:
            if not self._answers(path, node.value):
                return [path]
            return [replace(path.did("keep", node), gives="answer")]
        if not isinstance(node, ast.Call):
            return [path]
        function = self.functions.get(id(node))
        paths = [path]
        if function is not None and isinstance(function.node, DEFINITIONS):
            if function.node not in self._inside and len(self._inside) <= _DEEPEST:
                paths = self._called(path, node, function)
        elif isinstance(node.func, ast.Attribute) and _SPENDS.match(node.func.attr):
            names = path.names(ast.Tuple([*node.args, *(k.value for k in node.keywords)]))
            refused = replace(path.did("refuse", node, names), ended="raise")
            paths = [path.did("test", node, names).did("book", node, names), refused]
        if id(node) in self.noisy:
            told = [p.ended or id(node) in p.empty for p in paths]
            paths = [
                p if t else p.did("answer", node, p.names(node))
                for p, t in zip(paths, told, strict=True)
            ]
        return paths

    def _called(self, path: Path, node: ast.Call, function: Function) -> list[Path]:
        assert isinstance(function.node, DEFINITIONS)
        spec = function.node.args
        free = [p.arg for p in (*spec.posonlyargs, *spec.args)]
        free = free[1:] if function.owner and free[:1] in (["self"], ["cls"]) else free
        given = dict(zip(free, node.args, strict=False))
        given |= {k.arg: k.value for k in node.keywords if k.arg}
        held = {name: made for name, made in path.made_of.items() if name.startswith("self.")}
        held |= {name: path.names(value) for name, value in given.items()}
        answers = frozenset(n for n, value in given.items() if self._answers(path, value))
        inner = replace(path, made_of=held, answers=answers, noise=frozenset(), gives="")
        inner.called = True
        self._inside.append(function.node)
        found = self._block([inner], function.node.body)
        self._inside.pop()
        result: list[Path] = []
        for p in found:
            of_self = {n: made for n, made in p.made_of.items() if n.startswith("self.")}
            ended = p.ended if p.ended == "raise" else ""
            outer = replace(path, steps=p.steps, ended=ended, made_of=path.made_of | of_self)
            outer.empty = p.empty if p.gives else p.empty | {id(node)}
            if all(outer != each for each in result):
                result.append(outer)
        return result

    def _draws(self, path: Path, node: ast.AST) -> bool:
        return any(
            (isinstance(n, ast.Call) and id(n) in self.noisy - path.empty)
            or (isinstance(n, ast.Name) and n.id in path.noise)
            for n in ast.walk(node)
        )

    def _answers(self, path: Path, node: ast.AST) -> bool:
        """Whether an expression has an answer in it: more than noise alone."""
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id in path.answers:
                return True
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add | ast.Sub):
                sides = part.left, part.right
                drawn = [self._draws(path, side) for side in sides]
                others = [s for s, d in zip(sides, drawn, strict=True) if not d]
                if any(drawn) and not any(isinstance(s, ast.Constant) for s in others):
                    return True
            if isinstance(part, ast.Call) and id(part) in self.noisy - path.empty:
                if id(part) in self.functions:
                    name = self.functions[id(part)].name
                    if not re.search("noise|sample|draw|laplace$|gauss", name, re.I):
                        return True
                elif len(part.args) > 1 and not isinstance(part.args[0], ast.Constant):
                    return True
        return False


def _inner_first(node: ast.AST) -> Iterable[ast.AST]:
    if isinstance(node, ast.Lambda):
        return
    for child in ast.iter_child_nodes(node):
        yield from _inner_first(child)
    yield node
