"""Containers of a module are constants where each use of their name reads them."""

import ast

import pytest

from dpaudit.formal.lifting.flow_reader import flow_of

START = "import random\nimport numpy as np\nimport pandas as pd\nX = ['a', 'b']\n"
READS = (
    "def f(d):\n    return random.choice(X)",
    "def f(d):\n    return [x for x in X if x in d]",
    "def f(d):\n    return sorted(X, key=d.get)[:2]",
    "def f(d):\n    for x in X:\n        d.append(x)",
    "def f(d):\n    return X[0], X.index(d), X[:1] + X, len(X)",
    "def f(d):\n    return np.array(X), d.choice(X), {*X}, max(X)",
    "def f(d):\n    return pd.DataFrame({'x': X, 'd': d})",
    "def g(xs, d):\n    return [x for x in xs]\ndef f(d):\n    return g(X, d), g(d=1, xs=X)",
    "def g(xs):\n    return g(xs)\ndef f(d):\n    return g(X)",
    "def f(d):\n    return sorted(d, key=X.index)",
    "def f(d):\n    return d.reindex(index=X), d.cat.set_categories(X)",
    "def f(d):\n    return pd.MultiIndex.from_product([X, d])",
)
KEEPS = (
    "def f(d):\n    X.append(d)",
    "def f(d):\n    return X",
    "def f(d):\n    y = X\n    y.append(d)",
    "def f(d):\n    X[0] = d",
    "def f(d):\n    del X[0]",
    "def f(d):\n    global X\n    X += d",
    "def f(d):\n    return (X, d)",
    "def f(d):\n    add = X.append\n    add(d)",
    "def f(d, y=X):\n    y.append(d)",
    "def f(d):\n    return max(X, d)",
    "def f(d):\n    return next(d, X)",
    "def f(d):\n    return {'x': X}",
    "def f(d):\n    return d.setdefault('x', X)",
    "def f(d):\n    return X or d",
    "def f(d):\n    return map(X.append, d)",
    "def f(d):\n    return lambda: X",
    "def f(d):\n    yield X",
    "def f(d):\n    random.shuffle(X)",
    "def f(d):\n    return d.keep(X)",
    "def g(xs):\n    xs.sort()\ndef f(d):\n    return g(X)",
    "def g(xs):\n    return xs\ndef f(d):\n    g(X).append(d)",
    "def g(xs):\n    return [1]\ng = d(g)\ndef f(d):\n    return g(X)",
    "@d\ndef g(xs):\n    return len(xs)\ndef f(d):\n    return g(X)",
    "def g(xs):\n    return locals()\ndef f(d):\n    return g(X)",
    "def g(xs):\n    def h():\n        return xs\n    return h\ndef f(d):\n    return g(X)",
    "def g(*xs):\n    return xs\ndef f(d):\n    return g(X)",
    "from d import *\ndef f(d):\n    return sorted(X)",
    "def sorted(y):\n    y.clear()\ndef f(d):\n    return sorted(X)",
    "def f(random):\n    return random.choice(X)\ndef g(random):\n    random.keep(X)",
    "class S:\n    def choice(self, y):\n        y.pop()\ndef f(d):\n    return S().choice(X)",
    "X = X + ['c']",
    "def f(d):\n    return zip([X], d)",
    "def f(d):\n    return pd.Series([X, X])",
    "def f(d):\n    return d.keep(index=X)",
)
MADE = (
    "X = d()",
    "X = Y",
    "X = Y = []",
    "if d:\n    X = []",
    "for X in d:\n    pass",
    "X, y = [], 1",
)


def only_read(text, *, is_list=True):
    """Return whether the uses of X in a module read it."""
    return flow_of(ast.parse(text)).uses.only_read("X", is_list=is_list)


@pytest.mark.parametrize("more", READS)
def test_a_list_whose_uses_read_it_is_only_read(more):
    assert only_read(START + more)


@pytest.mark.parametrize("more", KEEPS)
def test_a_list_that_a_use_hands_on_is_not_only_read(more):
    assert not only_read(START + more)


@pytest.mark.parametrize("made", MADE)
def test_a_list_that_something_else_may_hold_is_not_only_read(made):
    assert not only_read(made + "\ndef f(d):\n    return len(X)")


def test_an_array_of_a_dict_holds_the_dict_itself():
    text = "import numpy as np\nX = {'a': 1}\ndef f(d):\n    np.array(X).item().clear()"
    assert not only_read(text, is_list=False)
