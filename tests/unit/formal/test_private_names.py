# ruff: noqa: NPY002 - as people draw
"""Names that a class changes (``self.__scale``): code with them is proved, no twin of it."""

import os

import numpy as np
import pytest

import dpaudit
from dpaudit import AddRemove, PureDP, Real, Verdict
from tests.proving import is_proved

NUMBERS = AddRemove(Real(0, 1), max_size=6)


class Engine:
    __limit = 1.0

    def __init__(self, data, epsilon):
        self.__data = data
        self.__epsilon = epsilon
        self.__scale = self.__sensitivity() / epsilon

    def __sensitivity(self):
        return self.__limit

    def total(self):
        return float(np.sum(self.__data) + np.random.laplace(0, self.__scale))


class Loud(Engine):
    def __sensitivity(self):
        return 0.0

    def total2(self):
        return Engine.total(self)


class Half:
    def __init__(self, data):
        self.__data = data
        self.__scale = 0.5

    def total(self):
        return float(np.sum(self.__data) + np.random.laplace(0, self.__scale))


class Changed:
    __limit = 1.0

    def __init__(self, data):
        self.__data = data

    def total(self):
        Changed.__limit = Changed.__limit / 2
        return float(np.sum(self.__data) + np.random.laplace(0, self.__limit))


class Base:
    def __init__(self, data):
        self.__data = data
        self.__scale = 0.25

    def total(self):
        return float(np.sum(self.__data) + np.random.laplace(0, self.__scale))


class Below(Base):
    def __init__(self, data):
        super().__init__(data)
        self.__scale = 1.0


def engine(data):
    return Engine(data, 1.0).total()


def loud(data):
    return Loud(data, 1.0).total2()


def half(data):
    return Half(data).total()


def changed(data):
    return Changed(data).total()


def below(data):
    return Below(data).total()


class Env:
    def __init__(self, data):
        self.__data = data
        self.scale = self.__read()

    def __read(self):
        return float(os.environ.get("SCALE_X", "1.0"))

    def total(self):
        return float(np.sum(self.__data) + np.random.laplace(0, self.scale))


def env(data):
    return Env(data).total()


class Glob:
    SC = [1.0]  # noqa: RUF012

    def __touch(self):
        Glob.SC[0] = 0.1

    def total(self, data):
        r = float(np.sum(data) + np.random.laplace(0, Glob.SC[0]))
        self.__touch()
        return r


def glob(data):
    return Glob().total(data)


SC2 = [1.0]


class Later:
    def __touch(self):
        SC2[0] = 0.1

    def go(self):
        self.__touch()


def later(data):
    return float(np.sum(data) + np.random.laplace(0, SC2[0]))


@pytest.mark.parametrize("mechanism", [engine, loud])
def test_private_attributes_and_methods_are_followed(mechanism):
    report = dpaudit.verify(mechanism, PureDP(1.0), NUMBERS)
    assert report.verdict is Verdict.VERIFIED, report.reason
    assert report.checked


@pytest.mark.parametrize("mechanism", [half, changed, below, env, glob, later])
def test_a_twin_with_one_defect_is_not_verified(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), NUMBERS)
