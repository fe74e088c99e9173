"""One name for what computes the same."""

from __future__ import annotations

SYNONYMS = {
    "numpy.add": "operator.add",
    "numpy.subtract": "operator.sub",
    "numpy.multiply": "operator.mul",
    "numpy.divide": "operator.truediv",
    "numpy.true_divide": "operator.truediv",
    "numpy.floor_divide": "operator.floordiv",
    "numpy.negative": "operator.neg",
    "numpy.less": "operator.lt",
    "numpy.less_equal": "operator.le",
    "numpy.greater": "operator.gt",
    "numpy.greater_equal": "operator.ge",
    "numpy.absolute": "builtins.abs",
    "numpy.abs": "builtins.abs",
    "numpy.amax": "numpy.max",
}
