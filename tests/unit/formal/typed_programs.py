"""What tells a number of NumPy from one of Python, for `test_types_apart`.

The array's records are numbers of NumPy. `sum` of none of them is Python's 0.
"""

import copy
import json
import logging
import random

import numpy as np

from dpaudit import AddRemove, AnyPair, Categorical, Integer, QueryAnswers, Real, ReplaceOne, Row

ARRAY = AddRemove(Real(0, 1), max_size=6)
FRAME = AddRemove(Row(k=Categorical(["a", "b"])), max_size=6, container="pandas")
PAID = AddRemove(Row(pay=Real(0, 1)), max_size=6, container="pandas")
WHOLE = AddRemove(Integer(0, 10), max_size=6)
NUMBER = AnyPair(Real(-1, 1))
BIT = AnyPair(Integer(0, 1))
WORDS = ("a", "b")
WORD = AnyPair(Categorical(list(WORDS)))
ANSWERS = QueryAnswers(20)
BITS = ReplaceOne(Integer(0, 1), size=2)
LISTED_BITS = ReplaceOne(Integer(0, 1), size=2, container="list")
LISTED_WORDS = ReplaceOne(Categorical(list(WORDS)), size=2, container="list")
ONE_OR_ITS_TEXT = AnyPair(Categorical([1, "1"]))


def text_of_one_number(data, rng):
    total = sum(data) + rng.laplace()
    print(total)
    return f"{total:.2f} {total}"


def list_of_numbers_of_numpy(data, rng):
    return str([data.sum() + rng.laplace()])


def quotient_of_noise(data, rng):
    return (sum(data) + rng.laplace(scale=2)) / (len(data) + rng.laplace(scale=2))


def array_of_sums(data, rng):
    return str(np.array([sum(data)]) + rng.laplace(size=1))


def lookup(frame, rng):
    return frame["k"].value_counts().get("a", 0) + rng.laplace()


def text_of_a_list(data, rng):
    return str([sum(data) + rng.laplace()])


def printed_dict(data, rng):
    total = sum(data) + rng.laplace()
    print({"total": total})
    return total


def logged_with_its_type(data, rng):
    total = sum(data) + rng.laplace()
    logging.info("%r", total)
    return total


def text_of_a_loop(data, rng):
    total = 0
    for x in data:
        total += x
    return repr(total + rng.laplace())


def text_of_a_copied_list(data, rng):
    return str(copy.deepcopy([sum(data) + rng.laplace()]))


def copy_that_is_the_number(data, rng):
    total = sum(data) + rng.laplace()
    return copy.deepcopy(total) is total


def method_of_numpy(data, rng):
    return (sum(data) + rng.laplace()).round(1)


def truth_in_json(data, rng):
    return json.dumps(sum(data) + rng.laplace() > 0)


def added_truths(data, rng):
    total = sum(data) + rng.laplace()
    return (total > 0) + (total > 1)


def divided_by_what_may_be_zero(data, rng):
    return 1 / max(sum(data) + rng.laplace(), 0.0)


def root_of_a_negative_number(data, rng):
    return isinstance((sum(data) + rng.laplace()) ** 0.5, complex)


def array_of_its_type(data, rng):
    total = np.full(1, sum(data))
    total += rng.laplace(size=1)
    return total


def printed_lookups(frame, rng):
    counts = frame["k"].value_counts()
    print([counts.get(k, 0) + rng.laplace() for k in ("a", "b")])
    return 0


def private_type(x):
    print([np.float64(1.0)] if x > 0 else [1.0])
    return 0


def logged_private_type(x):
    logging.info("%r", np.float64(1.0) if x > 0 else 1.0)
    return 0


def whole_or_float_zero(data):
    return min(max(0, len(data)), 0.0)


def text_of_one_or_one(data):
    return f"{max(min(1.0, len(data) + 1), 1)}"


def negative_zero(data):
    return 0.0 * -len(data)


def geometric(rng):
    p = 1 - np.exp(-1)
    return rng.geometric(p) - rng.geometric(p)


def float_where_a_label_is_missing(frame, rng):
    return frame["k"].value_counts().reindex(["a", "b"]).fillna(0)["a"] + geometric(rng)


def float_where_a_key_is_missing(frame, rng):
    return frame["k"].value_counts().get("a", 0.0) + geometric(rng)


def _noisy_count(frame, rng):
    p = 1 - np.exp(-1)
    count = frame["k"].value_counts().get("a", 0)
    return count + int(rng.geometric(p)) - int(rng.geometric(p))


def whole_multiple(frame, rng):
    return 2 * min(max(_noisy_count(frame, rng), 0), 100) + 1


def third_of_a_small_one(frame, rng):
    return (min(max(_noisy_count(frame, rng), 1), 100) * 2**40 + 2) / 3


def third_of_more_than_a_float_holds(frame, rng):
    return (min(max(_noisy_count(frame, rng), 1), 100) * 2**54 + 2) / 3


def overflowing_product(frame, rng):
    return _noisy_count(frame, rng) * 10**30


def overflowing_sum(frame, rng):
    return _noisy_count(frame, rng) + 2**63


def overflowing_doubles(frame, rng):
    found = _noisy_count(frame, rng)
    for _ in range(70):
        found = found + found
    return found


def response(x, rng):
    return x if rng.random() < 0.75 else 1 - x


def bits_of_the_array(x, rng):
    return np.array([response(x, rng)], dtype=np.int32 if x else np.int64)


def one_object(x):
    return x is WORDS[0]


def below_zeros_of_private_signs(answers, rng):
    threshold = 1 + rng.laplace(scale=2)
    out = []
    for answer in answers:
        if answer + rng.laplace(scale=4) > threshold:
            out.append(1.0)
            break
        out.append(0.0 * answer)
    return out


# What a list makes an array of is of floats where the list is empty, and of integers elsewhere.


def _steps(rng):
    return rng.geometric(0.5) - rng.geometric(0.5)


def sum_of_a_list(data, rng):
    return np.array([int(x > 3) for x in data]).sum() + _steps(rng)


def sum_of_some(data, rng):
    kept = []
    for x in data:
        if x > 3:
            kept.append(1)
    return np.sum(kept) + _steps(rng)


def clipped_list(data, rng):
    return np.clip([int(x) for x in data], 0, 1).sum() + _steps(rng)


def chosen_entries(data, rng):
    flags = np.array([int(x > 3) for x in data])
    return np.where(data > 1, flags, 0).sum() + _steps(rng)


def product_of_lists(data, rng):
    flags = np.array([int(x > 3) for x in data])
    return flags @ flags + _steps(rng)


def columns_side_by_side(data, rng):
    flags = np.array([int(x > 3) for x in data])
    return np.column_stack([flags, flags])[:, 0].sum() + _steps(rng)


def refilled_list(data, rng):
    flags = np.array([int(x > 3) for x in data]) * 1
    for i in range(len(data)):
        flags[i] = 1
    return flags.sum() + _steps(rng)


def column_of_a_list(frame, rng):
    frame["one"] = np.array([int(k == "a") for k in frame["k"]])
    return frame["one"].clip(0, 1).sum() + _steps(rng)


def function_of_floats(frame, rng):
    return frame["pay"].map(lambda x: int(x > 0.3)).sum() + _steps(rng)


def sum_that_is_cast(data, rng):
    return int(np.array([int(x > 3) for x in data]).sum()) + _steps(rng)


def array_of_a_stated_type(data, rng):
    return np.array([int(x > 3) for x in data], dtype=int).sum() + _steps(rng)


def list_and_noise_of_floats(data, rng):
    return np.array([int(x > 3) for x in data]).sum() + rng.laplace()


def drawn_bit(bit, rng):
    return bit if rng.random() < 0.4 else rng.integers(0, 2)


def printed_bits(data, rng):
    return str([bit if rng.random() < 0.4 else rng.integers(0, 2) for bit in data])


def printed_word(word, rng):
    found = word if rng.random() < 0.4 else rng.choice(["a", "b"])
    print([found])
    return found


def text_of_words(data, rng):
    found = []
    for word in data:
        found.append(word if rng.random() < 0.4 else rng.choice(["a", "b"]))
    return repr(found)


def text_of_words_from_global_noise(data):
    found = []
    for word in data:
        found.append(word if np.random.random() < 0.4 else np.random.choice(["a", "b"]))
    return f"{found}"


def chosen_number_or_its_text(value):
    return random.choice([value, "z"])


def counted_words(data):
    found = [word if random.random() < 0.4 else random.choice(["a", "b"]) for word in data]
    return found.count("a")
