"""The only table of library names: which primitive of Core each stands for.

`PRIMITIVES` are element by element. `REDUCTIONS` and the other sets are what lowering treats in a
way of its own. `POST` are functions without effects that are known for what they compute from
released values alone; `implementation` is how the concrete evaluator runs them.
"""

from __future__ import annotations

_OPERATORS = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floordiv",
    "mod": "mod", "pow": "pow", "neg": "neg", "pos": "pos", "lt": "lt", "le": "le", "gt": "gt",
    "ge": "ge", "eq": "eq", "ne": "ne", "and_": "and", "or_": "or", "invert": "not",
}  # fmt: skip
_UFUNCS = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "negative": "neg",
    "absolute": "abs", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge",
    "equal": "eq", "not_equal": "ne", "logical_and": "and", "logical_or": "or",
    "logical_not": "not", "bitwise_and": "and", "bitwise_or": "or", "invert": "not",
    "isnan": "isnan", "isfinite": "isfinite", "exp": "exp", "log": "log", "sqrt": "sqrt",
    "expm1": "expm1", "true_divide": "div", "power": "pow",
}  # fmt: skip
PRIMITIVES: dict[str, str] = {
    **{f"operator.{name}": prim for name, prim in _OPERATORS.items()},
    **{f"operator.i{name.strip('_')}": prim for name, prim in _OPERATORS.items()},
    **{f"numpy.{name}": prim for name, prim in _UFUNCS.items()},
    **{f"math.{name}": name for name in ("exp", "log", "sqrt", "expm1")},
    "builtins.abs": "abs",
    "builtins.pow": "pow",
}
MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
# The smaller or larger, and what becomes of NaN.
BOUNDS = {
    "numpy.minimum": ("minimum", "propagate"),
    "numpy.maximum": ("maximum", "propagate"),
    "numpy.fmin": ("minimum", "ignore"),
    "numpy.fmax": ("maximum", "ignore"),
    "builtins.min": ("minimum", "first"),
    "builtins.max": ("maximum", "first"),
}
CLIPS = frozenset({"numpy.clip", "method.clip"})
SUMS = frozenset({"numpy.sum", "method.sum", "builtins.sum"})
MEANS = frozenset({"numpy.mean", "method.mean"})
NONZERO = frozenset({"numpy.count_nonzero"})
LENGTHS = frozenset({"builtins.len", "numpy.size"})
WHERE = frozenset({"numpy.where"})
BUCKETS = frozenset({"numpy.searchsorted", "method.searchsorted", "numpy.digitize"})
BINCOUNTS = frozenset({"numpy.bincount"})
HISTOGRAMS = frozenset({"numpy.histogram"})
ARRAYS = frozenset({"numpy.array", "numpy.asarray"})
COPIES = frozenset({"method.copy", "numpy.copy"})
CASTS = {"builtins.float": "float", "builtins.int": "int", "numpy.float64": "float"}
TYPED = frozenset({"method.astype"})
FILLED = frozenset({"numpy.zeros", "numpy.ones", "numpy.full", "numpy.empty", "numpy.zeros_like"})
IDENTITIES = frozenset({"operator.is_", "operator.is_not"})
NEGATION = "operator.not_"
CALL = "operator.call"
STRUCTURES = frozenset({
    "builtins.enumerate", "builtins.zip", "builtins.list", "builtins.tuple", "builtins.reversed",
    "builtins.range", "builtins.dict",
})  # fmt: skip
APPEND, EXTEND = "method.append", "method.extend"
VIEWS = {"method.items": "items", "method.keys": "keys", "method.values": "values"}
POST = frozenset({
    "builtins.round", "builtins.float", "builtins.int", "builtins.bool", "builtins.sorted",
    "builtins.sum", "builtins.max", "builtins.min", "builtins.str", "math.floor", "math.ceil",
    "numpy.round", "numpy.rint", "numpy.floor", "numpy.ceil", "numpy.argmax", "numpy.argmin",
    "numpy.sort", "numpy.argsort", "numpy.cumsum", "numpy.sum", "numpy.mean", "numpy.median",
    "numpy.max", "numpy.min", "numpy.tanh", "numpy.std", "numpy.var", "method.sum",
    "method.mean", "method.max", "method.min", "method.argmax", "method.argmin", "method.round",
    "method.cumsum", "method.tolist", "method.item", "method.astype",
    "numpy.int64", "numpy.float64", "numpy.array", "math.isnan", "math.isfinite",
    "math.trunc", "numpy.isfinite",
    "method.reshape", "builtins.divmod", "numpy.sign", "numpy.where", "numpy.diff", "numpy.trunc",
    "numpy.linalg.norm", "method.std",
})  # fmt: skip
# Of those, what may be given several arrays; all others take one, as their first argument, so that
# none of the others is written to.
SEVERAL = frozenset({"numpy.where", "builtins.divmod", "builtins.max", "builtins.min"})
OUTPUTS = frozenset({"out", "where"})
OPTIONS = frozenset({"decimals", "axis", "reverse", "ddof", "ndigits"})
# What makes a list of its own, whatever it is given.
FRESH = frozenset({"builtins.list", "builtins.sorted", "method.tolist"})
