"""One name for what computes the same."""

from __future__ import annotations

SYNONYMS = {
    "numpy.add": "operator.add",
    "numpy.subtract": "operator.sub",
    "numpy.multiply": "operator.mul",
    "numpy.divide": "operator.truediv",
    "numpy.true_divide": "operator.truediv",
    "numpy.floor_divide": "operator.floordiv",
    "numpy.remainder": "operator.mod",
    "numpy.negative": "operator.neg",
    "numpy.less": "operator.lt",
    "numpy.less_equal": "operator.le",
    "numpy.greater": "operator.gt",
    "numpy.greater_equal": "operator.ge",
    "numpy.equal": "operator.eq",
    "numpy.not_equal": "operator.ne",
    "numpy.matmul": "operator.matmul",
    "numpy.power": "operator.pow",
    "numpy.bitwise_and": "operator.and_",
    "numpy.bitwise_or": "operator.or_",
    "numpy.bitwise_xor": "operator.xor",
    "numpy.absolute": "builtins.abs",
    "math.fabs": "builtins.abs",
    "numpy.fabs": "builtins.abs",
    "numpy.amax": "numpy.max",
    "numpy.amin": "numpy.min",
    "builtins.pow": "operator.pow",
    "math.pow": "operator.pow",
}
