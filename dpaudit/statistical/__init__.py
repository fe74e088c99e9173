"""The statistical engine."""

from dpaudit.statistical.engine import StatisticalEngine

__all__ = ["StatisticalEngine"]
