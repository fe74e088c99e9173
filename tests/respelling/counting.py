"""Counts, sums, parts and bounds in other words."""

from __future__ import annotations

import ast

from tests.respelling.rewrite import Pair, Rewrite, Scene, called, dotted, made, names_in

_TOTAL = """
def NAME(values):
    total = 0.0
    for value in values:
        total += value
    return total
"""
_TOTAL_TWICE = _TOTAL.replace("total += value", "total += value + value")
_LIMITED = """
def NAME(value, low, high):
    if value < low:
        return low
    if value > high:
        return high
    return value
"""
_LIMITED_BELOW = _LIMITED.replace("        return high\n", "        return 4 * high\n")


def _summed(node: ast.AST) -> ast.expr | None:
    """Return x of ``x.sum()``, ``np.sum(x)`` and ``sum(x)``."""
    arguments = called(node, "np.sum", "sum")
    if arguments is not None and len(arguments) == 1:
        return None if isinstance(arguments[0], ast.GeneratorExp) else arguments[0]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        of_a_module = dotted(node.func.value) in ("np", "math")
        if node.func.attr == "sum" and not (node.args or node.keywords or of_a_module):
            return node.func.value
    return None


def _about_sums(right: str, wrong: str) -> object:
    def rule(node: ast.AST, _: Scene) -> Pair:
        summed = _summed(node)
        if summed is None or ast.unparse(node) in (right.replace("X", ast.unparse(summed)),):
            return None
        return made(right, X=summed), made(wrong, X=summed)

    return rule


def in_a_loop(node: ast.AST, scene: Scene) -> Pair:
    """A sum as a loop that accumulates; the twin adds each record twice."""
    summed = _summed(node)
    if summed is None:
        return None
    right = made("NAME(X)", NAME=scene.define(_TOTAL), X=summed)
    return right, made("NAME(X)", NAME=scene.define(_TOTAL_TWICE), X=summed)


def _length(node: ast.AST) -> ast.expr | None:
    arguments = called(node, "len")
    return arguments[0] if arguments is not None and len(arguments) == 1 else None


def counted_by_ones(node: ast.AST, scene: Scene) -> Pair:
    """``len(data)`` as a sum of ones; the twin adds twos."""
    of = _length(node)
    if of is None or scene.data not in names_in(of):
        return None
    return made("sum(1 for _ in X)", X=of), made("sum(2 for _ in X)", X=of)


def counted_by_shape(node: ast.AST, scene: Scene) -> Pair:
    """``len(data)`` as ``data.shape[0]``; the twin counts each three times."""
    of = _length(node)
    if of is None or scene.data not in names_in(of):
        return None
    return made("X.shape[0]", X=of), made("3 * X.shape[0]", X=of)


def _counted(node: ast.AST) -> ast.expr | None:
    """Return the mask of ``np.count_nonzero(mask)`` and ``np.sum(mask)``."""
    arguments = called(node, "np.count_nonzero")
    mask = arguments[0] if arguments and len(arguments) == 1 else _summed(node)
    return mask if isinstance(mask, ast.Compare) or (arguments and mask is not None) else None


def count_by_sum(node: ast.AST, _: Scene) -> Pair:
    """``np.count_nonzero(mask)`` as ``np.sum(mask)``; the twin counts the whole twice."""
    mask = _counted(node)
    if mask is None:
        return None
    return made("np.sum(np.asarray(M) != 0)", M=mask), made(
        "np.sum(2 * (np.asarray(M) != 0))", M=mask
    )


def count_by_filter(node: ast.AST, _: Scene) -> Pair:
    """A count as the length of the part that a comparison selects; the twin sums that part."""
    mask = _counted(node)
    if not isinstance(mask, ast.Compare) or not isinstance(mask.left, ast.Name):
        return None
    right = made("len(X[M])", X=mask.left, M=mask)
    return right, made("np.sum(10 * np.abs(X[M]) + 10)", X=mask.left, M=mask)


def count_by_comprehension(node: ast.AST, _: Scene) -> Pair:
    """A count as a list of the records that a comparison selects; the twin counts all twice."""
    mask = _counted(node)
    if not isinstance(mask, ast.Compare) or not isinstance(mask.left, ast.Name):
        return None
    test = ast.Compare(ast.Name("value"), mask.ops, mask.comparators)
    right = made("len([value for value in X if M])", X=mask.left, M=test)
    return right, made("len([value for value in X if M for _ in range(3)])", X=mask.left, M=test)


def cells_one_by_one(node: ast.AST, _: Scene) -> Pair:
    """``np.bincount`` as a comprehension of counts; the cells of the twin overlap."""
    if not isinstance(node, ast.Call) or dotted(node.func) != "np.bincount" or len(node.args) != 1:
        return None
    options = {k.arg: k.value for k in node.keywords}
    if set(options) != {"minlength"}:
        return None
    parts = {"X": node.args[0], "K": options["minlength"]}
    right = made("np.array([np.sum(X == cell) for cell in range(K)])", **parts)
    return right, made("np.array([np.sum(X >= cell) for cell in range(K)])", **parts)


def _clip(node: ast.AST) -> tuple[ast.expr, ast.expr, ast.expr, bool] | None:
    """Return (value, low, high, whether NaN becomes low) of a clip."""
    arguments = called(node, "np.clip")
    if arguments is not None and len(arguments) == 3:
        return arguments[0], arguments[1], arguments[2], False
    outer = called(node, "np.fmin", "np.minimum")
    inner = called(outer[0], "np.fmax", "np.maximum") if outer and len(outer) == 2 else None
    if outer is None or inner is None or len(inner) != 2:
        return None
    assert isinstance(outer[0], ast.Call)
    return inner[0], inner[1], outer[1], dotted(outer[0].func) == "np.fmax"


def _about_clips(right: str, wrong: str) -> object:
    def rule(node: ast.AST, _: Scene) -> Pair:
        found = _clip(node)
        if found is None:
            return None
        value, low, high, cleans = found
        clean = made("np.where(np.isnan(X), L, X)", X=value, L=low) if cleans else value
        return made(right, X=clean, L=low, H=high), made(wrong, X=value, L=low, H=high)

    return rule


def clipped_by_a_helper(node: ast.AST, scene: Scene) -> Pair:
    """A clip as a helper with ``if``, value by value; the twin returns too much above."""
    found = _clip(node)
    if found is None:
        return None
    value, low, high, cleans = found
    clean = made("np.where(np.isnan(X), L, X)", X=value, L=low) if cleans else value
    text = "np.array([NAME(value, L, H) for value in X])"
    right = made(text, NAME=scene.define(_LIMITED), X=clean, L=low, H=high)
    return right, made(text, NAME=scene.define(_LIMITED_BELOW), X=clean, L=low, H=high)


def filtered_by_comprehension(node: ast.AST, _: Scene) -> Pair:
    """``data[data > 1]`` as a comprehension; the twin takes all, and those twice."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Compare):
        return None
    test, of = node.slice, node.value
    if not isinstance(of, ast.Name) or ast.unparse(test.left) != of.id or len(test.ops) != 1:
        return None
    moved = ast.Compare(ast.Name("value"), test.ops, test.comparators)
    right = made("np.array([value for value in X if M])", X=of, M=moved)
    return right, made(
        "np.array([value for value in X for _ in (1, 2) if M or _ == 1])", X=of, M=moved
    )


def selected_by_where(node: ast.AST, _: Scene) -> Pair:
    """The sum of ``x[mask]`` as that of ``np.where(mask, x, 0)``; the twin has 9 in place of 0."""
    summed = _summed(node)
    if not isinstance(summed, ast.Subscript) or not isinstance(summed.slice, ast.Compare):
        return None
    parts = {"M": summed.slice, "X": summed.value}
    return made("np.sum(np.where(M, X, 0))", **parts), made("np.sum(np.where(M, X, 900))", **parts)


_SUMS = {
    "sum of NumPy": ("np.sum(X)", "np.sum(2 * X)"),
    "sum as a method": ("np.asarray(X).sum()", "np.asarray(X).cumsum().sum()"),
    "sum of a generator": ("sum(value for value in X)", "sum(value + value for value in X)"),
    "sum by reduce": (
        "functools.reduce(lambda total, value: total + value, X, 0.0)",
        "functools.reduce(lambda total, value: total + 2 * value, X, 0.0)",
    ),
    "sum by dot": ("np.dot(X, np.ones(len(X)))", "np.dot(X, np.arange(len(X)) + 1.0)"),
    "math.fsum": ("math.fsum(X)", "math.fsum(X) + math.fsum(X)"),
}
_CLIPS = {
    "clip by minimum and maximum": ("np.minimum(np.maximum(X, L), H)", "np.maximum(X, L)"),
    "np.clip": ("np.clip(X, L, H)", "np.clip(X, L, None)"),
    "clip as a method": ("np.asarray(X).clip(L, H)", "np.asarray(X).clip(4 * L - 1, 4 * H + 1)"),
    "clip by where": (
        "np.where(X < L, L, np.where(X > H, H, X))",
        "np.where(X < L, L, np.where(X > H, X, X))",
    ),
    "clip by where, the other way": (
        "np.where(X > H, H, np.where(X < L, L, X))",
        "np.where(X > H, H * 4, np.where(X < L, L, X))",
    ),
    "clip in a comprehension": (
        "np.array([min(max(value, L), H) for value in X])",
        "np.array([max(min(value, L), H, value) for value in X])",
    ),
}
COUNTING = (
    *(Rewrite(n, "draws", "expression", _about_sums(*pair)) for n, pair in _SUMS.items()),  # type: ignore[arg-type]
    Rewrite("sum in a loop", "draws", "expression", in_a_loop),
    Rewrite("length by ones", "draws", "expression", counted_by_ones),
    Rewrite("length by shape", "draws", "expression", counted_by_shape),
    Rewrite("count by sum", "draws", "expression", count_by_sum),
    Rewrite("count by filter", "draws", "expression", count_by_filter),
    Rewrite("count by comprehension", "draws", "expression", count_by_comprehension),
    Rewrite("cells one by one", "draws", "expression", cells_one_by_one),
    *(Rewrite(n, "draws", "expression", _about_clips(*pair)) for n, pair in _CLIPS.items()),  # type: ignore[arg-type]
    Rewrite("clip by a helper", "draws", "expression", clipped_by_a_helper),
    Rewrite("filter by comprehension", "draws", "expression", filtered_by_comprehension),
    Rewrite("filter by where", "draws", "expression", selected_by_where),
)
