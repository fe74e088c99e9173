"""Functions of several statements in a list of the module, which a mechanism goes through in parts.

A sparse vector that is begun again after each hit, with all of epsilon, is refuted by exact
probabilities at the line that begins it again. With a share of epsilon each time it is not.
"""

import numpy as np
import pytest

from dpaudit import Integer, PureDP, ReplaceOne, Verdict, verify
from dpaudit.checker.exact.code import free
from dpaudit.formal.clock import fresh, now
from dpaudit.formal.counterexample import refute
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported
from dpaudit.neighbors import Pair
from dpaudit.subject import Subject
from tests.unit.formal.test_lists_of_the_module import loaded_text

AGES = ReplaceOne(Integer(18, 90), size=3)
MODULE = """
import numpy as np
def count_if(test):
    def query(ages):
        total = 0
        for age in ages:
            if test(age):
                total += 1
        return total
    return query
QUERIES = []
for _c in (30, 50, 70):
    QUERIES.append(count_if(lambda a, c=_c: a < c))
    QUERIES.append(count_if(lambda a, c=_c: a >= c))
def first_above(data, queries, eps):
    threshold = 2 + np.random.laplace(scale=2 / eps)
    for i, query in enumerate(queries):
        if query(data) + np.random.laplace(scale=4 / eps) >= threshold:
            return i
    return None
def alerts(data, eps):
    found, at = [], 0
    while len(found) < {most} and at < len(QUERIES):
        hit = first_above(data, QUERIES[at:], eps)
        if hit is None:
            break
        found.append(at + hit)
        at += hit + 1
    return found
def release(data):
    return alerts(list(data), {eps})
"""


PAIR = Pair(np.array([18, 18, 18]), np.array([18, 18, 90]), "one record is replaced")


def refuted(folder, monkeypatch, **values):
    release = loaded_text(folder, monkeypatch, MODULE.format(**values))
    with fresh():
        given = (lift(Subject.of(release)), PureDP(1.0), AGES, release)
        return refute(*given, deadline=now() + 20, first=(PAIR,), pairs=0)


def test_a_sparse_vector_that_is_begun_again_is_refuted_where_it_is(tmp_path, monkeypatch):
    found = refuted(tmp_path, monkeypatch, most=6, eps=1.0)
    assert found.epsilon > 1
    assert found.finding.id == "DPA107"
    (line,) = [n for n, text in enumerate(MODULE.splitlines(), 1) if "hit = first_above" in text]
    assert found.finding.line == line


@pytest.mark.parametrize(("most", "eps"), [(1, 1.0), (2, 0.5), (3, 0.3)])
def test_a_sparse_vector_that_is_begun_again_with_a_share_is_not_refuted(
    tmp_path, monkeypatch, most, eps
):
    with pytest.raises(Unsupported, match="no pair that was tried"):
        refuted(tmp_path, monkeypatch, most=most, eps=eps)


LOCAL = """
import numpy as np
def release(data):
    queries = []
    for limit in (40, 60):
        def query(ages, limit=limit):
            total = 0
            for age in ages:
                if age >= limit:
                    total += 1
            return total
        queries.append(query)
    return [query(list(data)) + np.random.laplace(0, {scale}) for query in queries[{first}:]]
"""


@pytest.mark.parametrize(("scale", "first"), [(2, 0), (1, 1)])
def test_functions_that_hold_a_variable_are_not_wrongly_refuted(
    tmp_path, monkeypatch, scale, first
):
    release = loaded_text(tmp_path, monkeypatch, LOCAL.format(scale=scale, first=first))
    assert verify(release, PureDP(1.0), AGES).verdict is not Verdict.REFUTED


def name(word):
    return {"kind": "Name", "id": word}


def function(body, *parameters, **defaults):
    return {"kind": "Function", "parameters": list(parameters), "starred": None, "body": body,
            "defaults": defaults}  # fmt: skip


def closure(made):
    return {"kind": "Closure", "function": made}


def returned(value):
    return {"kind": "Return", "value": value}


def squares(among, target="x", element="x"):
    return {"kind": "list", "element": name(element), "clauses": [(name(target), among, [])]}


FREE = {
    "parameter": (function([returned(name("x"))], "x"), set()),
    "variable_around": (function([returned(name("y"))], "x"), {"y"}),
    "own_variable": (
        function([{"kind": "Assign", "target": name("y"), "value": name("x")},
                  returned(name("y"))], "x"),
        set(),
    ),
    "default": (function([returned(name("x"))], "x", x=name("y")), {"y"}),
    "clause": (function([returned(squares(name("y")))], "y"), set()),
    "clause_goes_through_what_it_hides": (function([returned(squares(name("x")))]), {"x"}),
    "clause_of_another": (function([returned(squares(name("y"), element="z"))], "y"), {"z"}),
    "closure_inside": (function([returned(closure(function([returned(name("z"))], "y")))]), {"z"}),
    "closure_with_the_name_of_a_parameter": (
        function([returned(closure(function([returned(name("x"))])))], "x"),
        set(),
    ),
    "again": (function([returned(closure({"kind": "Again", "number": 3}))]), {"function 3"}),
}  # fmt: skip


@pytest.mark.parametrize(("node", "names"), FREE.values(), ids=FREE)
def test_the_names_that_a_function_takes_from_around_it(node, names):
    assert free(node) == names
