"""Mechanisms that call small helpers, as scripts and course notebooks have them.

Noise comes as a generator expression, queries as a module's list of lambdas, names from an import
inside the function, weights are named anew, and a sparse vector stands behind a wrapper. The broken
twins look the same and break the claim.
"""

import math

import numpy as np
from scipy.special import logsumexp, softmax

from dpaudit import AddRemove, PureDP, QueryAnswers, Real

ONE = PureDP(1.0)  # a frozen dataclass with slots, beside the mechanisms
FIVE = QueryAnswers(5)
LIST = AddRemove(Real(0, 100), max_size=6, container="list")
QUERIES = [
    lambda d: sum(1 for x in d if x > 20), lambda d: sum(1 for x in d if x > 40),
    lambda d: len([x for x in d if x < 60]),
]  # fmt: skip
WEIGHTY = [lambda d: 3 * len(d), lambda d: 3 * len(d) - 1, lambda d: 3 * len(d) - 2]


def position(values):
    return max(enumerate(values), key=lambda pair: pair[1])[0]


def largest(values):
    return max(values)


def taken_twice(values):
    first = list(values)
    return first, list(values)


def halves(values):
    return [max(values) for _ in range(2)]


def first_of(values):
    values = list(values)
    return values[0]


def winner(answers):
    return position(a + np.random.laplace(scale=2.0) for a in answers)


def winner_of_exponential_noise(answers):
    return position(a + np.random.exponential(scale=2.0) for a in answers)


def winner_with_too_little_noise(answers):
    return position(a + np.random.laplace(scale=1.0) for a in answers)


def winners_value(answers):
    return largest(a + np.random.laplace(scale=1.0) for a in answers)


def exact_winner(answers):
    return position(a for a in answers)


def noise_that_is_used_up(answers):
    # Of a generator the second list is empty; of a list it would hold the same answers again.
    first, second = taken_twice(a + np.random.laplace(scale=5.0) for a in answers)
    return first if not second else list(answers)


def the_rest_of_a_generator(answers):
    draws = halves(a for a in answers[:1])
    return draws


def above(queries, data, threshold, epsilon):
    found = []
    noisy = threshold + np.random.laplace(scale=2 / epsilon)
    for query in queries:
        if query(data) + np.random.laplace(scale=4 / epsilon) >= noisy:
            found.append(True)
            break
        found.append(False)
    return found


def above_of_module_queries(data):
    return above(QUERIES, data, 2, 1.0)


def above_of_queries_that_move_by_three(data):
    return above(WEIGHTY, data, 2, 1.0)


def exact_module_queries(data):
    return [query(data) for query in QUERIES]


def sparse(answers, threshold, epsilon):
    found = []
    noisy = threshold + np.random.laplace(scale=2.0 / epsilon)
    for answer in answers:
        if answer + np.random.laplace(scale=4.0 / epsilon) >= noisy:
            found.append(True)
            break
        found.append(False)
    return found


def wrapped_sparse(answers):
    same = answers
    return sparse(same, 1.0, 1.0)


def wrapped_sparse_twice(answers):
    return sparse(answers, 1.0, 1.0), sparse(answers, 2.0, 1.0)


def wrapped_sparse_of_changed_answers(answers):
    return sparse([2 * a for a in answers], 1.0, 1.0)


def imports_inside(data):
    import math
    from random import expovariate

    return len(data) + (expovariate(1.0) - expovariate(1.0)) * math.sqrt(1)


def imports_on_some_paths(data, rng):
    if len(data) > 3:
        import math
    return math.pi + rng.laplace()


def imports_after_a_return(data, rng):
    if len(data) > 3:
        return rng.laplace()
    import math

    return math.pi * len(data) + rng.laplace()


def pick(candidates, score, epsilon):
    scores = [(c, score(c)) for c in candidates]
    top = max(s for _, s in scores)
    weights = [math.exp(epsilon * (s - top) / 2) for _, s in scores]
    total = sum(weights)
    weights = [w / total for w in weights]
    return candidates[np.random.choice(len(candidates), p=weights)]


def picks_a_decade(data):
    return pick([0, 1, 2], lambda c: sum(1 for x in data if c * 30 <= x < c * 30 + 30), 1.0)


def picks_with_too_much_weight(data):
    return pick([0, 1, 2], lambda c: sum(1 for x in data if c * 30 <= x < c * 30 + 30), 3.0)


def counts(data):
    return np.array([sum(1 for x in data if x < 50), sum(1 for x in data if x >= 50)])


def chooses_by_softmax(data):
    return np.random.choice(2, p=softmax(0.5 * counts(data)))


def chooses_by_logsumexp(data):
    scores = 0.5 * counts(data)
    return np.random.choice(scores.size, p=np.exp(scores - logsumexp(scores)))


def chooses_by_sharp_softmax(data):
    return np.random.choice(2, p=softmax(2 * counts(data)))


def choice_that_depends_on_the_size(data):
    scores = 0.5 * counts(data)
    return np.random.choice(2 + len(data), p=softmax(np.zeros(2 + len(data)))) + 0 * scores[0]


def add_noise(value, sensitivity=None):
    if sensitivity is None:
        sensitivity = 1.0
    return value + np.random.laplace(0, sensitivity)


def sum_with_its_sensitivity(data):
    return add_noise(sum(data), 100)


def count_with_the_usual_sensitivity(data):
    return add_noise(len(data))


def sum_with_the_usual_sensitivity(data):
    return add_noise(sum(data))


def bound_of_the_data(data):
    return add_noise(sum(data), max(data) if data else None)


def choice_among_as_many_as_records(data):
    return np.random.choice(len(data), p=softmax(0.5 * counts(data)))


def choice_among_an_array_of_records(data):
    return np.random.choice(np.array(data).size, p=softmax(0.5 * counts(data)))


def names_chosen_by_weights(data):
    names = ["low", "high"]
    scores = 0.5 * counts(data)
    weights = np.exp(scores - scores.max())
    return names[np.random.choice(len(names), p=weights / weights.sum())]


def noisy_total_of_a_loop(data, rng):
    total = 0.0
    for value in (min(x, 10.0) for x in data):
        total += value
    return total + rng.laplace(scale=10.0)


def count_in_a_loop_over_a_filter(data, rng):
    count = 0
    for _ in filter(lambda x: x > 3, data):
        count += 1
    return count + rng.laplace(scale=1.0)


def sum_in_a_loop_over_what_is_kept(data, rng):
    total = 0.0
    for x in (x for x in data if x > 3):
        total += min(x, 10.0)
    return total + rng.laplace(scale=10.0)


def sum_in_a_loop_over_a_map(data, rng):
    total = 0.0
    for part in map(lambda x: min(x, 10.0), data):  # noqa: C417
        total += part
    return total + rng.laplace(scale=10.0)


def numbered_noise(data, rng):
    out = []
    for place, value in enumerate(len(data) + rng.laplace(scale=2.0) for _ in range(2)):
        out.append((place, value))
    return out


def last_of_what_is_kept(data, rng):
    last, x = 0.0, 0.0
    for x in (x for x in data if x > 100):
        last = x
    return last + x + rng.laplace(scale=1.0)


def lambda_sees_what_is_kept(data, rng):
    seen = []
    for x in (x for x in data if x > 3):
        seen.append(lambda: x)  # noqa: B023
    return (seen[0]() if seen else 0.0) + rng.laplace(scale=1.0)


def filter_sees_the_state(data, rng):
    limit, out = 3, []
    for x in filter(lambda x: x > limit, data):
        limit = 101
        out.append(x)
    return len(out) * 50 + rng.laplace(scale=1.0)


def map_sees_the_state(data, rng):
    factor, total = 0, 0
    for x in map(lambda x: factor * x, data):  # noqa: C417
        factor = 1
        total += x
    return total + rng.laplace(scale=1.0)


def noisy_counts_by_extend(data, rng):
    out = []
    out.extend(sum(1 for x in data if x > limit) + rng.laplace(scale=2.0) for limit in (20, 40))
    return out


def loop_changes_the_scale(data, rng):
    scale, out = 2.0, []
    for value in (len(data) + rng.laplace(scale=scale) for _ in range(2)):
        scale = 1e-9
        out.append(value)
    return out


def loop_fills_the_state(data, rng):
    state, out = [2.0], []
    for value in (len(data) + rng.laplace(scale=state[0]) for _ in range(2)):
        state[0] = 1e-9
        out.append(value)
    return out


def numbered_loop_changes_the_scale(data, rng):
    scale, out = 2.0, []
    for _, value in enumerate(len(data) + rng.laplace(scale=scale) for _ in range(2)):
        scale = 1e-9
        out.append(value)
    return out


def mapped_function_fills_the_state(data, rng):
    state = [2.0]

    def kept(value):
        state[0] = 1e-9
        return value

    return list(map(kept, (len(data) + rng.laplace(scale=state[0]) for _ in range(2))))


def key_fills_the_state(data, rng):
    state = []
    draws = (len(data) + rng.laplace(scale=1e-9 if state else 1.0) for _ in range(2))
    return max(draws, key=lambda v: state.append(1) or v)


def key_of_a_helper_fills_the_state(data, rng):
    state = [1.0]

    def key(value):
        state[0] = 1e-9
        return value

    return max((len(data) + rng.laplace(scale=state[0]) for _ in range(2)), key=key)


def other_generator_fills_the_state(data, rng):
    state = []
    one = (len(data) + rng.laplace(scale=1e-9 if state else 2.0) for _ in range(2))
    return [a for a, _ in zip(one, (state.append(1) for _ in range(2)), strict=True)]


def zipped_generators_fill_the_state(data, rng):
    state = []
    return [
        a
        for a, _ in zip(
            (len(data) + rng.laplace(scale=1e-9 if state else 2.0) for _ in range(2)),
            (state.append(1) for _ in range(2)),
            strict=True,
        )
    ]


def any_stops_where_the_data_say(data, rng):
    state = []
    any(state.append(1) or x > 50 for x in data)
    return len(state) + rng.laplace(scale=1.0)


def extended_list_is_seen(data, rng):
    out = []
    out.extend(len(data) + rng.laplace(scale=1e-9 if out else 2.0) for _ in range(2))
    return out


def grown(values, state):
    out = []
    for value in values:
        state.append(1)
        out.append(value)
    return out


def helper_fills_the_state(data, rng):
    state = []
    return grown((len(data) + rng.laplace(scale=1e-9 if state else 2.0) for _ in range(2)), state)


def monotone_winner(data):
    noisy = [c + np.random.laplace(scale=1.0) for c in counts(data)]
    return noisy.index(max(noisy))


def total_after_a_change(values, state):
    state["scale"] = 1000
    return sum(values)


def total_after_growth(values, state):
    return state.append(1000) or sum(values)


def total_of_an_attribute(values, state):
    state.scale = 1000
    return sum(values)


def total_if(values, wanted):
    return sum(values) if wanted else 0


def total_below(values, wanted):
    if wanted:
        return sum(values)
    return 0


def total_beside(values, other):
    return sum(values)


class State:
    def __init__(self):
        self.scale = 1.0


def helper_changes_the_scale_first(data, rng):
    state = {"scale": 1}
    return total_after_a_change((x * state["scale"] / 100 for x in data), state) + rng.laplace()


def helper_grows_the_scale_first(data, rng):
    state = [1]
    return total_after_growth((x * state[-1] / 100 for x in data), state) + rng.laplace()


def helper_changes_an_attribute_first(data, rng):
    state = State()
    return total_of_an_attribute((x * state.scale / 100 for x in data), state) + rng.laplace()


def argument_changes_the_scale(data, rng):
    state = [1]
    return total_beside((x * state[-1] / 100 for x in data), state.append(1000)) + rng.laplace()


def nobody_asks_for_what_raises(data):
    return len(data) + total_if((1 / 0 for _ in range(1)), False)


def nobody_asks_below_for_what_raises(data):
    return len(data) + total_below((1 / 0 for _ in range(1)), False)


SOUND = [
    (winner, ONE, FIVE),
    (winner_of_exponential_noise, ONE, FIVE),
    (above_of_module_queries, ONE, LIST),
    (wrapped_sparse, ONE, FIVE),
    (imports_inside, ONE, LIST),
    (picks_a_decade, ONE, LIST),
    (chooses_by_softmax, ONE, LIST),
    (chooses_by_logsumexp, ONE, LIST),
    (sum_with_its_sensitivity, ONE, LIST),
    (count_with_the_usual_sensitivity, ONE, LIST),
    (monotone_winner, ONE, LIST),
    (names_chosen_by_weights, ONE, LIST),
    (noisy_total_of_a_loop, ONE, LIST),
    (noisy_counts_by_extend, ONE, LIST),
    (count_in_a_loop_over_a_filter, ONE, LIST),
    (sum_in_a_loop_over_what_is_kept, ONE, LIST),
    (sum_in_a_loop_over_a_map, ONE, LIST),
    (numbered_noise, ONE, LIST),
]
BROKEN = [
    (winner_with_too_little_noise, ONE, FIVE),
    (winners_value, ONE, FIVE),
    (exact_winner, ONE, FIVE),
    (the_rest_of_a_generator, ONE, FIVE),
    (above_of_queries_that_move_by_three, ONE, LIST),
    (exact_module_queries, ONE, LIST),
    (wrapped_sparse_twice, ONE, FIVE),
    (wrapped_sparse_of_changed_answers, ONE, FIVE),
    (imports_on_some_paths, ONE, LIST),
    (imports_after_a_return, ONE, LIST),
    (picks_with_too_much_weight, ONE, LIST),
    (chooses_by_sharp_softmax, ONE, LIST),
    (choice_that_depends_on_the_size, ONE, LIST),
    (sum_with_the_usual_sensitivity, ONE, LIST),
    (bound_of_the_data, ONE, LIST),
    (choice_among_as_many_as_records, ONE, LIST),
    (choice_among_an_array_of_records, ONE, LIST),
    (loop_changes_the_scale, ONE, LIST),
    (loop_fills_the_state, ONE, LIST),
    (numbered_loop_changes_the_scale, ONE, LIST),
    (mapped_function_fills_the_state, ONE, LIST),
    (key_fills_the_state, ONE, LIST),
    (key_of_a_helper_fills_the_state, ONE, LIST),
    (other_generator_fills_the_state, ONE, LIST),
    (zipped_generators_fill_the_state, ONE, LIST),
    (any_stops_where_the_data_say, ONE, LIST),
    (extended_list_is_seen, ONE, LIST),
    (helper_fills_the_state, ONE, LIST),
    (lambda_sees_what_is_kept, ONE, LIST),
    (filter_sees_the_state, ONE, LIST),
    (map_sees_the_state, ONE, LIST),
    (helper_changes_the_scale_first, ONE, LIST),
    (helper_grows_the_scale_first, ONE, LIST),
    (helper_changes_an_attribute_first, ONE, LIST),
    (argument_changes_the_scale, ONE, LIST),
    (nobody_asks_for_what_raises, ONE, LIST),
    (nobody_asks_below_for_what_raises, ONE, LIST),
]
# Sound, and not proved: a generator that is gone through twice is empty the second time.
OPEN = [
    (wrapped_sparse_twice, PureDP(2.0), FIVE),
    (noise_that_is_used_up, ONE, FIVE),
    (last_of_what_is_kept, ONE, LIST),
]
