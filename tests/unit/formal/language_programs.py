"""Mechanisms of ordinary statements: those whose name begins with "sound" hold what is claimed."""

import enum

import numpy as np

SCALES = {"loud": 2.0, "plain": 1.0}


class Kind(enum.Enum):
    PLAIN = "plain"


class Settings:
    def __init__(self, epsilon):
        self.epsilon = epsilon


class Released(Settings):
    def __init__(self, epsilon, cap):
        Settings.__init__(self, epsilon)
        self.cap = cap

    def total(self, data):
        return data.clip(0, self.cap).sum() + np.random.laplace(0, self.cap / self.epsilon)


class Doubled(Released):
    def __init__(self, epsilon, cap):
        Released.__init__(self, 2 * epsilon, cap)


class Misplaced(Released):
    def __init__(self, epsilon, cap):
        Settings.__init__(self, epsilon)
        self.cap = cap
        Settings.__init__(self, epsilon=cap)


def sound_begun_by_the_base(data):
    return Released(1.0, 5).total(data)


def begun_by_the_base_with_more(data):
    return Doubled(1.0, 5).total(data)


def begun_twice_by_the_base(data):
    return Misplaced(1.0, 5).total(data)


class Budget:
    """A budget that is kept as a scale."""

    def __init__(self, epsilon):
        self.epsilon = epsilon

    @property
    def epsilon(self):
        return 1 / self._scale

    @epsilon.setter
    def epsilon(self, value):
        if value <= 0:
            raise ValueError("epsilon must be positive")
        self._scale = 1 / value


class Rounded(Budget):
    @property
    def epsilon(self):
        return Budget.epsilon.fget(self)

    @epsilon.setter
    def epsilon(self, value):
        self._scale = 1 / (2 * value)


class Fixed:
    def __init__(self):
        self._scale = 1.0

    @property
    def scale(self):
        return self._scale


def sound_set_by_a_property(data):
    budget = Budget(4.0)
    budget.epsilon = 1.0
    return len(data) + np.random.laplace(0, 1 / budget.epsilon)


def set_by_a_property_to_more(data):
    budget = Budget(1.0)
    budget.epsilon = 4.0
    return len(data) + np.random.laplace(0, 1 / budget.epsilon)


def set_by_a_property_of_a_class_below(data):
    budget = Rounded(1.0)
    return len(data) + np.random.laplace(0, budget._scale)


def set_by_a_property_to_private_data(data):
    budget = Budget(1.0)
    budget.epsilon = 1.0 + len(data)
    return len(data) + np.random.laplace(0, 1 / budget.epsilon)


def set_by_another_property(data):
    Budget.epsilon = property(lambda self: 1.0, lambda self, value: None)
    budget = Budget(1.0)
    return len(data) + np.random.laplace(0, 1 / budget.epsilon)


def set_without_a_setter(data):
    fixed = Fixed()
    fixed.scale = 1.0
    return len(data) + np.random.laplace(0, fixed.scale)


def sound_matched(data, kind="sum"):
    match kind:
        case "count" | "size":
            value, reach = len(data), 1
        case str() if kind == "sum":
            value, reach = data.clip(0, 10).sum(), 10
        case other:
            raise ValueError(other)
    return value + np.random.laplace(0, reach)


def matched_by_another_case(data, kind="sum"):
    match kind:
        case "count" | "sum":
            value, reach = data.clip(0, 10).sum(), 1
        case _:
            value, reach = data.clip(0, 10).sum(), 10
    return value + np.random.laplace(0, reach)


def matched_by_private_data(data):
    match len(data):
        case 0:
            return 0.0
        case n:
            return n + np.random.laplace(0, 1)


def matched_before_a_guard(data, scale=0.25):
    match scale:
        case reach if reach > 1:
            pass
        case _:
            reach = reach / 2
    return len(data) + np.random.laplace(0, 2 * reach)


def sound_matched_before_a_guard(data, scale=1.0):
    match scale:
        case reach if reach > 1:
            pass
        case None:
            reach = 8.0
    return len(data) + np.random.laplace(0, reach)


def sound_dropped(data):
    kept = data.clip(0, 10)
    total = kept.sum()
    del kept
    return total + np.random.laplace(0, 10)


def dropped_and_made_again(data):
    for _ in range(2):
        noise = np.random.laplace(0, 1)
        total = len(data) + noise
        del noise
    return total - len(data)


def dropped_item(data):
    scales = [4.0, 0.25]
    del scales[0]
    return len(data) + np.random.laplace(0, scales[0])


def dropped_private_key(data):
    counts = {"a": 1, "b": 2}
    if len(data) > 3:
        del counts["a"]
    return len(counts) + np.random.laplace(0, 0.25)


def sound_global(data):
    global SCALES
    return len(data) + np.random.laplace(0, SCALES["plain"])


def global_that_is_set_by_a_definition(data):
    global reach

    def reach():
        return len(data)

    return reach() + np.random.laplace(0, 1)


def global_that_is_set(data):
    global LAST
    LAST = len(data)
    return LAST + np.random.laplace(0, 1)


def sound_attributes_by_their_names(data):
    settings = Settings(4.0)
    setattr(settings, "epsilon", 1.0)
    return len(data) + np.random.laplace(0, 1 / getattr(settings, "epsilon"))


def attribute_set_by_its_name(data):
    settings = Settings(1.0)
    setattr(settings, "epsilon", 4.0)
    return len(data) + np.random.laplace(0, 1 / getattr(settings, "epsilon"))


def method_by_its_name(data):
    return getattr(Doubled(1.0, 5), "total")(data)


def private_name_by_its_text(data):
    return Hidden().noisy(len(data))


class Hidden:
    def __init__(self):
        self.__scale = 1.0
        setattr(self, "__scale", 4.0)

    def noisy(self, value):
        return value + np.random.laplace(0, 1 / getattr(self, "__scale"))
