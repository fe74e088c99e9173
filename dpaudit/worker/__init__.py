"""Runs the mechanism: seeds, limits, isolation, and encoded outputs."""

from dpaudit.worker.executors import ExecutorRunner
from dpaudit.worker.fresh import fresh_outputs
from dpaudit.worker.in_place import InPlace
from dpaudit.worker.processes import ProcessRunner
from dpaudit.worker.tasks import (
    KEEPS_STATE,
    UNCOUPLED,
    Draws,
    Runner,
    Task,
    Traits,
    Unwatched,
    WorkerError,
)

__all__ = [
    "KEEPS_STATE",
    "UNCOUPLED",
    "Draws",
    "ExecutorRunner",
    "InPlace",
    "ProcessRunner",
    "Runner",
    "Task",
    "Traits",
    "Unwatched",
    "WorkerError",
    "fresh_outputs",
]
