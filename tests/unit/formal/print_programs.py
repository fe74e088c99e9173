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
