"""Operators and methods of the user's that change what they are given: their lists may change."""

import importlib

import pytest

from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported

START = """
import copy
import sys
from types import SimpleNamespace
import numpy as np
W = [1.0]

def mechanism(data, rng):
    return len(data) + rng.laplace(scale=W[0])

def shrink(w):
    w[0] = 0.01

class E:
    pass

"""
OPERATOR = (
    "class O:\n    def {name}(self, other):\n        other[0] = 0.01\ndef f():\n    return {use}"
)
CHANGES = {
    "equality": OPERATOR.format(name="__eq__", use="W == O()"),
    "reflected sum": OPERATOR.format(name="__radd__", use="W + O()"),
    "membership": OPERATOR.format(name="__contains__", use="W in O()"),
    "class of it": "class T(type):\n    def __instancecheck__(cls, w):\n        w[0] = 0.01\n"
    "class O(metaclass=T):\n    pass\ndef f():\n    isinstance(W, O)",
    "operator that keeps it": "class O:\n    def __eq__(self, other):\n        self.held = other\n"
    "def f():\n    o = O()\n    o == W\n    o.held[0] = 0.01",
    "operator that is set": "E.__eq__ = lambda self, w: shrink(w)\ndef f():\n    E() == W",
    "method that is set": "b = E()\nb.choice = shrink\ndef f():\n    b.choice(W)",
    "method of a namespace": "b = SimpleNamespace(choice=shrink)\ndef f():\n    b.choice(W)",
    "method of any name": "class A:\n    def __getattr__(self, name):\n        return shrink\n"
    "def f():\n    A().choice(W)",
    "method of a class that is made": "A = type('A', (), {'choice': staticmethod(shrink)})\n"
    "def f():\n    A().choice(W)",
    "method by another name": "class A:\n    def go(self, w):\n        w[0] = 0.01\n"
    "    sample = go\ndef f():\n    A().sample(W)",
    "function that is applied": "def g(x, w):\n    shrink(w)\n    return 1\n"
    "def f():\n    np.apply_along_axis(g, 0, [1], W)",
    "function with other code": "def g(w):\n    return len(w)\ng.__code__ = shrink.__code__\n"
    "def f():\n    g(W)",
    "iterator taken apart": "def f():\n    iter(W).__reduce__()[1][0][0] = 0.01",
    "variables of a frame": "def f():\n    sys._getframe().f_globals['W'][0] = 0.01",
    **{
        f"{name} that hands it out": f"class O:\n    def __{name}__(self, *given):\n"
        f"        return {what}\ndef f():\n    {use}[0] = 0.01"
        for name, what, use in (
            ("add", "W", "(O() + 1)"),
            ("neg", "W", "(-O())"),
            ("getitem", "W", "O()[0]"),
            ("missing", "{'a': W}['a']", "O()['a']"),
            ("getattr", "W", "O().x"),
            ("iter", "iter([W])", "[*O()][0]"),
            ("next", "W", "next(O())"),
            ("abs", "W", "abs(O())"),
            ("deepcopy", "W", "copy.deepcopy(O())"),
        )
    },
    "memo of a copy": "def f():\n    memo = {}\n    copy.deepcopy(W, memo)\n"
    "    memo[id(memo)][0][0] = 0.01",
    "memo for another": "def f(x):\n    copy.deepcopy(x, memo={id(x): W})[0] = 0.01",
    "exception that holds it": "def f():\n    try:\n        raise ValueError(W)\n"
    "    except ValueError as e:\n        e.args[0][0] = 0.01",
    "method of another module": "from {other} import made\ndef f():\n    made().sample(W)",
    "operator of another module": "from {other} import Kind\ndef f():\n    isinstance(W, Kind)",
    "function of another module": "import {other}\ndef f():\n    {other}.change()",
}
READS = {
    "operators that compare": "class O:\n    def __init__(self, v):\n        self.v = v\n"
    "    def __eq__(self, other):\n        return isinstance(other, O) and self.v == other.v\n"
    "    def __add__(self, other):\n        return O(self.v + other.v)\n    __radd__ = __add__\n"
    "def f(x):\n    return W == x, O(1) == x",
    "operators that compute": "class O:\n    def __len__(self):\n        return len(W)\n"
    "    def __getitem__(self, at):\n        return self.rows[at] + W[at]\n"
    "    def __iter__(self):\n        return iter(self.rows)\n"
    "    def __eq__(self, other):\n        return other == W\n"
    "    def __repr__(self):\n        return f'{W}'\n"
    "def f(x):\n    return O()[0], copy.deepcopy(W)",
    "an index": "class O:\n    def __getitem__(self, at):\n        return self.rows[at]\n"
    "def f(x):\n    return W + [O()[0]]",
}
CLASSES = """
class Box:
    def sample(self, w):
        w[0] = 0.01
class Type(type):
    def __instancecheck__(cls, w):
        w[0] = 0.01
class Kind(metaclass=Type):
    pass
"""
OTHER = """
import {first}
from {classes} import Box, Kind
def made():
    return Box()
def change():
    {first}.W[0] = 0.01
"""


def written(folder, name, text):
    (folder / f"{name}.py").write_text(text)


def mechanism_of(folder, monkeypatch, how, more):
    name = f"customs_{how.replace(' ', '_')}"
    written(folder, name, START + more.format(other=f"{name}_other") if "{other}" in more
            else START + more)  # fmt: skip
    written(folder, f"{name}_other", OTHER.format(first=name, classes=f"{name}_classes"))
    written(folder, f"{name}_classes", CLASSES)
    monkeypatch.syspath_prepend(folder)
    importlib.invalidate_caches()
    return importlib.import_module(name).mechanism


@pytest.mark.parametrize("how", CHANGES)
def test_a_list_that_code_of_the_users_is_given_may_change(tmp_path, monkeypatch, how):
    with pytest.raises(Unsupported, match="'W', which may change"):
        lift(mechanism_of(tmp_path, monkeypatch, how, CHANGES[how]))


@pytest.mark.parametrize("how", READS)
def test_operators_that_read_their_operands_change_none(tmp_path, monkeypatch, how):
    assert lift(mechanism_of(tmp_path, monkeypatch, how, READS[how]))
