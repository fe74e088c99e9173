"""Mechanisms that print and log."""

import logging
import sys
import warnings

import numpy as np

logger = logging.getLogger(__name__)


class BudgetExceeded(Exception):
    """x"""


class Other(BudgetExceeded):
    pass


class Bad(Exception):
    def __init__(self, d):
        self.d = d


class Engine:
    def __init__(self, data, eps=1.0):
        self.data = data
        self.eps = eps
        self.spent = 0.0
        logger.info("engine with eps=%s", eps)

    def charge(self, e):
        if self.spent + e > self.eps + 1e-9:
            raise BudgetExceeded(f"only {self.eps - self.spent} left")
        self.spent += e
        logger.debug("spent %.2f", self.spent)

    def count(self, e):
        self.charge(e)
        v = len(self.data) + np.random.laplace(scale=1 / e)
        logger.info(f"noisy count {v:.2f}")
        return v


def a_public_text(data):
    print("releasing")
    return len(data) + np.random.laplace(0, 1)


def a_noisy_value(data, epsilon=1.0):
    logger.info("epsilon=%s", epsilon)
    noisy = len(data) + np.random.laplace(0, 1 / epsilon)
    logger.debug("noisy count %.2f", noisy)
    return noisy


def of_an_engine(data):
    e = Engine(data)
    return e.count(0.5), e.count(0.5)


def a_warning(data):
    v = len(data) + np.random.laplace(0, 1)
    if v < 0:
        warnings.warn("negative count", stacklevel=2)
        v = 0.0
    return v


def to_streams(data):
    v = len(data) + np.random.laplace(0, 1)
    print("noisy", v, file=sys.stderr)
    print(f"got {v}")
    return round(v)


def in_a_public_loop(data):
    for k in range(3):
        logging.info("k=%d", k)
    return len(data) + np.random.laplace(0, 1)


def rows(data):
    logger.info("rows %d", len(data))
    return len(data) + np.random.laplace(0, 1)


def a_sum(data):
    e = Engine(data)
    print(e.data.sum())
    return e.count(1.0)


def under_a_private_test(data):
    n = len(data)
    if n > 3:
        logger.warning("many")
    return n + np.random.laplace(0, 1)


def before_an_error(data):
    v = len(data) + np.random.laplace(0, 1)
    if v > 2:
        print(len(data))
        raise ValueError("too many")
    return v


def chk(v):
    if v > 2:
        raise BudgetExceeded("too many")


def before_the_error_of_a_helper(data):
    v = len(data) + np.random.laplace(0, 1)
    if v > 2:
        print(len(data))
    chk(v)
    return 0.0


def an_error_with_data(data):
    v = len(data) + np.random.laplace(0, 1)
    if v > 2:
        raise Bad(data)
    return v


def the_text_of_an_error(data):
    v = len(data) + np.random.laplace(0, 1)
    if v > 2:
        raise BudgetExceeded(f"{len(data)}")
    return v


def two_errors(data):
    if len(data) > 2:
        raise BudgetExceeded("x")
    raise Other("x")


def a_format(data):
    print(f"{data.sum()}")
    return len(data) + np.random.laplace(0, 1)


def too_little_noise(data):
    print("hi")
    return len(data) + np.random.laplace(0, 0.5)


def in_a_lambda(data):
    def f():
        return print(len(data))

    f()
    return len(data) + np.random.laplace(0, 1)


def in_a_function_inside(data):
    def show(x):
        print("v", x)

    show(len(data))
    return len(data) + np.random.laplace(0, 1)


def to_stdout(data):
    v = len(data) + np.random.laplace(0, 1)
    sys.stdout.write(f"{data.mean()}")
    return v


def tells(data):
    raise BudgetExceeded(len(data))


def log_of_an_exception(data):
    try:
        tells(data)
    except BudgetExceeded:
        logger.exception("failed")
    return np.random.laplace()


def shown_by_another_exception(data):
    if np.random.laplace() > 0:
        return 1
    try:
        tells(data)
    except BudgetExceeded:
        raise RuntimeError("failed")  # noqa: B904


def shown_by_another_exception_in_a_helper(data):
    try:
        tells(data)
    except BudgetExceeded:
        fails()


def fails():
    raise RuntimeError("failed")


def raised_again(data):
    if np.random.laplace() > 0:
        return 1
    try:
        tells(data)
    except BudgetExceeded:
        y = 1
        if y:
            raise


def hidden_by_another_exception(data):
    if np.random.laplace() > 0:
        return 1
    try:
        tells(data)
    except BudgetExceeded:
        raise RuntimeError("failed") from None


# --- texts of which the form, or the line, tells the record: two of each


def line_of_a_warning(x, rng):
    if x:
        warnings.warn("odd", stacklevel=1)
    else:
        warnings.warn("odd", stacklevel=1)
    return int(rng.random() < 0.5)


def line_of_a_caller(x, rng):
    if x:
        warns()
    else:
        warns()
    return int(rng.random() < 0.5)


def warns():
    warnings.warn("odd", stacklevel=2)


def line_of_a_log(x, rng):
    if x:
        logger.info("odd")
    else:
        logger.info("odd")
    return int(rng.random() < 0.5)


def stack_of_a_log(x, rng):
    if x:
        logs()
    else:
        logs()
    return int(rng.random() < 0.5)


def logs():
    logger.info("odd", stack_info=True)


def stream_of_a_text(x, rng):
    if x:
        print("odd", file=sys.stderr)
    else:
        print("odd")
    return int(rng.random() < 0.5)


def end_of_a_text(x, rng):
    if x:
        print("a", "b", sep="", end="")
    else:
        print("a", "b")
    return int(rng.random() < 0.5)


def conversion_of_a_value(x, rng):
    if x:
        print(f"{'a'!r}")
    else:
        print(f"{'a'!s}")
    return int(rng.random() < 0.5)


def values_together(x, rng):
    if x:
        print((1, 2))
    else:
        print(1, 2)
    return int(rng.random() < 0.5)


def text_and_value(x, rng):
    if x:
        print(f"a{1}")
    else:
        print("a", 1)
    return int(rng.random() < 0.5)


def format_and_value(x, rng):
    if x:
        print("%d" % 1)  # noqa: UP031
    else:
        print("%d", 1)
    return int(rng.random() < 0.5)


def type_of_a_value(x, rng):
    a = np.array([1.0, 2.0])
    print(f"{a[0] if x else 1.0!r}")
    return int(rng.random() < 0.5)


def same_on_two_lines(x, rng):
    if x:
        print("a", f"{1}", sep="")
    else:
        print("a", f"{1}", sep="")
    return int(rng.random() < 0.5)


def changed_after_it_was_shown(data):
    counts = [float(len(data))]
    print(counts)
    counts[0] = 0.0
    return 0.0


def noised_after_it_was_logged(data):
    counts = np.array([float(len(data))])
    logger.info("%s", counts)
    counts += np.random.default_rng().laplace(size=1)
    return 0.0
