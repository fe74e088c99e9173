"""The lifted program on one dataset, with the libraries' own functions and numbers.

What a lifted program means is what Python makes of it (`dpaudit.checker.exact.code`), with names
looked up in the libraries that they name. So a program and the code that it was read from can be
run side by side; see `dpaudit.formal.agreement`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from dpaudit.checker.exact.code import called, compiled, looked_up, method
from dpaudit.checker.file import RejectedError
from dpaudit.formal.hashing import to_dict
from dpaudit.formal.program import ClassName, Program

STEPS = 200_000  # turns of loops, and calls, of one run
UNSAID = "what a sampler says that gets no law"  # of a draw that raises an exception
_LEGACY = {"random": "random_sample"}
_OWN: dict[str, Callable[..., Any]] = {"operator.call": called}


class NotRunError(BaseException):
    """A program that is not run: a name that no library has, or very many steps.

    It is no exception that a program raises, so that nothing takes it for an output.
    """


class Concrete:
    """A program without symbolic parameters, to be run on datasets.

    Parameters
    ----------
    program : Program

    Raises
    ------
    NotRunError
        Where the program is not run.
    """

    raises = True
    turn = None

    def __init__(self, program: Program) -> None:
        self._program = program
        self._rng: Any = None
        self._steps = 0
        written = to_dict(program, live=True)
        self._fixed = {name: constant.value for name, constant in program.fixed.items()}
        try:
            self._function = compiled(written["entry"], self)
        except RejectedError as error:
            raise NotRunError(str(error)) from None

    def run(self, data: Any, rng: Any) -> Any:
        """Return what the program returns on a dataset.

        Parameters
        ----------
        data : object
            It may be changed.
        rng : numpy.random.Generator
            Every generator of the program draws from it, but for those of `numpy.random` and those
            with a seed.

        Raises
        ------
        NotRunError
            Where the program is not run.
        Exception
            What the program raises.
        """
        self._rng, self._steps = rng, 0
        named = {**self._fixed, self._program.data: data}
        if self._program.rng is not None:
            named[self._program.rng] = rng
        try:
            return self._function(**named)
        except RejectedError as error:
            raise NotRunError(str(error)) from None
        except Exception as error:
            if error.args and isinstance(error.args[0], ClassName):
                error.args = error.args[1:]  # which are the code's own
            raise

    # --- what the code of the program asks for

    def constant(self, node: dict[str, Any]) -> Any:
        """Return the very value that the code has."""
        return node["value"]

    def function(self, name: str) -> Callable[..., Any]:
        """Return the library's function of a canonical name."""
        library, _, word = name.partition(".")
        if library == "method":
            return method(word)
        if library == "attribute":
            return operator.attrgetter(word)
        if name in _OWN:
            return _OWN[name]
        found = looked_up(name)
        if found is None:
            raise NotRunError(f"no library has {name}")
        return found if callable(found) else _constantly(found)

    def called(self, function: Callable[..., Any], node: dict[str, Any]) -> Callable[..., Any]:
        """Return the function itself."""
        return function

    def generator(self, origin: str, seed: Any, library: str | None) -> Any:
        """Return a generator."""
        if origin == "seeded":
            return np.random.default_rng(seed)
        return _Legacy() if origin == "global" else self._rng

    def draw(self, generator: Any, family: str, **arguments: Any) -> Any:
        """Return one draw."""
        function = getattr(generator, family, None)
        if function is None:
            raise NotRunError(f"noise of the family {family}")
        try:
            return function(**arguments)
        except Exception as error:  # weights that are all 0: each library says it in its own words
            error.args = (UNSAID,)
            raise

    def step(self) -> None:
        """Count a turn of a loop, or a call."""
        self._steps += 1
        if self._steps > STEPS:
            raise NotRunError(f"more than {STEPS} steps in one run")


class _Legacy:
    """The functions of `numpy.random`, by the names of the methods of its generators."""

    def integers(
        self, low: Any, high: Any = None, size: Any = None, *, endpoint: bool = False
    ) -> Any:
        """Draw integers, the last one included where `endpoint` says so."""
        low, high = (0, low) if high is None else (low, high)
        return self.randint(low, high + int(endpoint), size)

    def __getattr__(self, family: str) -> Any:
        return getattr(np.random, _LEGACY.get(family, family))


def _constantly(value: Any) -> Callable[..., Any]:
    return lambda *args, **named: value
