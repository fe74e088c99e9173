"""Mechanisms whose noise takes no seed from dpaudit: stand-ins for compiled libraries."""

import ctypes
import math
import os
import secrets

import numpy as np

_LIBRARY = ctypes.CDLL(None)  # its rand() has a state of its own, alike in every new process
_SEEN = []


def _stretched(part, scale):
    part -= 0.5
    return -scale * math.copysign(math.log(1 - 2 * abs(part)), part)


def library(scale):
    return _stretched((_LIBRARY.rand() + 0.5) / 2**31, scale)


def system(scale):
    return _stretched((int.from_bytes(os.urandom(6), "little") + 0.5) / 2**48, scale)


def secret(scale):
    return _stretched((secrets.randbelow(2**40) + 0.5) / 2**40, scale)


NOISES = {"library": library, "system": system, "secret": secret}


def library_count(data):
    return len(data) + library(1.0)


def system_count(data):
    return len(data) + system(1.0)


def secret_count(data):
    return len(data) + secret(1.0)


def library_vector(data):
    """Draw as often as there are records, and once more."""
    return len(data) + [library(1.0) for _ in range(len(data) + 1)][-1]


def _uniform():
    return (_LIBRARY.rand() + 0.5) / 2**31


def _spread(number):
    return float(np.random.default_rng(int(number * 2**31)).random(30).sum())


def library_many_on_one(data):
    """Draw 30 numbers where there is a record, else one of which 30 are made: one law."""
    if len(data):
        return sum(_uniform() for _ in range(30))
    return _spread(_uniform())


def library_many_on_none(data):
    """Draw 30 numbers where there is no record, else one of which 30 are made: one law."""
    if len(data) == 0:
        return sum(_uniform() for _ in range(30))
    return _spread(_uniform())


def library_count_too_little(data):
    return len(data) + library(0.3)


def system_count_too_little(data):
    return len(data) + system(0.3)


def secret_count_too_little(data):
    return len(data) + secret(0.3)


def library_largest(data):
    _SEEN.append(len(data))
    return max(_SEEN) + library(0.5)


def system_largest(data):
    _SEEN.append(len(data))
    return max(_SEEN) + system(0.5)


def secret_first(data):
    _SEEN.append(len(data))
    return _SEEN[0] + secret(0.5)
