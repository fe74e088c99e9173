"""Where a platform cannot fork, new interpreters do the same: macOS by choice, Windows always."""

import multiprocessing
import os

import numpy as np
import pytest

import dpaudit
from dpaudit import Pairs, PureDP
from dpaudit.subject import Subject
from dpaudit.worker import fresh_outputs
from dpaudit.worker.contexts import worker_context
from mechanisms.laplace import laplace

LEFT, RIGHT = np.zeros(1), np.ones(1)


@pytest.fixture
def spawning(monkeypatch):
    """Hide from dpaudit that this platform forks."""

    def hide():
        monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
        monkeypatch.delattr(os, "fork", raising=False)
        assert worker_context().get_start_method() == "spawn"

    return hide


def test_audit_in_worker_processes_is_the_same_by_spawn(spawning):
    def audited():
        options = {"engines": ["statistical"], "isolation": "process", "max_calls": 3_000}
        report = dpaudit.audit(laplace, PureDP(0.1), Pairs([(LEFT, RIGHT)]), **options)
        return report.verdict, report.calls, report.epsilon

    before = audited()
    spawning()
    assert audited() == before


def test_fresh_processes_are_the_same_by_spawn(spawning):
    subject, histories, keys = Subject.of(laplace), [[], [LEFT]], [(1,), (2,)]
    before = fresh_outputs(subject, histories, RIGHT, keys)
    spawning()
    assert fresh_outputs(subject, histories, RIGHT, keys).same_as(before)
