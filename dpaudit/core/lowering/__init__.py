"""Lowering: from the program that was lifted from the source, to Core.

Whatever is known before the run is run: loops with public bounds, calls of the user's functions,
tests of constants, containers and who shares them. What is left are primitives of the data, draws,
and tests of what the program computed. Order of imports: values, paths, calls, expressions,
statements.
"""

from __future__ import annotations

from dpaudit.core.lowering.statements import lower

__all__ = ["lower"]
