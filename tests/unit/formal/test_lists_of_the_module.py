"""Lists of a module: constants where all that is done with them reads; else they may change."""

import importlib
import linecache
import sys

import numpy as np
import pytest

from dpaudit import AddRemove, Categorical, PureDP, Real, ReplaceOne, Verdict, verify

LETTERS = ReplaceOne(Categorical(["a", "b", "c"]), 4, container="list")
TWO = PureDP(np.nextafter(2.0, 3))
SHRINKS = """class S:
    def __init__(self, w):
        self.w = w
    def shrink(self):
        self.w[0] = 0.001
def f():
"""
RETURNS = "def made():\n    def get():\n        return W\n    return get\n"
LAMBDA = "def made(*_):\n    return lambda: W\n"
CALLED = """class G:
    def __init__(self, *_):
        pass
    def __call__(self):
        return W
"""
SETS = "def f():\n    C()[0] = 5"
RELEASE = """
import copy
import numpy as np
import pandas as pd
from dataclasses import dataclass
W = {scales}
class Clear:
    def clear(self):
        return 0
    def update(self, d):
        return d
class Holder:
    def __init__(self, w):
        self.w = w
    def size(self):
        return len(self.w)
    def total(self, more):
        return self.size() + more
    def append(self, w):
        self.v = w
def release(data):
    return [sum(1 for v in data if v == k) + np.random.laplace(0, W[i]) for i, k in
            enumerate(["a", "b", "c"])]
{more}
"""
READ = {
    "given_to_an_object": "def f():\n    return Holder(W).size()",
    "given_to_one_in_a_variable": "def f():\n    h = Holder(W)\n    return h.total(1)",
    "array_of_it": "def f():\n    x = np.array(W)\n    x[0] = 5",
    "array_that_is_new": "def f():\n    x = np.asarray(W)\n    x[0] = 5",
    "frame_of_it": "def f():\n    t = pd.DataFrame({'x': W})\n    t['x'] = 1\n    t['x'] += 1",
    "series_of_it": "def f():\n    s = pd.Series(W)\n    s[0] = 5",
    "product_of_it": "def f(s):\n    t = pd.MultiIndex.from_product([W, ['x']])\n    s[t] = 5",
    "codes_of_it": "def f(s):\n    return s.astype(pd.CategoricalDtype(W)).apply(lambda c: [c])",
    "index": "def f(s):\n    t = s.reindex(W)\n    t[0] = 5",
}
CHANGED = {
    "function_that_a_function_returns": f"{RETURNS}G = made()\ndef f():\n    G()[0] = 5",
    "function_without_a_name": f"{LAMBDA}G = made()\ndef f():\n    x = G()\n    x[0] = 5",
    "call_of_a_call": f"{LAMBDA}def f():\n    made()()[0] = 5",
    "class_that_a_decorator_replaces": f"{LAMBDA}@made\nclass C:\n    pass\n{SETS}",
    "object_that_is_called": f"{CALLED}C = G()\n{SETS}",
    "decorator_that_is_an_object": f"{CALLED}@G\nclass C:\n    pass\n{SETS}",
    "method": f"{SHRINKS}    S(W).shrink()",
    "method_of_a_variable": f"{SHRINKS}    h = S(W)\n    h.shrink()",
    "attribute": "def f():\n    h = Holder(W)\n    h.w[0] = 5",
    "column_that_holds_it": "def f():\n    t = pd.DataFrame({'x': [W]})\n    t['x'][0][0] = 5",
    "cell": "def f():\n    t = pd.DataFrame({'x': [1]})\n    t.at[0, 'x'] = W\n    t.x[0][0] = 5",
    "array_that_holds_it": "def f():\n    a = np.empty(1, object)\n    a[0] = W\n    a[0][0] = 5",
    "item": "def f():\n    np.asarray({'x': W}, dtype=object).item()['x'][0] = 5",
    "either": "def f(c):\n    x = W if c else Clear()\n    x.clear()",
    "reassigned": "def f(c):\n    x = W\n    if c:\n        x = Clear()\n    x.clear()",
    "parameter": "def f(x):\n    if not x:\n        x = Clear()\n    x.clear()\ndef g():\n    f(W)",
    "loop": "def f():\n    for x in (Clear(), W):\n        x.clear()",
    "attribute_set_elsewhere": "class A:\n    def __init__(self):\n        self.c = Clear()\n"
    "    def swap(self):\n        self.c = W\n    def run(self):\n        self.c.clear()",
    "field": "@dataclass\nclass A:\n    c: object\n    def run(self):\n        self.c.clear()\n"
    "class B:\n    def __init__(self):\n        self.c = Clear()\ndef f():\n    A(W).run()",
    "property": "class A:\n    @property\n    def c(self):\n        return W\n"
    "def f():\n    A().c.clear()\nclass B:\n    def __init__(self):\n        self.c = Clear()",
    "static_method": "class A(Clear):\n    @staticmethod\n    def go(self):\n"
    "        self.clear()\n    def clear(self):\n        return 0\ndef f():\n    A.go(W)",
    "entered": "class A(Clear):\n    def __enter__(self):\n        return W\n"
    "    def __exit__(self, *a):\n        pass\ndef f():\n    with A() as c:\n        c.clear()",
    "made_as_another": "class A:\n    def __new__(cls):\n        return W\n"
    "    def clear(self):\n        return 0\ndef f():\n    c = A()\n    c.clear()",
    "captured": "def f():\n    match W:\n        case c:\n            c.clear()\n    c = Clear()",
    "class_by_another_name": "A = Clear\nA = lambda: W\ndef f():\n    c = A()\n    c.clear()",
    "starred": "class A:\n    def go(self, x, y):\n        y.pop()\ndef f():\n    A().go(1, *[W])",
    "unbound": "class A:\n    def clear(self):\n        return 0\n    def go(self):\n"
    "        self.clear()\ndef f():\n    A.clear(W)\n    list.clear(W)",
}
CHANGED["function_of_each_entry"] = (
    "S = pd.Series([W])\ndef g(x):\n    x[0] = 5\ndef f():\n    S.apply(g)"
)
VIEWS = {
    "array": "def f():\n    x = np.asarray(W)\n    x[0] = 5",
    "series": "def f():\n    s = pd.Series(W, copy=False)\n    s[0] = 5",
    "reshaped": "def f():\n    x = W.reshape(-1)\n    x[0] = 5",
    "in_an_object": "def f():\n    h = Holder(W)\n    x = np.ravel(h.w)\n    x[0] = 5",
}

ARRAYS = {
    "of_which_one_is_chosen": "def f(p):\n    p /= p.sum()\n    return np.random.choice(W, p=p)",
    "product": "def f(d):\n    e = W * d\n    e[0] = 5",
    "edges": "def f(d):\n    h, _ = np.histogram(d, bins=W)\n    h += 1",
}
VIEWS["edges"] = "def f():\n    _, e = np.histogram([1.0], bins=W)\n    e[0] = 5"
ABOVE = """
import numpy as np
def made(cuts):
    found = []
    for c in cuts:
        found.append(lambda xs, c=c: {counts}(1 for x in xs if x > c))
    return found
def above(xs, queries, eps):
    t = 3 + np.random.laplace(0, 2 / eps)
    for i, q in enumerate(queries):
        if q(xs) + np.random.laplace(0, {scale} / eps) >= t:
            return i
    return -1
QUERIES = made([20, 40, 60])
{more}
def release(data):
    return above(data, QUERIES, 1.0)
"""
ABOVE_TWINS = {
    "an_eighth_of_the_noise": ("sum", 0.5, ""),
    "eight_times_the_sensitivity": ("8 * sum", 4, ""),
    "another_name": ("sum", 4, "KEPT = QUERIES\ndef f(d):\n    KEPT.append(d)"),
    "of_the_data": ("sum", 4, "def f(d):\n    QUERIES.append(lambda xs: 9 * d)"),
    "global": ("sum", 4, "def f(d):\n    global QUERIES\n    QUERIES = made(d)"),
}


def loaded(folder, monkeypatch, scales, more):
    return loaded_text(folder, monkeypatch, RELEASE.format(scales=scales, more=more))


def loaded_text(folder, monkeypatch, text):
    name = f"release_{abs(hash(text))}"
    (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, name, raising=False)
    importlib.invalidate_caches()
    linecache.checkcache()
    return importlib.import_module(name).release


@pytest.mark.parametrize("more", READ.values(), ids=READ)
def test_a_list_that_is_only_read_is_a_constant(tmp_path, monkeypatch, more):
    report = verify(loaded(tmp_path, monkeypatch, "[1.0, 1.0, 1.0]", more), TWO, LETTERS)
    assert report.verdict is Verdict.VERIFIED, report.reason


@pytest.mark.parametrize("more", CHANGED.values(), ids=CHANGED)
def test_a_list_that_a_function_may_change_is_no_constant(tmp_path, monkeypatch, more):
    report = verify(loaded(tmp_path, monkeypatch, "[1.0, 1.0, 1.0]", more), TWO, LETTERS)
    assert "may change" in str(report.reason)


@pytest.mark.parametrize("more", VIEWS.values(), ids=VIEWS)
def test_an_array_of_which_a_view_is_changed_is_no_constant(tmp_path, monkeypatch, more):
    report = verify(loaded(tmp_path, monkeypatch, "np.array([1.0, 1.0, 1.0])", more), TWO, LETTERS)
    assert "may change" in str(report.reason)


@pytest.mark.parametrize("more", ARRAYS.values(), ids=ARRAYS)
def test_an_array_that_is_only_read_is_a_constant(tmp_path, monkeypatch, more):
    report = verify(loaded(tmp_path, monkeypatch, "np.array([1.0, 1.0, 1.0])", more), TWO, LETTERS)
    assert report.verdict is Verdict.VERIFIED, report.reason


def test_sparse_vector_over_a_list_of_functions_of_the_module_is_proved(tmp_path, monkeypatch):
    text = ABOVE.format(counts="sum", scale=4, more="")
    numbers = AddRemove(Real(0, 100), max_size=6, container="list")
    report = verify(loaded_text(tmp_path, monkeypatch, text), PureDP(1.0), numbers)
    assert report.verdict is Verdict.VERIFIED, report.reason


@pytest.mark.parametrize(("counts", "scale", "more"), ABOVE_TWINS.values(), ids=ABOVE_TWINS)
def test_sparse_vector_with_too_little_noise_or_changed_questions_is_not_proved(
    tmp_path, monkeypatch, counts, scale, more
):
    text = ABOVE.format(counts=counts, scale=scale, more=more)
    numbers = AddRemove(Real(0, 100), max_size=6, container="list")
    report = verify(loaded_text(tmp_path, monkeypatch, text), PureDP(1.0), numbers)
    assert report.verdict is not Verdict.VERIFIED
