"""Exceptions of Python's own that are caught: what a handler does is proved, or not."""

import contextlib
import logging
import math
import threading
import time
import warnings

import numpy as np
import pytest

from dpaudit import AddRemove, Integer, PureDP
from tests.proving import is_proved
from tests.sweeps import thinned

MANY = AddRemove(Integer(0, 9), container="list")
ONE = PureDP(np.nextafter(1.0, 2))
LOCK = threading.Lock()
LOG = logging.getLogger(__name__)


def checked(epsilon):
    if not isinstance(epsilon, int | float):
        raise TypeError("epsilon is no number")
    if epsilon <= 0:
        raise ValueError("epsilon is not positive")


class Server:
    def __init__(self, data, rng):
        self._data, self._rng, self._lock = data, rng, threading.Lock()
        self.asked = 0

    def count(self):
        with self._lock:
            self.asked += 1
            return len(self._data) + self._rng.laplace()

    def wrapped(self):
        try:
            return self.count()
        except ValueError as error:
            LOG.error("failed: %s", error)
            raise RuntimeError("the query failed") from error

    def again(self):
        try:
            return self.count()
        except Exception as error:
            print(f"failed: {error}")
            raise

    def leaking_again(self):
        try:
            return math.sqrt(self.count())
        except Exception:
            print(len(self._data))
            raise


def validation(data, rng, epsilon=1.0):
    try:
        checked(epsilon)
    except (ValueError, TypeError) as error:
        return f"invalid: {error}"
    return len(data) + rng.laplace(0, 1 / epsilon)


def a_root_that_may_not_exist(data, rng):
    noisy = len(data) + rng.laplace()
    try:
        root = math.sqrt(noisy)
    except ValueError:
        root = 0.0
    return root


def anything_at_all(data, rng):
    try:
        noisy = len(data) + rng.laplace()
    except:  # noqa: E722
        noisy = 0.0
    return noisy


def suppressed(data, rng):
    answer = 0.0
    with contextlib.suppress(ValueError, OverflowError):
        answer = math.log(len(data) + rng.laplace())
    return answer


def in_the_end(data, rng):
    start = time.time()
    calls = 0
    LOCK.acquire()
    try:
        return len(data) + rng.laplace()
    except ZeroDivisionError:
        return 0.0
    finally:
        calls += 1
        spent = time.time() - start  # noqa: F841
        LOG.info("done")
        LOCK.release()


def quiet(data, rng):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return len(data) + rng.laplace()


def served(data, rng):
    server = Server(data, rng)
    return server.count(), server.asked


SOUND = [
    validation, a_root_that_may_not_exist, anything_at_all, suppressed, in_the_end, quiet, served,
    lambda data, rng: Server(data, rng).wrapped(), lambda data, rng: Server(data, rng).again(),
]  # fmt: skip


@pytest.mark.parametrize("mechanism", SOUND, ids=lambda m: m.__name__)
def test_a_handler_that_shows_nothing_private_is_proved(mechanism):
    assert is_proved(mechanism, ONE, MANY)


def each_failure_is_another_answer(data, rng):
    fails = 0
    for _ in range(5):
        try:
            return math.log(len(data) + rng.laplace())
        except ValueError:
            fails += 1
    return fails


def it_always_raises(data, rng):
    noisy = len(data) + rng.laplace()
    try:
        return "a" + noisy
    except TypeError:
        return len(data)


def a_variable_before_its_noise(data, rng):
    x = 0
    try:
        x = len(data)
        math.log(rng.laplace())
        x = x + rng.laplace()
    except ValueError:
        pass
    return x


def a_list_before_its_end(data, rng):
    out = []
    try:
        out.append(len(data))
        math.log(rng.laplace())
        out[0] = 0
    except ValueError:
        pass
    return out


def fill(out, data, rng):
    out.append(len(data))
    math.log(rng.laplace())
    out[0] = 0


def a_list_that_a_helper_fills(data, rng):
    out = []
    try:
        fill(out, data, rng)
    except ValueError:
        out.append(1)
    return out


def another_name_of_the_list(data, rng):
    out = [0]
    try:
        other = out
        other[0] = len(data)
        math.log(rng.laplace())
        other[0] = 0
    except ValueError:
        pass
    return out


def a_turn_before(data, rng):
    out, x = [], 0
    for _ in range(3):
        try:
            out.append(x)
            x = len(data)
            math.log(rng.laplace())
            x = 0
        except ValueError:
            pass
    return out


def an_index_that_noise_decides(data, rng):
    table, missed = [0] * 5, 0
    for _ in range(4):
        try:
            table[round(len(data) + rng.laplace())] = 1
        except IndexError:
            missed += 1
    return missed


def an_unused_quotient(data, rng):
    zeros = 0
    for _ in range(4):
        try:
            1 / round(len(data) + rng.laplace())
        except ZeroDivisionError:
            zeros += 1
    return zeros


def a_loop_over_records(data, rng):
    try:
        for _ in data:
            {}["k"]
    except KeyError:
        return 1
    return 0


def an_exponential_too_large(data, rng):
    try:
        math.exp(1000 * len(data))
    except OverflowError:
        return 1
    return 0


def a_private_test_that_raises(data, rng):
    try:
        if len(data) > 3:
            raise ValueError("many")
    except ValueError:
        return 1
    return 0


def two_classes(data, rng):
    try:
        if len(data) > 3:
            raise ValueError("x")
        raise KeyError("x")
    except (ValueError, KeyError):
        print("caught")
        raise


def suppressed_too_late(data, rng):
    x = 0
    with contextlib.suppress(ValueError):
        x = len(data)
        math.log(rng.laplace())
        x = 0
    return x


def printed_in_the_end(data, rng):
    x = len(data)
    try:
        math.log(rng.laplace())
        x = x + rng.laplace()
        return x
    finally:
        print(x)


def returned_in_the_end(data, rng):
    try:
        return len(data) + rng.laplace()
    finally:
        return len(data)  # noqa: B012, SIM107


def set_in_the_end(data, rng):
    x = [0]
    try:
        return x
    finally:
        x[0] = len(data)


def otherwise(data, rng):
    try:
        math.log(rng.laplace())
    except ValueError:
        return 0
    else:
        return len(data)


def the_turn_that_raised(data, rng):
    noises = [rng.laplace() for _ in range(3)]
    try:
        for turn in range(3):
            math.log(noises[turn])
    except ValueError:
        return len(data) if turn == 0 else 0
    return 0


def a_choice_that_noise_makes(data, rng):
    table, missed = {"a": 1}, 0
    for _ in range(5):
        try:
            table["a"] if len(data) + rng.laplace() > 0 else table["b"]
        except KeyError:
            missed += 1
    return missed


def a_text_that_noise_makes(data, rng):
    fails = 0
    for _ in range(5):
        try:
            raise KeyError(math.log(len(data) + rng.laplace()))
        except ValueError:
            fails += 1
        except KeyError:
            fails += 2
    return fails


LEAKING = [
    the_turn_that_raised, a_choice_that_noise_makes, a_text_that_noise_makes,
    each_failure_is_another_answer, it_always_raises, a_variable_before_its_noise,
    a_list_before_its_end, a_list_that_a_helper_fills, another_name_of_the_list, a_turn_before,
    an_index_that_noise_decides, an_unused_quotient, a_loop_over_records, an_exponential_too_large,
    a_private_test_that_raises, two_classes, suppressed_too_late, printed_in_the_end,
    returned_in_the_end, set_in_the_end, otherwise,
    lambda data, rng: Server(data, rng).leaking_again(),
]  # fmt: skip


@pytest.mark.parametrize("mechanism", thinned(LEAKING), ids=lambda m: m.__name__)
def test_what_a_handler_tells_is_not_proved(mechanism):
    assert not is_proved(mechanism, ONE, MANY)


def a_length_that_may_not_exist(data, rng, epsilons=(0.5, 0.5)):
    try:
        many = len(epsilons)
    except TypeError:
        many = len(data)
    return [len(data) + rng.laplace(0, many) for _ in range(2)]


def an_exception_that_numpy_is_not_set_to_raise(data, rng):
    try:
        answer = len(data) + rng.laplace() * np.exp(0.0)
    except FloatingPointError:
        return answer_in_other_arithmetic(data)  # noqa: F821
    return answer


@pytest.mark.parametrize(
    "mechanism", [a_length_that_may_not_exist, an_exception_that_numpy_is_not_set_to_raise]
)
def test_a_handler_that_never_runs_is_not_looked_at(mechanism):
    assert is_proved(mechanism, ONE, MANY)


def test_an_exception_that_numpy_is_set_to_raise_is_one_that_may_occur():
    with np.errstate(over="raise"):
        assert not is_proved(an_exception_that_numpy_is_not_set_to_raise, ONE, MANY)


def a_length_of_what_may_be_a_number(data, rng):
    noisy = len(data) + rng.laplace()
    try:
        return len(noisy)
    except TypeError:
        return len(data)


def test_a_handler_of_a_length_that_does_not_exist_is_looked_at():
    assert not is_proved(a_length_of_what_may_be_a_number, ONE, MANY)
