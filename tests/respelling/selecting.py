"""The best of scores, and choices by weight, in other words; and functions of other libraries."""

from __future__ import annotations

import ast
import itertools

from tests.respelling.rewrite import Pair, Rewrite, Scene, called, dotted, lines, made, names_in

_BEST = """
def NAME(scores):
    best = 0
    for i, score in enumerate(scores):
        if score > scores[best]:
            best = i
    return best
"""
_BEST_SO_FAR = """
def NAME(scores):
    best, highest = 0, -math.inf
    for i in range(len(scores)):
        if scores[i] > highest:
            best, highest = i, scores[i]
    return best
"""


def _best(node: ast.AST) -> ast.expr | None:
    """Return x of ``np.argmax(x)`` and ``x.argmax()``."""
    arguments = called(node, "np.argmax")
    if arguments is not None and len(arguments) == 1:
        return arguments[0]
    method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    if method and node.func.attr == "argmax" and not (node.args or node.keywords):  # type: ignore[attr-defined]
        return node.func.value  # type: ignore[attr-defined, no-any-return]
    return None


def _about_the_best(right: str, wrong: str, helper: str = "") -> object:
    def rule(node: ast.AST, scene: Scene) -> Pair:
        of = _best(node)
        if of is None:
            return None
        if not helper:
            return made(right, X=of), made(wrong, X=of)
        changed = helper.replace("return best", "return float(scores[best])")
        named = made(right, X=of, NAME=scene.define(helper))
        return named, made(right, X=of, NAME=scene.define(changed))

    return rule


def _chosen(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """Return (how many, weights) of a choice by weight, in the spellings of the mechanisms."""
    if isinstance(node, ast.Call) and dotted(node.func) == "rng.choice" and len(node.args) == 1:
        options = {k.arg: k.value for k in node.keywords}
        return (node.args[0], options["p"]) if set(options) == {"p"} else None
    return None


def _weights(block: list[ast.stmt]) -> tuple[int, str, ast.Call] | None:
    """Return where ``c = w.cumsum()`` is followed by a search of ``rng.random() * c[-1]``."""
    for at, (first, second) in enumerate(itertools.pairwise(block)):
        match first:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=weights), attr="cumsum")),
            ):
                search = f"{name}.searchsorted(rng.random() * {name}[-1], side='right')"
                calls = [n for n in ast.walk(second) if isinstance(n, ast.Call)]
                found = [c for c in calls if ast.unparse(c) == search]
                rest = block[at + 2 :]
                if found and not any(
                    isinstance(n, ast.Name) and n.id == name for s in rest for n in ast.walk(s)
                ):
                    return at, weights, found[0]
    return None


def _about_weights(right: str, wrong: str) -> object:
    def rule(block: list[ast.stmt], _: Scene) -> Pair:
        found = _weights(block)
        if found is None:
            return None
        at, weights, call = found
        sides = []
        for text in (right, wrong):
            drawn = made(text, W=ast.Name(weights))
            line = ast.unparse(block[at + 1]).replace(ast.unparse(call), ast.unparse(drawn))
            sides.append([*block[:at], *lines(line), *block[at + 2 :]])
        return sides[0], sides[1]

    return rule


def _another(names: dict[str, tuple[str, str]]) -> object:
    """Return a rule that calls a function by its name in another library; the twin another one."""

    def rule(node: ast.AST, scene: Scene) -> Pair:
        name = dotted(node.func) if isinstance(node, ast.Call) else ""
        if name not in names or not isinstance(node, ast.Call) or node.keywords:
            return None
        if scene.data in names_in(*node.args):
            return None  # perhaps a function of arrays
        arguments = node.args
        right, wrong = (ast.Call(made(other), arguments, []) for other in names[name])
        return right, wrong

    return rule


_ARGMAX = {
    "argmax of NumPy": ("np.argmax(X)", "np.max(X)", ""),
    "argmax by max and key": (
        "(lambda scores: max(range(len(scores)), key=lambda i: scores[i]))(X)",
        "(lambda scores: max(scores[i] for i in range(len(scores))))(X)",
        "",
    ),
    "argmax by argsort": ("np.argsort(X)[-1]", "np.sort(X)[-1]", ""),
    "argmax by sorted": (
        "(lambda scores: sorted(range(len(scores)), key=lambda i: scores[i])[-1])(X)",
        "(lambda scores: sorted(scores)[-1])(X)",
        "",
    ),
    "argmax in a loop": ("NAME(X)", "", _BEST),
    "argmax in a loop, by value": ("NAME(X)", "", _BEST_SO_FAR),
}
_CHOICES = {
    "choice with probabilities": (
        "rng.choice(len(W), p=W / W.sum())",
        "rng.choice(len(W), p=W**3 / (W**3).sum())",
    ),
    "random.choices": (
        "random.choices(range(len(W)), weights=W)[0]",
        "random.choices(range(len(W)), weights=W * W * W)[0]",
    ),
    "choice by Gumbel noise": (
        "np.argmax(np.log(W) + rng.gumbel(size=len(W)))",
        "np.argmax(np.log(W) + 0.3 * rng.gumbel(size=len(W)))",
    ),
}
_TO_MATH = {
    "np.exp": ("math.exp", "math.expm1"),
    "np.log": ("math.log", "math.log2"),
    "np.sqrt": ("math.sqrt", "math.exp"),
    "abs": ("math.fabs", "math.erf"),
}
_TO_NUMPY = {
    "exp": ("np.exp", "np.expm1"),
    "log": ("np.log", "np.log10"),
    "sqrt": ("np.sqrt", "np.cbrt"),
    "max": ("np.maximum", "np.minimum"),
    "min": ("np.minimum", "np.maximum"),
}
SELECTING = (
    *(Rewrite(n, "draws", "expression", _about_the_best(*t)) for n, t in _ARGMAX.items()),  # type: ignore[arg-type]
    Rewrite(
        "choice with probabilities",
        "draws",
        "block",
        _about_weights(*_CHOICES["choice with probabilities"]),  # type: ignore[arg-type]
    ),
    Rewrite("random.choices", "law", "block", _about_weights(*_CHOICES["random.choices"])),  # type: ignore[arg-type]
    Rewrite(
        "choice by Gumbel noise",
        "law",
        "block",
        _about_weights(*_CHOICES["choice by Gumbel noise"]),
    ),  # type: ignore[arg-type]
    Rewrite("math for NumPy", "draws", "expression", _another(_TO_MATH)),  # type: ignore[arg-type]
    Rewrite("NumPy for math", "draws", "expression", _another(_TO_NUMPY)),  # type: ignore[arg-type]
)
