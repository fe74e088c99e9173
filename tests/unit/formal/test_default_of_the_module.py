"""A table of the module that is a parameter's default is a constant where nothing changes it.

The module builds the cells of a contingency table from it. What changes the table, or a list in
it, by any name, takes the constant away.
"""

import pytest

from dpaudit import AddRemove, Categorical, PureDP, Row, Verdict, verify
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from dpaudit.subject import Subject
from tests.unit.formal.test_lists_of_the_module import loaded_text

PATIENTS = AddRemove(
    Row(sex=Categorical(["F", "M"]), smoker=Categorical(["no", "yes"])),
    max_size=8,
    container="pandas",
)
MODULE = """
import random
from dataclasses import dataclass
from itertools import product
import numpy as np
import pandas as pd
SCHEMA = {{"sex": ["F", "M"], "smoker": ["no", "yes"]}}
def contingency(df, schema=SCHEMA):
    table = {{cell: 0 for cell in product(*schema.values())}}
{count}
    return table
def fit(df, eps):
    table = contingency(df)
    noisy = np.array(list(table.values())) + np.random.laplace(0, {scale} / eps, len(table))
    return dict(zip(table, np.maximum(noisy, 0)))
def sample(model, n):
    cells, weights = list(model), list(model.values())
    if sum(weights) == 0:
        weights = [1] * len(cells)
    rows = random.choices(cells, weights=weights, k=n)
    return pd.DataFrame(rows, columns=list(SCHEMA))
{more}
def release(df):
    return sample(fit(df, 1.0), 10).values.tolist()
"""
ROWS = """    for row in df[list(schema)].itertuples(index=False):
        table[tuple(row)] += {by}"""
COUNTS = {
    "itertuples": ROWS.format(by=1),
    "fields": """    for row in df.itertuples():
        table[(row.sex, row.smoker)] += 1""",
    "unpacked": """    for sex, smoker in df[list(schema)].itertuples(index=False):
        table[sex, smoker] += 1""",
}
CHANGED = {
    "itself": "def f():\n    SCHEMA['sex'] = ['F']",
    "a_list_in_it": "def f(v):\n    SCHEMA['sex'].append(v)",
    "a_list_by_a_value": "def f(v):\n    for held in SCHEMA.values():\n        held.append(v)",
    "a_list_by_an_item": "def f(v):\n    for _, held in SCHEMA.items():\n        held[0] = v",
    "another_name": "KEPT = SCHEMA\ndef f(v):\n    KEPT.update(v)",
    "a_copy_shares_the_lists": "def f(v):\n    dict(SCHEMA)['sex'].append(v)",
    "plus_equals": "def f(v):\n    SCHEMA['sex'] += v",
    "times_a_number": "def f():\n    SCHEMA['sex'] *= 2",
    "times_a_number_by_a_name": "def f():\n    held = SCHEMA['sex']\n    held *= 0",
    "rebound": "def f(v):\n    global SCHEMA\n    SCHEMA = v",
    "defaults": "def f(v):\n    contingency.__defaults__ = (v,)",
    "what_a_function_returns": "def g():\n    return SCHEMA\ndef f(v):\n    g()['sex'].append(v)",
    "a_part_that_a_function_returns": "def g():\n    return SCHEMA['sex']\n"
    "def f(v):\n    g().append(v)",
    "a_generator": "def g():\n    yield SCHEMA\ndef f(v):\n    next(g()).update(v)",
    "a_parameter": "def g(held):\n    held.update(x=1)\ndef f():\n    g(SCHEMA)",
    "a_function_that_is_assigned": "def g():\n    return []\ndef h():\n    return [SCHEMA]\n"
    "if np.pi > 3:\n    g = lambda: h()[0]\ndef f(v):\n    g()['sex'].append(v)",
    "a_function_with_another_behind_its_name": "def g():\n    return []\ndef h():\n"
    "    return SCHEMA['sex']\ng = h\ndef f(v):\n    g().append(v)",
    "a_function_that_another_function_exchanges": "def g():\n    return []\ndef h():\n"
    "    return SCHEMA['sex']\ndef setup():\n    global g\n    g = h\ndef f(v):\n    g().append(v)",
    "all_globals": "def f(v):\n    globals()['SCHEMA']['sex'].append(v)",
    "the_module": "import sys\ndef f(v):\n    sys.modules[__name__].SCHEMA['sex'].append(v)",
    "what_the_defaults_hold": "def f(v):\n    contingency.__defaults__[0]['sex'].append(v)",
    "views_of_an_own_class": "class D:\n    def values(self):\n        return SCHEMA['sex']\n"
    "def f(v):\n    D().values().append(v)",
    "a_class_that_is_called_like_a_list": "class C:\n    def append(self, v):\n        return v\n"
    "def f(v):\n    x = C() if v else SCHEMA['sex']\n    x.append(v)",
}
GETS = "def g():\n    return SCHEMA\n"
BY_A_FUNCTION = {
    "another_name": "h = g\ndef f(v):\n    h()['sex'].append(v)",
    "a_dict": "T = {'x': g}\ndef f(v):\n    T['x']()['sex'].append(v)",
    "a_default": "def f(v, q=g):\n    q()['sex'].append(v)",
    "an_argument": "def call(q, v):\n    q()['sex'].append(v)\ndef f(v):\n    call(g, v)",
    "an_attribute": "class C:\n    def __init__(self):\n        self.k = g\n"
    "    def go(self, v):\n        self.k()['sex'].append(v)",
    "a_field": "@dataclass\nclass C:\n    k: object\n    def go(self, v):\n"
    "        self.k()['sex'].append(v)",
    "of_a_class": "class C:\n    k = staticmethod(g)\n    def go(self, v):\n"
    "        self.k()['sex'].append(v)",
    "a_loop": "def f(v):\n    for q in (g,):\n        q()['sex'].append(v)",
    "a_method": "class C:\n    def m(self):\n        return SCHEMA\n"
    "def f(v):\n    q = C().m\n    q()['sex'].append(v)",
    "a_map": "def f(v):\n    for w in map(lambda q: q(), [g]):\n        w['sex'].append(v)",
}
CHANGED |= {f"by_a_function_in_{name}": GETS + more for name, more in BY_A_FUNCTION.items()}
UNSOUND = {
    "half_the_noise": (ROWS.format(by=1), 0.5, ""),
    "counted_twice": (ROWS.format(by=2), 1, ""),
    "a_row_of_the_data": (
        "    table[tuple(df.iloc[0])] = 100\n" + ROWS.format(by=1),
        1,
        "",
    ),
}


def loaded(folder, monkeypatch, count=COUNTS["itertuples"], scale=1, more=""):
    return loaded_text(folder, monkeypatch, MODULE.format(count=count, scale=scale, more=more))


@pytest.mark.parametrize("count", COUNTS.values(), ids=COUNTS)
def test_a_table_that_is_a_default_is_a_constant(tmp_path, monkeypatch, count):
    release = loaded(tmp_path, monkeypatch, count)
    report = verify(release, PureDP(1.0), PATIENTS)
    assert report.verdict is Verdict.VERIFIED, report.reason


@pytest.mark.parametrize("more", CHANGED.values(), ids=CHANGED)
def test_a_default_that_a_function_may_change_is_no_constant(tmp_path, monkeypatch, more):
    release = loaded(tmp_path, monkeypatch, more=more)
    with pytest.raises(Unsupported, match=r"no constant|may change|may run"):
        lift(Subject.of(release))


@pytest.mark.parametrize(("count", "scale", "more"), UNSOUND.values(), ids=UNSOUND)
def test_a_table_of_a_default_that_costs_more_is_not_proved(
    tmp_path, monkeypatch, count, scale, more
):
    release = loaded(tmp_path, monkeypatch, count, scale, more)
    assert verify(release, PureDP(1.0), PATIENTS).verdict is not Verdict.VERIFIED


def test_the_array_of_a_default_that_a_number_is_added_to_is_no_constant(tmp_path, monkeypatch):
    text = """
import numpy as np
STEPS = {"a": np.array([1.0, 2.0])}
def noisy(df, steps=STEPS):
    return len(df) + np.random.laplace(0, steps["a"][0])
def f():
    for each in STEPS.values():
        each += 1
def release(df):
    return noisy(df)
"""
    with pytest.raises(Unsupported):
        lift(Subject.of(loaded_text(tmp_path, monkeypatch, text)))
