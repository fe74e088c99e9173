"""Runs a lifted program on one dataset, along one path."""

from __future__ import annotations

from dpaudit.formal.enumeration import evaluating, executing
from dpaudit.formal.enumeration.machine import Raised, Run

__all__ = ["Raised", "Run"]
_HANDLERS = (evaluating, executing)
