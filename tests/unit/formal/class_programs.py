"""Programs that compare classes and functions, and then tell how many records there are."""

# ruff: noqa: E721 - classes are compared, and asserted, as people do it

import random

import numpy as np


def how_many_of_a_dict(counts):
    assert type(counts) == dict
    return sum(counts.values()), random.random() < 0.5


def dict_by_equality(data):
    return how_many_of_a_dict({"a": int(np.sum(data == 0)), "b": int(np.sum(data == 1))})


def how_many_unless_otherwise(counts):
    if type(counts) != dict:
        return None
    return sum(counts.values()), random.random() < 0.5


def dict_by_inequality(data):
    return how_many_unless_otherwise({"a": int(np.sum(data == 0)), "b": int(np.sum(data == 1))})


def how_many_by_identity(counts):
    assert type(counts) is dict
    return sum(counts.values()), random.random() < 0.5


def dict_by_identity(data):
    return how_many_by_identity({"a": int(np.sum(data == 0)), "b": int(np.sum(data == 1))})


def length_of_some(values):
    assert type(values) in (list, tuple)
    return len(values), random.random() < 0.5


def list_among_several(data):
    return length_of_some([int(value) for value in data])


def length_in_a_set(values):
    assert type(values) in {list, tuple}
    return len(values), random.random() < 0.5


def list_in_a_set(data):
    return length_in_a_set([int(value) for value in data])


def length_by_key(values):
    assert {list: True, tuple: False}.get(type(values), False)
    return len(values), random.random() < 0.5


def list_as_a_key(data):
    return length_by_key([int(value) for value in data])


def length_of_a_tuple(values):
    assert type(values) == tuple
    return len(values), random.random() < 0.5


def tuple_by_equality(data):
    return length_of_a_tuple(tuple([int(value) for value in data]))


def length_if_largest(how, data):
    assert how == max
    return len(data), random.random() < 0.5


def function_that_a_draw_picks(data):
    return length_if_largest([max, min][0 if random.random() < 2 else 1], data)


def length_if_sorted(how, data):
    assert how in (sorted,)
    return len(data), random.random() < 0.5


def function_among_several(data):
    return length_if_sorted([sorted, list][0 if random.random() < 2 else 1], data)


def coin_of_a_list(values):
    assert type(values) == list
    return random.random() < 0.5


def sound(data):
    return coin_of_a_list([int(value) for value in data])
