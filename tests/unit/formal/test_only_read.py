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


def only_read(text, *, kind="list"):
    """Return whether the uses of X in a module read it."""
    return flow_of(ast.parse(text)).uses.only_read("X", kind=kind)


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
    assert not only_read(text, kind="keyed")


ARRAY = "import numpy as np\nX = np.linspace(0, 1, 5)\n"
READS_ARRAYS = (
    "def f(d):\n    return (d[None, :] < X[:, None]).sum(axis=1)",
    "def f(d):\n    p = np.exp(d)\n    p /= p.sum()\n    return np.random.choice(X, p=p)",
    "def f(d):\n    h, _ = np.histogram(d, bins=X)\n    h += 1\n    return h",
    "def f(d):\n    return np.histogram(d, X)[0]",
    "def f(d):\n    e = X * d\n    e[0] = 1\n    return e",
    "def f(d):\n    e = X.copy()\n    e[0] = 1\n    return e",
    "def f(d):\n    i = np.argmax(d)\n    return X[i], X[i + 1], X[-1], X[int(d)]",
    "def f(d):\n    return [X[i] for i in range(3)] + [x for i, x in enumerate(X)]",
    "def f(d):\n    mids = X[:-1]\n    return mids + d, X.max(), X.reshape(-1, 1) + d, len(X)",
    "def g(xs, d):\n    return xs.mean() + d\ndef f(d):\n    return g(X, d)",
    "def f(d):\n    a, b, c, e, g = X\n    a += d\n    return a",
    "def f(d):\n    return np.asarray(X) + d",
)
KEEPS_ARRAYS = (
    "def f(d):\n    X[0] = d",
    "def f(d):\n    X[1:][0] = d",
    "def f(d):\n    y = X[1:]\n    y[0] = d",
    "def f(d):\n    y = X\n    y += d",
    "def f(d):\n    y = X[None]\n    y *= d",
    "def f(d):\n    y = X.reshape(-1)\n    z = y\n    z.sort()",
    "def f(d):\n    np.asarray(X)[0] = d",
    "def f(d):\n    np.ravel(X).sort()",
    "def f(d):\n    _, e = np.histogram(d, bins=X)\n    e[0] = d",
    "def f(d):\n    return np.histogram(d, bins=X)",
    "def f(d):\n    np.add(d, d, X)",
    "def f(d):\n    np.add(d, d, out=X)",
    "def f(d):\n    np.add.at(X, 0, d)",
    "def f(d):\n    d.clip(0, 1, X)",
    "def f(d):\n    d.cumsum(out=X)",
    "def f(d):\n    np.median(X, overwrite_input=True)",
    "def f(d):\n    np.nan_to_num(X, copy=False)",
    "def f(d):\n    np.random.shuffle(X)",
    "def f(d):\n    np.copyto(X, d)",
    "def f(d):\n    y = np.array(X, copy=False)\n    y[0] = d",
    "def f(d):\n    y = X.astype(float, copy=False)\n    y[0] = d",
    "def f(d):\n    return X[d]",
    "def f(d):\n    for i in d:\n        y = X[i]\n        y[0] = 1",
    "def f(d):\n    return X",
    "def f(d):\n    return X.T",
    "def f(d):\n    yield X[1:]",
    "def f(d):\n    return [X]",
    "def f(d):\n    y = X if d else d\n    y[0] = 1",
    "def f(d):\n    y = d or X\n    y[0] = 1",
    "def f(d):\n    d.x = X",
    "def f(d):\n    memoryview(X)[0] = d",
    "def f(d):\n    X.setfield(d, float)",
    "def f(d):\n    X.flat[0] = d",
    "def f(d):\n    X.data[0] = d",
    "def f(d):\n    X.real[0] = d",
    "def f(d):\n    np.real(X)[0] = d",
    "def f(d):\n    np.diff(X, n=0)[0] = d",
    "def f(d):\n    np.linalg.diagonal(X)[0] = d",
    "def f(d):\n    np.split(X, 2)[0][0] = d",
    "def f(d):\n    parts = d + np.split(X, 2)\n    parts[0][0] = 1",
    "def f(d):\n    (y := X[1:])[0] = d",
    "def f(d):\n    y = sum(d, X)\n    y += 1",
    "def f(d):\n    y = sum(d, start=X)\n    y += 1",
    "def f(d):\n    y = max(d, default=X)\n    y += 1",
    "def f(d):\n    y = np.bool_(X)\n    y[0] = d",
    "def f(d):\n    y = np.complex128(X)\n    y[0] = d",
    "def f(d):\n    y = np.fft.fftn(X, axes=[])\n    y[0] = d",
    "def g(xs):\n    xs[0] = 1\ndef f(d):\n    g(X)",
    "def g(xs):\n    return xs[1:]\ndef f(d):\n    g(X)[0] = d",
    "def f(d, y=X):\n    y[0] = d",
    "class C:\n    y = X[1:]\n    z = X\ndef f(d):\n    C.y[0] = d",
    "y = X[1:]\ndef f(d):\n    y[0] = d",
    "def f(d):\n    global y\n    y = X[1:]\ndef g(d):\n    y[0] = d",
    "def f(d):\n    def g():\n        y[0] = d\n    y = X[1:]\n    g()",
    "X[0] = 2\nX = np.ones(3)",
)
MADE_ARRAYS = (
    "X = np.asarray(Y)",
    "X = Y[1:]",
    "X = Y",
    "X = np.array(Y, copy=False)",
    "X = np.array(Y, **d)",
    "X = np.ravel(Y)",
    "X = Z = np.ones(3)",
)
IN_ROWS = (
    "def f(d):\n    for x in X:\n        x[0] = d",
    "def f(d):\n    for i, x in enumerate(X):\n        x += d",
    "def f(d):\n    x = X[0]\n    x[0] = d",
    "def f(d):\n    x, y = X\n    x[0] = d",
    "def f(d):\n    list(X)[0][0] = d",
    "def f(d):\n    [*X][0][0] = d",
    "def f(d):\n    d += X",
    "def f(d):\n    d.choice(X)[0] = 1",
    "def f(d):\n    return X[np.argmin(d)]",
    "def f(d):\n    max(X, key=sum)[0] = d",
)
MAKERS = (
    "def m(c):\n    o = []\n    for x in c:\n        o.append(lambda d, x=x: x)\n    return o",
    "def m(c):\n    out = {}\n    for x in c:\n        out[x] = x\n    return out",
    "def m(c):\n    return [x for x in c]",
    "def m(c):\n    if not c:\n        return []\n    return list(c)",
)
NO_MAKERS = (
    "def m(c):\n    return c",
    "def m(c):\n    out = []\n    c.append(out)\n    return out",
    "def m(c):\n    out = []\n    def g():\n        out.append(1)\n    c(g)\n    return out",
    "def m(c):\n    out = []\n    out.append(lambda: out)\n    return out",
    "def m(c):\n    out = []\n    out.append(lambda a=out: a)\n    return out",
    "def m(c, out=[]):\n    out.append(1)\n    return out",
    "def m(c):\n    global out\n    out = []\n    return out",
    "def m(c):\n    out = kept = []\n    c(kept)\n    return out",
    "def m(c):\n    out = []\n    if c:\n        out = c\n    return out",
    "def m(c):\n    yield []",
    "import functools\n@functools.cache\ndef m(c):\n    return []",
    "def m(c):\n    return []\ndef m(c):\n    return c",
    "def m(c):\n    out = []\n    try:\n        return out\n    finally:\n        c.keep(out)",
    "def m(c):\n    for out in c:\n        return out",
    "def m(c):\n    add = None\n    out = []\n    add = out.append\n    c(add)\n    return out",
    "def m(c):\n    return [] or c",
    "K = []\ndef m(c):\n    return K",
)


@pytest.mark.parametrize("more", READS_ARRAYS)
def test_an_array_whose_uses_read_it_is_only_read(more):
    assert only_read(ARRAY + more, kind="vector")


@pytest.mark.parametrize("more", KEEPS_ARRAYS)
def test_an_array_of_which_a_use_may_change_a_view_is_not_only_read(more):
    assert not only_read(ARRAY + more, kind="vector")


@pytest.mark.parametrize("more", [*KEEPS_ARRAYS, *IN_ROWS])
def test_an_array_of_rows_that_a_use_hands_on_is_not_only_read(more):
    assert not only_read(ARRAY + more, kind="array")


@pytest.mark.parametrize("made", MADE_ARRAYS)
def test_an_array_that_something_else_may_hold_is_not_only_read(made):
    text = f"import numpy as np\n{made}\ndef f(d):\n    return X.sum()"
    assert not only_read(text, kind="vector")


@pytest.mark.parametrize("maker", MAKERS)
def test_a_list_that_a_function_makes_is_only_read(maker):
    assert only_read(f"{maker}\nX = m([1, 2])\ndef f(d):\n    return [x for x in X]")


@pytest.mark.parametrize("maker", NO_MAKERS)
def test_a_list_that_a_function_may_keep_is_not_only_read(maker):
    assert not only_read(f"{maker}\nX = m([1, 2])\ndef f(d):\n    return [x for x in X]")
