"""Runs a mechanism once, and writes down its noise and what became of it."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from types import FrameType, TracebackType
from typing import Any, Self

import numpy as np
from numpy.random import mtrand

from dpaudit.outputs import Raised
from dpaudit.outputs.text import parts_of_text
from dpaudit.randomness import GlobalStates, SeededSource, pytorch
from dpaudit.subject import Subject
from dpaudit.trace.arrays import is_traced, traced_array
from dpaudit.trace.conversions import Conversions
from dpaudit.trace.draws import (
    Director,
    Draw,
    Lines,
    Place,
    Request,
    count_as_users,
    is_users,
    place_of,
    place_of_line,
    users_lines,
)
from dpaudit.trace.intercept import intercepted
from dpaudit.trace.laws import ONE_SIDED
from dpaudit.trace.patches import rebind
from dpaudit.trace.scalars import wrapped
from dpaudit.trace.standins import Generator
from dpaudit.trace.switch import directed, plain, unwatched
from dpaudit.trace.tape import MOST_CELLS, Tape, lingering, stripped
from dpaudit.trace.watching import watching
from dpaudit.worker import deadline
from dpaudit.worker.datasets import duplicate
from dpaudit.worker.quiet import Quiet

MOST_DRAWS = 20_000  # of one run; a mechanism that draws without end is stopped there
# Laws whose location argument is a number that noise is added to.
_LOCATED = {"laplace": "loc", "normal": "loc", "gumbel": "loc", "logistic": "loc"}
_LOCATED |= {"gauss": "mu", "normalvariate": "mu", "discrete_laplace": "loc", "staircase": "loc"}
_LOCATED |= {"bounded_laplace": "loc", "discrete_gaussian": "loc"}
_SELECTING = {"choice", "choices", "sample", "permutation", "permuted", "shuffle", "bytes"}
_SELECTING |= {"randbytes", "urandom", "getrandom", "multinomial", "seed"}


class EndlessNoiseError(RuntimeError):
    """A mechanism drew so often that its run was stopped."""


@dataclass(frozen=True, slots=True)
class Emitted:
    """A text that left: a printed line, a log record, a warning or a file.

    Attributes
    ----------
    entry : tuple
        Where it went, the text with ``{}`` in place of numbers, and the numbers.
    place : Place or None
        The user's line that emitted it.
    """

    entry: tuple[Any, ...]
    place: Place | None


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One run of a mechanism.

    Attributes
    ----------
    output : Any
        Without tracing types; a `Raised` where it raised; of a text its parts.
    draws : tuple of Draw
        Noise calls in order, seeds of generators that were made, and costs that accountants were
        told of.
    tape : Tape
        Closed. Holds no sinks where the run was not traced.
    raised_at : Place or None
        The user's line that raised.
    endless : bool
        Whether the run was stopped after `MOST_DRAWS` draws.
    emitted : tuple of Emitted
        What left beside the output.
    signed : frozenset of int
        Noise calls that this or an earlier run added, and another one subtracted.
    """

    output: Any
    draws: tuple[Draw, ...]
    tape: Tape
    raised_at: Place | None = None
    endless: bool = False
    emitted: tuple[Emitted, ...] = ()
    signed: frozenset[int] = frozenset()

    @property
    def noise(self) -> tuple[Draw, ...]:
        """The draws alone."""
        return tuple(draw for draw in self.draws if draw.request.draws)

    @property
    def followed(self) -> bool:
        """Whether all numbers that were drawn are known to be somewhere, up to the output."""
        tape = self.tape
        if tape.pinned:
            return False
        held = {n for sink in tape.sinks for cell in sink.cells.tolist() for n in tape.terms(cell)}
        drawn = (range(d.first, d.first + np.size(d.value)) for d in self.noise if d.first >= 0)
        return all(held.issuperset(cells) for cells in drawn)


class Recorder:
    """A director that lets the program's own noise through, or given noise, and notes it.

    Parameters
    ----------
    traced : bool
        Whether the mechanism receives traced numbers, or plain ones.
    answer : callable, optional
        Given the number of the noise call, the request, and the value that the program would
        have drawn; returns the value that it receives.
    states : callable, optional
        Seeds the global states. It is called before anything but `own` is drawn from or looked at.
    own : int
        Owner of the noise calls of the generator that is passed in.
    """

    def __init__(
        self,
        *,
        traced: bool,
        answer: Callable[[int, Request, Any], Any] | None = None,
        states: Callable[[], None] | None = None,
        own: int = 0,
    ) -> None:
        self._states, self._own = states, own
        self.tape = Tape()
        self._traced = traced
        self._answer = answer

    def draw(self, request: Request, natural: Callable[[], Any]) -> Any:
        """Note a noise call, and return its value."""
        if self._states is not None and request.owner != self._own:
            self.state_seen()
        tape = self.tape
        if len(tape.draws) >= MOST_DRAWS:
            raise EndlessNoiseError(f"more than {MOST_DRAWS:,} noise calls")
        located = _LOCATED.get(request.kind)
        for name, argument in request.arguments.items():
            if name != located and is_traced(argument):
                argument._tape.pin(argument)
        value = natural()
        number = len(tape.draws)
        stack = users_lines(3)
        if not request.draws:
            # Kept as a traced number it would outlive the run, and be looked for everywhere.
            arguments = {name: plain(each) for name, each in request.arguments.items()}
            tape.draws.append(Draw(replace(request, arguments=arguments), None, stack))
            return value
        untraced = request.kind in _SELECTING or request.price is not None
        if self._traced and not untraced:
            value = _as_numbers(value)
        if self._answer is not None:
            value = self._answer(number, request, value)
        if not self._traced or untraced or tape.size > MOST_CELLS:
            held = value.copy() if type(value) is np.ndarray else value  # what is added to it later
            tape.draws.append(Draw(request, held, stack))
            return value
        return self._noted(request, value, stack, located)

    def branch(self) -> Director:
        """Return itself: threads of one run write on one tape."""
        self.state_seen()
        return self

    def state_seen(self) -> None:
        """Seed the global states, unless that is done."""
        states, self._states = self._states, None
        if states is not None:
            with unwatched():
                states()

    def _noted(self, request: Request, value: Any, stack: Lines, located: str | None) -> Any:
        tape, number = self.tape, len(self.tape.draws)
        location = request.arguments.get(located, 0.0) if located else 0.0
        noise: Any
        if type(value) is float and type(location) is float:
            noise = value - location
            first = tape.add_cells(noise, number)
            tape.draws.append(Draw(request, value, stack, first))
            return wrapped(value, tape, first, 1.0)
        if not isinstance(value, (float, int, np.float64, np.int64, np.ndarray)):
            tape.draws.append(Draw(request, value, stack))
            return value
        if type(value) is float is type(plain(location)):
            noise = value - plain(location)
        else:
            noise = np.asarray(value, dtype=np.float64) - np.asarray(plain(location), dtype=float)
        first = tape.add_cells(noise, number)
        tape.draws.append(Draw(request, value, stack, first))
        if is_traced(location):
            return location + _alone(noise, tape, first, value)
        if isinstance(value, np.ndarray):
            if value.dtype.kind not in "fiu":
                return value
            cells = np.arange(first, first + value.size).reshape(value.shape)
            return traced_array(value, tape, cells, np.ones(value.shape))
        return wrapped(value, tape, first, 1.0)


def _as_numbers(value: Any) -> Any:
    """Return a draw as an array that can be traced; JAX takes it for one of its own."""
    jax = sys.modules.get("jax")
    made = jax is not None and isinstance(value, jax.Array) and value.ndim > 0
    return np.array(value) if made else value


def _alone(noise: Any, tape: Tape, first: int, value: Any) -> Any:
    """Return the noise of a draw without its location, as a traced number or array."""
    if isinstance(value, np.ndarray):
        cells = np.arange(first, first + value.size).reshape(value.shape)
        return traced_array(noise, tape, cells, np.ones(value.shape))
    return wrapped(type(value)(noise), tape, first, 1.0)


class Bench:
    """Runs one mechanism again and again, its noise intercepted and its process left as it was.

    Parameters
    ----------
    subject : Subject
    seconds : float, optional
        After which no run begins; it raises a `WorkerError` of kind ``"late"`` instead.

    Notes
    -----
    A context manager. It holds the lock on the state of the process that tasks hold, keeps the
    mechanism's prints away, and gives both global random states back at the end.
    """

    def __init__(self, subject: Subject, seconds: float | None = None) -> None:
        count_as_users(subject.file)
        self._subject = subject
        self._until = None if seconds is None else deadline.now() + seconds
        self._stack = ExitStack()
        self.calls = 0
        self.traced = True  # unless the mechanism does not bear it
        self.keeping = False  # whether conversions keep the noise of traced numbers
        self._signs: set[tuple[int, str, float]] = set()  # of noise calls, in any run

    def __enter__(self) -> Self:
        self._quiet = self._stack.enter_context(Quiet(listens=True))
        self._stack.enter_context(SeededSource((0,), "independent", GlobalStates()))
        self._stack.enter_context(intercepted())
        self._conversions = Conversions(self._subject.mechanism)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    @property
    def unwatched(self) -> frozenset[str]:
        """Ways by which texts have left that are no part of the outputs."""
        return self._quiet.unwatched(self._subject)

    def run(
        self,
        dataset: Any,
        key: Sequence[int],
        *,
        traced: bool | None = None,
        answer: Callable[[int, Request, Any], Any] | None = None,
        watch: Callable[[FrameType, str, Any], Any] | None = None,
    ) -> Run:
        """Run the mechanism on a dataset.

        Parameters
        ----------
        dataset : object
            It is copied.
        key : sequence of int
            Seed of the generator that is passed in, and of the global ones.
        traced : bool, optional
            Whether tracing types are used; `Bench.traced` unless given.
        answer : callable, optional
            See `Recorder`.
        watch : callable, optional
            A trace function that sees the mechanism run: see `dpaudit.trace.watching`.

        Returns
        -------
        Run
        """
        deadline.in_time(self._until)
        self.calls += 1
        tracing = self.traced if traced is None else traced
        rng, states = _generator(key), partial(_seed_states, key)
        recorder = Recorder(traced=tracing, answer=answer, states=states, own=id(rng._bits))
        kept = self._conversions.kept() if tracing and self.keeping else nullcontext()
        tape, texts = recorder.tape, _Texts()
        with kept:
            output, raised_at, endless = self._called(
                duplicate(dataset), rng, recorder, watch, texts
            )
        if not endless:
            tape.close(output)
        tape.open = False
        output = stripped(output)
        output = parts_of_text(output) if type(output) is str else output
        held = lingering(tape)
        if held:
            rebind([(each, each._dpaudit_plain()) for each in held])
        draws = tuple(tape.draws)
        signed = self._signed(draws, tape)
        return Run(output, draws, tape, raised_at, endless, texts.emitted(), signed)

    def _signed(self, draws: tuple[Draw, ...], tape: Tape) -> frozenset[int]:
        """Return the noise with a least value that is added in one run and subtracted in another.

        A coin gives it its sign, so that it is noise on both sides.
        """
        ends = {number for number, draw in enumerate(draws) if draw.kind in ONE_SIDED}
        if not ends:
            return frozenset()
        for sink in tape.sinks:
            for cell, factor in zip(sink.cells.tolist(), sink.coefficients.tolist(), strict=True):
                for each, weight in tape.terms(cell, factor).items():
                    number = tape.draw_of(each)
                    if number in ends and weight:
                        self._signs.add((number, draws[number].kind, math.copysign(1.0, weight)))
        kinds = {number: draws[number].kind for number in ends}
        return frozenset(
            n for n, kind in kinds.items() if {(n, kind, 1.0), (n, kind, -1.0)} <= self._signs
        )

    def generator(self, key: Sequence[int]) -> Any:
        """Seed the global states, and return a generator that is seen, to be drawn on by runs."""
        return _seeded(key)

    def under(self, director: Director, dataset: Any, rng: Any) -> Any:
        """Run the mechanism on a copy of a dataset, its noise answered by a director.

        Returns
        -------
        object
            The output, as it is; a `Raised` where it raised.
        """
        deadline.in_time(self._until)
        self.calls += 1
        try:
            with directed(director):
                return _call(self._subject, duplicate(dataset), rng, _Texts())
        except (Exception, SystemExit) as error:
            return Raised(error)

    def _called(
        self, dataset: Any, rng: Any, recorder: Recorder, watch: Any, texts: _Texts
    ) -> tuple[Any, Place | None, bool]:
        try:
            with directed(recorder), watching(watch):
                return _call(self._subject, dataset, rng, texts), None, False
        except EndlessNoiseError as error:
            return Raised(error), _raised_at(error), True
        except (Exception, SystemExit) as error:
            return Raised(error), _raised_at(error), False


def _seeded(key: Sequence[int]) -> Any:
    """Seed the global states, and return a generator that is seen."""
    _seed_states(key)
    return _generator(key)


def _generator(key: Sequence[int]) -> Any:
    return Generator(np.random.PCG64(np.random.SeedSequence(tuple(key))))


def _seed_states(key: Sequence[int]) -> None:
    """Seed the states of the functions of ``numpy.random``, of `random` and of PyTorch."""
    digest = blake2b(repr(tuple(key)).encode(), digest_size=20).digest()
    mtrand._rand.seed(int.from_bytes(digest[:4], "little"))
    python: Any = random._inst
    super(random.Random, python).seed(int.from_bytes(digest[4:], "little"))  # what `seed` does
    python.gauss_next = None
    torch = pytorch()
    if torch is not None:
        torch.seed(int.from_bytes(digest[-7:], "little"))


class _Texts:
    """The texts of one call, and the lines that emitted them."""

    def __init__(self) -> None:
        self.entries: tuple[Any, ...] = ()
        self._lines: list[Lines] = []

    def add(self, lines: Lines) -> None:
        """Note the lines that emit a text."""
        self._lines.append(lines)

    def emitted(self) -> tuple[Emitted, ...]:
        """Return the texts with their places."""
        places = (place_of_line(lines[0]) if lines else None for lines in self._lines)
        entries = (tuple(map(plain, entry)) for entry in self.entries)
        return tuple(map(Emitted, entries, places))


def _call(subject: Subject, dataset: Any, rng: Any, texts: _Texts) -> Any:
    if subject.vectorized:
        return subject.steady(dataset, 1, rng)[0]
    given = (dataset, rng) if subject.takes_rng else (dataset,)
    if not (subject.emits or "files" in subject.touches):
        return subject.steady(*given)
    called = subject.watched(added=texts.add, line=lambda: users_lines(3))
    output, texts.entries = called(*given)
    return output


def _raised_at(error: BaseException) -> Place | None:
    trace, place = error.__traceback__, None
    while trace is not None:
        if is_users(trace.tb_frame.f_code):
            place = place_of(trace.tb_frame)
            place = Place(place.file, trace.tb_lineno, place.function)
        trace = trace.tb_next
    return place
