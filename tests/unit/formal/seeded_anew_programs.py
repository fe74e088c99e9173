"""Mechanisms that ask the system for a new seed; nothing else in this module seeds a generator."""

from __future__ import annotations

import random

import numpy as np


def seeded_anew(data):
    random.seed()
    return len(data) + random.expovariate(1.0) - random.expovariate(1.0)


def seeded_anew_by_numpy(data):
    np.random.seed()
    return len(data) + np.random.laplace()
