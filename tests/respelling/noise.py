"""Noise in other words: by location or added, scaled, from other draws, another library."""

from __future__ import annotations

import ast

from tests.respelling.rewrite import Drawn, Pair, Rewrite, Scene, drawn, lines, made

_QUANTILES = {
    "laplace": "(-B * np.sign(U) * np.log1p(-2 * np.abs(U)))",
    "exponential": "(-B * np.log1p(-U))",
    "gumbel": "(-B * np.log(-np.log(U)))",
}
_DIFFERENCE = "(rng.exponential(B, S) - rng.exponential(B, S))"


def _plain(node: ast.AST, *families: str) -> Drawn | None:
    """Return noise around zero."""
    noise = drawn(node)
    zero = noise is not None and (noise.loc is None or ast.unparse(noise.loc) in ("0", "0.0"))
    return noise if noise is not None and zero and noise.family in families else None


def _size(noise: Drawn) -> ast.expr:
    return ast.Constant(None) if noise.size is None else noise.size


def by_location(node: ast.AST, _: Scene) -> Pair:
    """``x + rng.laplace(scale=b)`` as ``rng.laplace(x, b)``; the twin halves the scale."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return None
    noise = _plain(node.right, "laplace", "normal", "gumbel")
    if noise is None:
        return None
    parts = {"X": node.left, "B": noise.scale, "S": _size(noise)}
    right = made(f"rng.{noise.family}(X, B, S)", **parts)
    return right, made(f"rng.{noise.family}(X, B / 2, S)", **parts)


def scaled(node: ast.AST, _: Scene) -> Pair:
    """``rng.laplace(scale=b)`` as ``b * rng.laplace()``; the twin draws with b below 1 squared."""
    noise = _plain(node, "laplace", "normal", "gumbel", "exponential")
    if noise is None:
        return None
    parts = {"B": noise.scale, "S": _size(noise)}
    right = made(f"((B) * rng.{noise.family}(size=S))", **parts)
    return right, made(f"((B) * rng.{noise.family}(scale=0.5, size=S))", **parts)


def of_exponentials(node: ast.AST, _: Scene) -> Pair:
    """Laplace noise as a difference of exponentials; the twin takes one of them alone."""
    noise = _plain(node, "laplace")
    if noise is None:
        return None
    parts = {"B": noise.scale, "S": _size(noise)}
    return made(_DIFFERENCE, **parts), made("rng.exponential(B, S)", **parts)


def of_one_exponential(node: ast.AST, _: Scene) -> Pair:
    """Laplace noise with a sign of its own; the twin's sign is nearly always positive."""
    noise = _plain(node, "laplace")
    if noise is None:
        return None
    parts = {"B": noise.scale, "S": _size(noise)}
    right = made("rng.choice([-1.0, 1.0], size=S) * rng.exponential(B, S)", **parts)
    return right, made("rng.choice([1.0, 1.0], size=S) * rng.exponential(B, S)", **parts)


def by_quantiles(node: ast.AST, scene: Scene) -> Pair:
    """Noise by its inverse distribution function; the twin's uniform number is off by a half."""
    noise = _plain(node, *_QUANTILES)
    if noise is None:
        return None
    formula = _QUANTILES[noise.family]
    middle = " - 0.5" if noise.family == "laplace" else ""
    text = "def NAME(rng, b, size=None):\n    u = rng.random(size)%s\n    return %s"
    filled = formula.replace("B", "b").replace("U", "u")
    shifted = "" if middle else " * 0.5 + 0.5"
    parts = {"B": noise.scale, "S": _size(noise)}
    right = made("NAME(rng, B, S)", NAME=scene.define(text % (middle, filled)), **parts)
    return right, made("NAME(rng, B, S)", NAME=scene.define(text % (shifted, filled)), **parts)


def by_scipy(node: ast.AST, _: Scene) -> Pair:
    """Noise of `scipy.stats`; the twin passes the scale as the location."""
    names = {"laplace": "laplace", "normal": "norm", "gumbel": "gumbel_r", "exponential": "expon"}
    noise = _plain(node, *names)
    if noise is None:
        return None
    parts = {"B": noise.scale, "S": ast.Constant(1) if noise.size is None else noise.size}
    family = names[noise.family]
    one = "[0]" if noise.size is None else ""
    right = f"scipy.stats.{family}.rvs(scale=B, size=S, random_state=rng){one}"
    return made(right, **parts), made(right.replace("scale=B", "loc=B, scale=0.1"), **parts)


def one_by_one(node: ast.AST, _: Scene) -> Pair:
    """A vector of noise as noise an entry; the twin has one noise for all."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return None
    noise = _plain(node.right, "laplace", "normal", "gumbel", "exponential")
    if noise is None or noise.size is None or isinstance(noise.size, ast.Tuple):
        return None
    draw = made(f"rng.{noise.family}(scale=B)", B=noise.scale)
    right = made("np.array([value + DRAW for value in X])", X=node.left, DRAW=draw)
    wrong = made(
        "(lambda noise: np.array([value + noise for value in X]))(DRAW)", X=node.left, DRAW=draw
    )
    return right, wrong


def into_a_helper(node: ast.AST, scene: Scene) -> Pair:
    """A draw in a helper; the twin's helper draws with a third of the scale."""
    noise = _plain(node, "laplace", "normal", "gumbel")
    if noise is None:
        return None
    text = (
        "def NAME(generator, scale, size=None):\n    return generator.%s(scale=scale%s, size=size)"
    )
    parts = {"B": noise.scale, "S": _size(noise)}
    right = made("NAME(rng, B, S)", NAME=scene.define(text % (noise.family, "")), **parts)
    wrong = scene.define(text % (noise.family, " / 3"))
    return right, made("NAME(rng, B, S)", NAME=wrong, **parts)


def into_a_lambda(node: ast.AST, _: Scene) -> Pair:
    """A draw in a lambda; the twin divides twice."""
    noise = _plain(node, "laplace", "normal", "gumbel")
    if noise is None:
        return None
    parts = {"B": noise.scale, "S": _size(noise)}
    text = f"(lambda scale, size: rng.{noise.family}(0.0, scale%s, size))(B, S)"
    return made(text % "", **parts), made(text % " / 3", **parts)


def by_position(node: ast.AST, _: Scene) -> Pair:
    """``rng.laplace(scale=b)`` as ``rng.laplace(0.0, b)``; the twin swaps the two."""
    noise = _plain(node, "laplace", "normal", "gumbel")
    if noise is None:
        return None
    parts = {"B": noise.scale, "S": _size(noise)}
    right = made(f"rng.{noise.family}(0.0, B, S)", **parts)
    return right, made(f"rng.{noise.family}(B, 0.1, S)", **parts)


def of_the_module(definition: ast.FunctionDef, _: Scene) -> Pair:
    """NumPy's global generator; the twin seeds it."""
    if "rng" not in {a.arg for a in definition.args.args} or definition.decorator_list:
        return None
    before = ast.unparse(ast.Module(definition.body, []))
    attributes = [n for n in ast.walk(definition) if isinstance(n, ast.Attribute)]
    uses = [n for n in attributes if isinstance(n.value, ast.Name) and n.value.id == "rng"]
    if not uses or before.count("rng") != len(uses):
        return None  # the generator is passed on
    if {u.attr for u in uses} - {"laplace", "normal", "gumbel", "exponential", "random"}:
        return None
    for use in uses:
        use.value = made("np.random")
    wrong = ast.parse(ast.unparse(definition)).body[0]
    assert isinstance(wrong, ast.FunctionDef)
    wrong.body[_start(wrong) : _start(wrong)] = lines("np.random.seed(7)")
    return [definition], [wrong]


def _start(definition: ast.FunctionDef) -> int:
    return 0 if ast.get_docstring(definition) is None else 1


NOISE = (
    Rewrite("noise by location", "draws", "expression", by_location),
    Rewrite("noise scaled", "draws", "expression", scaled),
    Rewrite("difference of exponentials", "law", "expression", of_exponentials),
    Rewrite("exponential with a sign", "law", "expression", of_one_exponential),
    Rewrite("inverse distribution function", "law", "expression", by_quantiles),
    Rewrite("scipy.stats", "law", "expression", by_scipy),
    Rewrite("noise one by one", "draws", "expression", one_by_one),
    Rewrite("noise in a helper", "draws", "expression", into_a_helper),
    Rewrite("noise in a lambda", "draws", "expression", into_a_lambda),
    Rewrite("noise by position", "draws", "expression", by_position),
    Rewrite("global generator", "law", "function", of_the_module),
)
