"""The static engine: reads the source of a mechanism, by rules over syntax and data flow."""

from dpaudit.static.engine import StaticEngine

__all__ = ["StaticEngine"]
