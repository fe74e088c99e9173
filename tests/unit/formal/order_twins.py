"""Mechanisms that give the data away where Python evaluates parts in another order, or elsewhere.

Each shows it only where a noisy number is large, which runs hardly ever meet.
"""

import numpy as np

LARGE = 50


class Reset:
    def __init__(self, box):
        box[0] = 0.0
        self.value = 0.0


def object_made_after_its_target_is_read(data, rng):
    noisy = len(data) + rng.laplace()
    box = [data.sum() if noisy > LARGE else 0.0]
    box[0] += Reset(box).value
    return noisy, box[0]


def scale_set_by_a_key(data, rng):
    noisy, state = rng.laplace(), {"scale": 10.0, "total": 0.0}
    for value in data:
        state["total"] += value

    def lower(i):
        state["scale"] = 0.1 if noisy > LARGE else 10.0
        return i

    max([1, 2], key=lower)
    return noisy, state["total"] + rng.laplace(scale=state["scale"])


def scale_set_by_a_function_inside(data, rng):
    noisy, state = rng.laplace(), {"scale": 10.0, "total": 0.0}
    for value in data:
        state["total"] += value

    def lower(i):
        state["scale"] = 0.1 if noisy > LARGE else 10.0
        return i

    for function in [lower]:
        function(1)
    return noisy, state["total"] + rng.laplace(scale=state["scale"])


def scale_set_by_a_comprehension(data, rng):
    noisy, state = rng.laplace(), {"scale": 10.0, "total": 0.0}
    for value in data:
        state["total"] += value
    [0 for state["scale"] in [0.1 if noisy > LARGE else 10.0]]
    return noisy, state["total"] + rng.laplace(scale=state["scale"])


def raised(scales):
    scales[0] = 10.0
    return 0.0


def added(value, scale, nothing, rng):
    return value + rng.laplace(scale=scale)


def argument_read_before_the_next_one_changes_it(data, rng):
    noisy = rng.laplace()
    scales = [0.1 if noisy > LARGE else 10.0]
    return noisy, added(data.sum(), scales[0], raised(scales), rng)


class Scaled:
    def __init__(self):
        self.scale = 10.0

    def lower(self, noisy):
        self.scale = 0.1 if noisy > LARGE else 10.0
        return 0.0

    def answer(self, value, rng):
        return value + rng.laplace(scale=self.scale)


def method_that_lowers_before_one_that_answers(data, rng):
    noisy, scaled = rng.laplace(), Scaled()
    return noisy, scaled.lower(noisy) + scaled.answer(data.sum(), rng)


def hidden(value, scales, rng):
    return value + rng.laplace(scale=scales[0])


def scales_shuffled_before_one_is_used(data, rng):
    noisy, scales = rng.laplace(), [10.0] * 497 + [1.0] * 3
    return noisy, [np.random.shuffle(scales), hidden(data.sum(), scales, rng)][1]


def cleared(values):
    values[0] = 0.0
    return [1.0]


def looked_for_before_it_is_cleared(data, rng):
    noisy = len(data) + rng.laplace()
    values = [data.sum() if noisy > LARGE else 0.0]
    return noisy, values[0] in cleared(values)


def lowered_by_a_comprehension(scales, noisy):
    [0 for scales[0] in [0.1 if noisy > LARGE else 10.0]]
    return 0.0


def lowered_before_it_is_used(data, rng):
    noisy, scales = rng.laplace(), [10.0]
    return noisy, lowered_by_a_comprehension(scales, noisy) + hidden(data.sum(), scales, rng)


def lowered_by_a_loop(scales, noisy, i):
    for scales[0] in [5.0 if noisy > LARGE and i == 0 else 10.0]:
        pass
    return True


def lowered_by_the_first_of_any(data, rng):
    noisy, scales = rng.laplace(), [10.0]
    any(lowered_by_a_loop(scales, noisy, i) for i in range(2))
    return noisy, data.sum() + rng.laplace(scale=scales[0])


def enumerate(options):
    options["scale"] = 0.1 if options["noisy"] > LARGE else 10.0
    return 1


def answered(value, rng, **options):
    enumerate(options)
    return value + rng.laplace(scale=options["scale"])


def options_that_a_function_of_that_name_changes(data, rng):
    noisy = rng.laplace()
    return noisy, answered(data.sum(), rng, scale=10.0, noisy=noisy)
