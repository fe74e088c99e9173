"""What other modules do with a list that they are given, and where they have a value from."""

import importlib
import linecache
import sys

import pytest

from dpaudit.formal.lifting import environment
from dpaudit.formal.lifting.environment import is_changed

HELPERS = """
STORE = []
def firsts(table, numbers):
    found = []
    for row in table:
        found.append(row[0])
    for i in range(len(numbers)):
        numbers[i] += 1
    return found
def total(table, weights):
    return [sum(row) * w for row, w in zip(table, weights)]
def row(table, i):
    return table[i]
def kept(table):
    STORE.append(table)
    return STORE
def put(holder, table):
    holder.append(table)
def clear(*, other=(), table):
    table.clear()
def clear_any(*tables):
    tables[0][0] = 5
def later(table):
    def get():
        return table
    return get
def lazily(table):
    return lambda: table
def through(table):
    return row(table, 0)
def rows(table):
    for each in table:
        yield each
"""
READ = {
    "number_of_each": "def f():\n    x = helpers.firsts(W, [1])\n    x[0] = 5",
    "by_name": "def f():\n    x = helpers.firsts(numbers=[1], table=W)\n    x.append(5)",
    "imported": "from helpers import total\ndef f():\n    x = total(W, [1, 2])\n    x[0] = 5",
    "beside_one_that_changes": "V = [3]\ndef f():\n    helpers.firsts(W, V)\n    V[0] = 5",
}
CHANGED = {
    "part": "def f():\n    helpers.row(W, 0)[0] = 5",
    "part_of_a_part": "def f():\n    x = helpers.through(W)\n    x[0] = 5",
    "kept": "def f():\n    helpers.kept(W)[0].append(5)",
    "put": "def f():\n    h = []\n    helpers.put(h, W)\n    h[0][0] = 5",
    "cleared": "def f():\n    helpers.clear(table=W)",
    "cleared_by_order": "def f():\n    helpers.firsts([[1]], W)",
    "cleared_among_others": "def f():\n    helpers.clear_any(W)",
    "cleared_starred": "def f():\n    helpers.firsts(*[[[1]], W])",
    "function": "def f():\n    helpers.later(W)()[0] = 5",
    "function_without_a_name": "def f():\n    helpers.lazily(W)()[0] = 5",
    "iterator": "def f():\n    for r in helpers.rows(W):\n        r[0] = 5",
}


def released(folder, monkeypatch, **texts):
    """Return the names of the module `release`, which is written with the others."""
    monkeypatch.syspath_prepend(str(folder))
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
        monkeypatch.delitem(sys.modules, name, raising=False)
    importlib.invalidate_caches()
    linecache.checkcache()
    return vars(importlib.import_module("release"))


def is_w_changed(folder, monkeypatch, more):
    release = f"import helpers\nW = [[1, 2], [3, 4]]\n{more}\n"
    return is_changed(released(folder, monkeypatch, helpers=HELPERS, release=release), "W")


@pytest.mark.parametrize("more", READ.values(), ids=READ)
def test_a_list_stays_that_others_only_read(tmp_path, monkeypatch, more):
    assert not is_w_changed(tmp_path, monkeypatch, more)


@pytest.mark.parametrize("more", CHANGED.values(), ids=CHANGED)
def test_a_list_may_change_through_what_others_do_with_it(tmp_path, monkeypatch, more):
    assert is_w_changed(tmp_path, monkeypatch, more)


def test_modules_that_import_one_another_hide_no_value_from_outside(tmp_path, monkeypatch):
    names = released(
        tmp_path,
        monkeypatch,
        release="import os\nMODE = os.environ.get('NOPE')\nfrom helpers import W, V\n",
        helpers="import release\nfrom release import MODE\nW = MODE\nV = 1\n",
    )
    assert is_changed(names, "W")
    assert not is_changed(names, "V")


def test_a_module_is_read_only_where_a_name_of_it_is_used(tmp_path, monkeypatch):
    names = released(
        tmp_path,
        monkeypatch,
        release="import pytest\nfrom helpers import W\nV = 1\nU = W\n",
        helpers="import hypothesis\nW = 2\n",
    )
    monkeypatch.setattr(environment, "_READ", {})
    assert not is_changed(names, "V")
    assert {file for file, _ in environment._READ} == {names["__file__"]}
    assert not is_changed(names, "U")
    assert str(tmp_path / "helpers.py") in {file for file, _ in environment._READ}


OUTSIDE = """
import os
W = os.environ.get("NOPE", 1)
K = 1
class A:
    w = W
    def m(self):
        return W
"""
BETWEEN = "import outside\nfrom outside import *\nX = W\ndef get():\n    return X\n"
CLASS = "from outside import W\nclass B:\n"
FROM_OUTSIDE = {
    "all": "from outside import *\nV = W",
    "class_of_all": "from outside import *\nV = A.w",
    "method_of_all": "from outside import *\nV = A().m()",
    "class": "from outside import A\nV = A.w",
    "method": "from outside import A\nV = A().m()",
    "all_of_another": "from between import *\nV = W",
    "made_elsewhere": "from between import X\nV = X",
    "function_elsewhere": "from between import get\nV = get()",
    "module_elsewhere": "from between import outside\nV = outside.W",
    "module_of_a_module": "import between\nV = between.outside.W",
    "module_that_is_passed_on": "from outside import os\nV = os.environ.get('NOPE', 1)",
    "number": CLASS + "    def __int__(self):\n        return W\nV = int(B())",
    "sum": CLASS + "    def __add__(self, other):\n        return W\nV = B() + 0",
    "item": CLASS + "    def __getitem__(self, key):\n        return W\nV = B()[0]",
    "call": CLASS + "    def __call__(self):\n        return W\nV = B()()",
    "items": CLASS + "    def __iter__(self):\n        return iter([W])\nV = list(B())[0]",
}


@pytest.mark.parametrize("text", FROM_OUTSIDE.values(), ids=FROM_OUTSIDE)
def test_a_value_from_outside_is_known_however_it_comes(tmp_path, monkeypatch, text):
    text += "\nfrom outside import K as U\n"
    names = released(tmp_path, monkeypatch, outside=OUTSIDE, between=BETWEEN, release=text)
    assert is_changed(names, "V")
    assert not is_changed(names, "U")
