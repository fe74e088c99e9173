"""Mechanisms whose module changes what another module holds."""

from tests.unit.formal import shared_settings
from tests.unit.formal.shared_settings import SCALES, count_of


def widen(bound):
    shared_settings.BOUND = bound


def replace(noise):
    shared_settings.noise = noise


def rescale(scale):
    SCALES["count"] = scale


def tune(epsilon):
    shared_settings.settings.EPSILON = epsilon


def recalibrate(scale):
    shared_settings.ENGINE.scale = scale


def total(data):
    return shared_settings.total(data)


def count(data):
    return shared_settings.count(data)


def scaled_count(data):
    return shared_settings.scaled_count(data)


def count_by_settings(data):
    return shared_settings.count_by_settings(data)


def count_by_engine(data):
    return count_of(shared_settings.ENGINE, data)


ALL = [total, count, scaled_count, count_by_settings, count_by_engine]
