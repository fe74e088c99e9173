"""Statements in other words: loops, branches, order, names, assignments."""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Callable

from tests.respelling.rewrite import Pair, Rewrite, Scene, drawn, has, lines, made, names_in, stored

Block = list[ast.stmt]
_CONTROL = (ast.Break, ast.Continue, ast.Return, ast.Raise)


def else_after_return(block: Block, _: Scene) -> Pair:
    """What follows ``if c: return`` as its else; the twin's noise is too small."""
    for at, node in enumerate(block[:-1]):
        if isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], ast.Return):
            node = ast.If(node.test, node.body, block[at + 1 :])
            return [*block[:at], node], None
    return None


def early_return(block: Block, _: Scene) -> Pair:
    """``return a if c else b`` and if-else as early returns; the twin's noise is too small."""
    last = block[-1]
    if isinstance(last, ast.If) and last.orelse and isinstance(last.body[-1], ast.Return):
        return [*block[:-1], ast.If(last.test, last.body, []), *last.orelse], None
    match last:
        case ast.Return(value=ast.IfExp(test=test, body=yes, orelse=no)):
            return [*block[:-1], *lines("if C:\n    return A\nreturn B", C=test, A=yes, B=no)], None
    return None


def arms_swapped(block: Block, _: Scene) -> Pair:
    """If-else with the test negated; the twin negates it and swaps nothing."""
    for at, node in enumerate(block):
        if isinstance(node, ast.If) and node.orelse:
            test = made("not (C)", C=node.test)
            right = ast.If(test, node.orelse, node.body)
            return [*block[:at], right, *block[at + 1 :]], None
    return None


def while_for_for(block: Block, scene: Scene) -> Pair:
    """A for loop over a sequence as a while loop; the twin's noise is too small."""
    for at, node in enumerate(block):
        if not isinstance(node, ast.For) or node.orelse or not isinstance(node.iter, ast.Name):
            continue
        if has(node, ast.Continue) or node.iter.id in stored(*node.body):
            continue
        i = scene.fresh("position")
        text = "I = 0\nwhile I < len(X):\n    T = X[I]\n    I += 1\n    BODY"
        found = lines(text, I=ast.Name(i), X=node.iter, T=node.target, BODY=node.body)
        return [*block[:at], *found, *block[at + 1 :]], None
    return None


def _about_loops(text: str) -> Callable[[Block, Scene], Pair]:
    def rule(block: Block, scene: Scene) -> Pair:
        for at, node in enumerate(block):
            if not isinstance(node, ast.For) or node.orelse or not isinstance(node.iter, ast.Name):
                continue
            if not isinstance(node.target, ast.Name) or node.iter.id in stored(*node.body):
                continue
            i = ast.Name(scene.fresh("position"))
            found = lines(text, I=i, X=node.iter, T=node.target, BODY=node.body)
            return [*block[:at], *found, *block[at + 1 :]], None
        return None

    return rule


def loop_for_comprehension(block: Block, scene: Scene) -> Pair:
    """A list comprehension as a loop that appends; the twin's noise is too small."""
    for at, statement in enumerate(block):
        if isinstance(statement, ast.For | ast.While | ast.If | ast.With | ast.Try):
            continue
        for node in ast.walk(statement):
            if not isinstance(node, ast.ListComp) or len(node.generators) != 1:
                continue
            if any(
                isinstance(n, ast.Lambda | ast.ListComp | ast.GeneratorExp) and n is not node
                for n in ast.walk(statement)
            ):
                continue
            found = scene.fresh("found")
            clause = node.generators[0]
            body = lines("FOUND.append(E)", FOUND=ast.Name(found), E=node.elt)
            for test in reversed(clause.ifs):
                body = [ast.If(test, body, [])]
            before = lines("FOUND = []", FOUND=ast.Name(found))
            loop = ast.For(clause.target, clause.iter, body, [])
            text = ast.unparse(statement).replace(ast.unparse(node), found)
            return [*block[:at], *before, loop, *lines(text), *block[at + 1 :]], None
    return None


def comprehension_for_loop(block: Block, _: Scene) -> Pair:
    """A loop that appends alone as a comprehension; the twin's noise is too small."""
    for at, (first, second) in enumerate(itertools.pairwise(block)):
        match first, second:
            case (
                ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)),
                ast.For(
                    body=[
                        ast.Expr(
                            value=ast.Call(
                                func=ast.Attribute(value=ast.Name(id=to), attr="append"),
                                args=[element],
                            )
                        )
                    ],
                    orelse=[],
                ),
            ) if name == to and name not in names_in(element) and first.value is not None:
                if ast.unparse(first.value) != "[]":
                    continue
                parts = {"N": ast.Name(name), "E": element, "T": second.target, "X": second.iter}
                return [*block[:at], *lines("N = [E for T in X]", **parts), *block[at + 2 :]], None
    return None


def map_for_comprehension(node: ast.AST, _: Scene) -> Pair:
    """``[f(x) for x in xs]`` as ``list(map(..., xs))``; the twin's noise is too small."""
    match node:
        case ast.ListComp(
            elt=element, generators=[ast.comprehension(target=ast.Name(id=x), ifs=[]) as c]
        ):
            function = ast.Lambda(ast.arguments([], [ast.arg(x)], None, [], [], None, []), element)
            return made("list(map(F, X))", F=function, X=c.iter), None
    return None


def reordered(block: Block, _: Scene) -> Pair:
    """Two independent assignments swapped; the twin's noise is too small."""
    for at, (first, second) in enumerate(itertools.pairwise(block)):
        if not (isinstance(first, ast.Assign) and isinstance(second, ast.Assign)):
            continue
        either = stored(first) & names_in(second) or stored(second) & names_in(first)
        if either or _draws(first) or _draws(second):
            continue
        return [*block[:at], second, first, *block[at + 2 :]], None
    return None


def unpacked(block: Block, _: Scene) -> Pair:
    """Two independent assignments as one of tuples; the twin's noise is too small."""
    for at, (first, second) in enumerate(itertools.pairwise(block)):
        match first, second:
            case (
                ast.Assign(targets=[ast.Name(id=a)], value=one),
                ast.Assign(targets=[ast.Name(id=b)], value=two),
            ) if a not in names_in(two) and a != b and b not in names_in(one):
                parts = {"A": ast.Name(a), "B": ast.Name(b), "ONE": one, "TWO": two}
                return [*block[:at], *lines("A, B = ONE, TWO", **parts), *block[at + 2 :]], None
    return None


def _draws(node: ast.AST) -> bool:
    return "rng" in names_in(node) or any(drawn(n) for n in ast.walk(node))


def _about_results(right: str, wrong: str | None) -> Callable[[Block, Scene], Pair]:
    def rule(block: Block, scene: Scene) -> Pair:
        last = block[-1]
        if not isinstance(last, ast.Return) or last.value is None:
            return None
        parts = {
            "R": ast.Name(scene.fresh("result")),
            "E": last.value,
            "DATA": ast.Name(scene.data),
        }
        bad = None if wrong is None else [*block[:-1], *lines(wrong, **parts)]
        return [*block[:-1], *lines(right, **parts)], bad

    return rule


def augmented(block: Block, scene: Scene) -> Pair:
    """``return a + noise`` as ``+=`` on a copy; the twin changes a copy and returns the other."""
    last = block[-1]
    match last:
        case ast.Return(value=ast.BinOp(left=first, op=ast.Add(), right=second)):
            parts = {"R": ast.Name(scene.fresh("result")), "A": first, "B": second}
            right = lines("R = 1.0 * (A)\nR += B\nreturn R", **parts)
            wrong = lines("R = 1.0 * (A)\nother = R + B\nother += 1\nreturn R", **parts)
            return [*block[:-1], *right], [*block[:-1], *wrong]
    return None


def constants_by_name(node: ast.AST, scene: Scene) -> Pair:
    """A numeric constant as a global of the module; the twin's noise is too small."""
    if not isinstance(node, ast.Constant) or type(node.value) not in (int, float):
        return None
    return scene.define("NAME = VALUE", VALUE=copy.deepcopy(node)), None


FLOW = (
    Rewrite("else after return", "draws", "block", else_after_return),
    Rewrite("early return", "draws", "block", early_return),
    Rewrite("arms swapped", "draws", "block", arms_swapped),
    Rewrite("while for for", "draws", "block", while_for_for),
    Rewrite(
        "loop by enumerate", "draws", "block", _about_loops("for I, T in enumerate(X):\n    BODY")
    ),
    Rewrite(
        "loop by range",
        "draws",
        "block",
        _about_loops("for I in range(len(X)):\n    T = X[I]\n    BODY"),
    ),
    Rewrite(
        "loop by zip",
        "draws",
        "block",
        _about_loops("for I, T in zip(range(len(X)), X):\n    BODY"),
    ),
    Rewrite("loop for comprehension", "draws", "block", loop_for_comprehension),
    Rewrite("comprehension for loop", "draws", "block", comprehension_for_loop),
    Rewrite("map for comprehension", "draws", "expression", map_for_comprehension),
    Rewrite("independent lines swapped", "draws", "block", reordered),
    Rewrite("tuple unpacking", "draws", "block", unpacked),
    Rewrite("walrus", "draws", "block", _about_results("return (R := E)", "return (R := E), DATA")),
    Rewrite(
        "result by name",
        "draws",
        "block",
        _about_results("R = E\nreturn R", "R = E\nreturn R, DATA[:1]"),
    ),
    Rewrite("augmented assignment", "draws", "block", augmented),
    Rewrite("constants by name", "draws", "expression", constants_by_name),
)
