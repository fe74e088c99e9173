"""Arrays that a function is given and changes, in the bounds of rounding: its caller sees that."""

from __future__ import annotations

import numpy as np
import pytest

from dpaudit import AddRemove, AnyPair, Integer, PureDP, Real
from dpaudit.floats import Refused, float_bounds
from dpaudit.formal.cost import prove_by_cost
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.lift import lift
from dpaudit.formal.unsupported import Unsupported

ONE = PureDP(1.0)
VALUES = AnyPair(Real(0, 1))
CHOICES = AnyPair(Integer(0, 2))
FAR = 1e17
SHARED = np.zeros(3)


def encode(v):
    found = np.zeros(3)
    found[v] = 1
    return found


def perturb(held, rng):
    noisy = held
    for i in range(len(noisy)):
        noisy[i] += rng.laplace(0, 2)
    return noisy


def of_a_call(v, rng):
    return perturb(encode(v), rng)


def of_a_variable(v, rng):
    encoded = encode(v)
    noisy = perturb(encoded, rng)
    return noisy


def of_a_variable_that_is_bound_again(v, rng):
    vector = encode(v)
    vector = perturb(vector, rng)
    return vector


class Client:
    def __init__(self, size):
        self.size = size

    def encode(self, v):
        found = np.zeros(self.size)
        found[v] = 1
        return found

    def perturb(self, held, rng):
        held += rng.laplace(0, 2, size=self.size)
        return held

    def randomize(self, v, rng):
        return self.perturb(self.encode(v), rng)


def of_an_object(v, rng):
    return Client(3).randomize(v, rng)


def bounds(mechanism, neighbors):
    """Return the bounds of a proof by cost."""
    program = lift(mechanism)
    prove_by_cost(program, ONE, neighbors)
    return float_bounds(to_dict(program), ONE, neighbors, "cost")


@pytest.mark.parametrize(
    "mechanism", [of_a_call, of_a_variable, of_a_variable_that_is_bound_again, of_an_object]
)
def test_noise_that_a_helper_adds_in_place_hides_rounding(mechanism):
    assert bounds(mechanism, CHOICES).size >= 20


def shift(held):
    held[0] = FAR
    return 0.0


def shift_if(held, far):
    if far > 0:
        return shift(held)
    return 0.0


def shift_both(held, other):
    held += FAR
    return other


def shift_first(several):
    several[0][0] = FAR
    return 0.0


def same(held):
    return held


def hidden(x):
    """Return a number between 0 and 1 that is rounded as ``FAR + x`` is."""
    return min(max(x - FAR, 0.0), 1.0)


def changed_before_it_is_added(v, rng):
    x = np.zeros(3)
    shift(x)
    return hidden(x[0] + v) + rng.laplace(0, 1)


def changed_under_another_name(v, rng):
    x = np.zeros(3)
    other = x
    shift(x)
    return hidden(other[0] + v) + rng.laplace(0, 1)


def changed_view(v, rng):
    x = np.zeros(3)
    view = x[:2]
    y = shift(view)
    return hidden(x[0] + v + y) + rng.laplace(0, 1)


def changed_by_the_helper_of_a_helper(v, rng):
    x = np.zeros(3)
    y = shift_if(x, 1)
    return hidden(x[0] + v + y) + rng.laplace(0, 1)


def changed_twice_by_the_same_call(v, rng):
    x, z = np.zeros(3), np.zeros(3)
    y = shift(x)
    y = shift(z)
    return hidden(z[0] + v + y) + rng.laplace(0, 1)


def changed_in_a_list(v, rng):
    x = np.zeros(3)
    several = [x]
    y = shift(x)
    return hidden(several[0][0] + v + y) + rng.laplace(0, 1)


def changed_through_a_list(v, rng):
    x = np.zeros(3)
    y = shift_first([x])
    return hidden(x[0] + v + y) + rng.laplace(0, 1)


def changed_in_an_expression(v, rng):
    x = np.zeros(3)
    return hidden((x + shift(x))[0] + v) + rng.laplace(0, 1)


def changed_in_a_list_display(v, rng):
    x = np.zeros(3)
    several = [x, shift(x)]
    return hidden(several[0][0] + v) + rng.laplace(0, 1)


def changed_under_both_names_of_the_helper(v, rng):
    x = np.zeros(3)
    y = shift_both(x, x)
    return hidden(y[0] + v) + rng.laplace(0, 1)


def changed_after_it_was_passed_on(v, rng):
    x = np.zeros(3)
    y = same(x)
    z = shift(y)
    return hidden(x[0] + v + z) + rng.laplace(0, 1)


def changed_where_a_function_sees_it(v, rng):
    def make():
        inside = np.zeros(3)

        def look():
            return inside[0]

        return inside, look

    x, look = make()
    y = shift(x)
    return hidden(look() + v + y) + rng.laplace(0, 1)


def changed_while_a_function_sees_it(v, rng):
    x = np.zeros(3)

    def look():
        return x[0]

    def use(held, seen):
        held[0] = FAR
        return seen()

    y = use(x, look)
    return hidden(y + v) + rng.laplace(0, 1)


def changed_array_of_the_module(v, rng):
    y = shift(SHARED)
    return hidden(SHARED[0] + v + y) + rng.laplace(0, 1)


def changed_in_a_loop(v, rng):
    x = np.zeros(3)
    y = 0.0
    for _ in range(3):
        z = x[0]
        y = shift(x)
    return hidden(z + v + y) + rng.laplace(0, 1)


def changed_in_a_conditional_expression(v, rng):
    x = np.zeros(3)
    noisy = rng.laplace(0, 2)
    y = shift(x) if noisy > 0 else 0.0
    return hidden(x[0] + v + y) + rng.laplace(0, 2)


@pytest.mark.parametrize(
    "mechanism",
    [
        changed_before_it_is_added, changed_under_another_name, changed_view,
        changed_by_the_helper_of_a_helper, changed_twice_by_the_same_call, changed_in_a_list,
        changed_through_a_list, changed_in_an_expression, changed_in_a_list_display,
        changed_under_both_names_of_the_helper, changed_after_it_was_passed_on,
        changed_where_a_function_sees_it, changed_while_a_function_sees_it,
        changed_array_of_the_module, changed_in_a_loop, changed_in_a_conditional_expression,
    ],
)  # fmt: skip
def test_rounding_in_an_array_that_a_helper_changed_is_not_missed(mechanism):
    with pytest.raises((Refused, Unsupported)):
        float_bounds(to_dict(lift(mechanism)), ONE, VALUES, "cost")


def double(held, x):
    held *= 2
    held[0] += x
    return x


def doubled_for_each_record(data, rng):
    total = np.zeros(1)
    for x in data:
        last = double(total, x)
    return min(max(total[0], 0.0), 1.0) + last * 0 + rng.laplace(0, 1)


def test_a_sum_that_a_helper_doubles_for_each_record_has_no_bound_of_added_terms():
    many = AddRemove(Real(0, 1), max_size=6, container="list")
    with pytest.raises((Refused, Unsupported)):
        float_bounds(to_dict(lift(doubled_for_each_record)), ONE, many, "cost")
