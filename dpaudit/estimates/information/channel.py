"""A mechanism as a channel: an exact matrix, or limits for one from samples of each input."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpaudit.estimates.checks import check_confidence, check_seed, floats, whole
from dpaudit.estimates.estimate import Estimate, Interval
from dpaudit.estimates.information.cells import Counts, Kind, count
from dpaudit.estimates.information.means import mean_limits
from dpaudit.estimates.region import Box
from dpaudit.estimates.samples import DRAWS, Sample, read_sample
from dpaudit.outputs import Columns, encode
from dpaudit.outputs.encode import Raised
from dpaudit.subject import Subject

Floats = NDArray[np.float64]
Source = ArrayLike | Mapping[Any, Sample] | Callable[..., Any]

OF_MEANS = 0.5  # of the error, where a pilot chose: for what it chose; the rest is for the cells
ROUNDING = 1e-9  # rows of a matrix, and priors, may sum to one up to this


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """Output probabilities for each input, known or within limits.

    Attributes
    ----------
    inputs : tuple
        What each row is for.
    matrix : ndarray, shape (v, k)
        Probabilities of the cells, exact or estimated; rows sum to one.
    boxes : tuple of Box or None
        Limits of each row, which hold all at once; None where the matrix is exact.
    other : int or None
        The cell of all outcomes that were not foreseen.
    kind : {"exact", "support", "outcomes", "partition"}
        What the cells are: given, named by the caller, seen in a pilot, or intervals.
    draws : int
        Calls of the mechanism.
    counted : Counts or None
        The draws behind `boxes`.
    miss : float
        Probability that is left for limits of means that the pilot chose.
    """

    inputs: tuple[Any, ...]
    matrix: Floats
    boxes: tuple[Box, ...] | None
    other: int | None
    kind: Kind
    draws: int
    counted: Counts | None = None
    miss: float = 0.0

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of inputs and of cells."""
        v, k = self.matrix.shape
        return v, k

    @property
    def unseen(self) -> Floats:
        """At most the probability of an outcome that was not foreseen, for each input."""
        if self.boxes is None or self.other is None:
            return np.zeros(len(self.inputs))
        return np.array([box.high[self.other] for box in self.boxes])

    @property
    def guessed(self) -> Floats | None:
        """The channel as the pilot shows it, all probabilities positive; None without a pilot."""
        if self.counted is None or self.counted.pilot is None:
            return None
        smooth = self.counted.pilot + 0.5
        result: Floats = smooth / smooth.sum(axis=1, keepdims=True)
        return result

    def means(self, values: Floats) -> Floats:
        """Return lower limits for the means of functions that the pilot chose, all at once.

        Parameters
        ----------
        values : ndarray, shape (v, k)
            Chosen from `guessed` alone, and once: a second choice would need an error of its own.
        """
        assert self.counted is not None
        return mean_limits(self.counted.counts, values, self.miss)

    @property
    def method(self) -> str:
        """How the limits were made, in words."""
        v, k = self.sizes
        if self.kind == "exact":
            return f"exact channel of {v} inputs and {k} outputs"
        cells = {
            "support": f"all {k} outcomes named beforehand",
            "outcomes": f"{k - 1} outcomes seen in a pilot and one cell for all others",
            "partition": f"{k} cells chosen on one half of the draws",
        }
        limits = f"Clopper–Pearson limits for all cells of {v} inputs at once"
        if self.guessed is not None:
            limits += " and for a mean that the pilot chose"
        return f"{limits}; {cells[self.kind]}"

    def valid_for(self, fine: str, coarse: str, *, other: bool = True) -> str:
        """Say what the ends are valid for.

        Parameters
        ----------
        fine, coarse : str
            The end that survives merging of outputs, and the one that does not.
        other : bool
            Whether `coarse` accounts for outcomes that were not foreseen.
        """
        if self.kind == "exact":
            return "both ends: the channel as given, up to rounding"
        if self.kind == "support" or (self.kind == "outcomes" and other):
            return "both ends: valid for the mechanism on these inputs"
        return (
            f"{fine} end: valid for the mechanism on these inputs; {coarse} end: these cells only"
        )

    def estimate(
        self,
        quantity: str,
        value: float,
        low: float,
        high: float,
        confidence: float,
        valid_for: str,
        bound: float | None = None,
    ) -> Estimate:
        """Return an estimate made from this channel; its value is drawn into the interval."""
        return Estimate(
            value=min(max(value, low), high),
            confidence_interval=Interval(low, high),
            method=self.method,
            n=self.draws,
            quantity=quantity,
            confidence=confidence,
            valid_for=valid_for,
            bound=bound,
        )


def read_channel(
    channel: Source,
    *,
    inputs: Sequence[Any] | None,
    support: Sequence[Any] | None,
    confidence: float,
    n: int | None,
    seed: int,
    name: str = "",
) -> Channel:
    """Return a channel from a matrix, from samples by input, or from a mechanism.

    Parameters
    ----------
    channel : array_like, mapping or callable
        A stochastic matrix, one input a row; a mapping from inputs to samples; or a mechanism,
        ``(input)`` or ``(input, rng)``, with `inputs`.
    inputs : sequence, optional
    support : sequence, optional
        All outcomes there are.
    confidence : float
        With which all limits hold at once.
    n : int, optional
        Calls for each input.
    seed : int
    name : str
        What a sample is called in errors; by its input unless given.

    Raises
    ------
    TypeError, ValueError
    """
    check_confidence(confidence)
    check_seed(seed)
    if isinstance(channel, Mapping):
        names, samples = tuple(channel), list(channel.values())
        streams = np.random.SeedSequence(seed).generate_state(len(samples) + 1)
        read = [
            read_sample(name or f"channel[{value!r}]", sample, n=n, seed=int(stream))
            for value, sample, stream in zip(names, samples, streams, strict=False)
        ]
    elif callable(channel):
        if isinstance(inputs, str) or not isinstance(inputs, Iterable):
            raise ValueError(
                f"`inputs` must list the mechanism's inputs, got {inputs!r}; pass e.g. [0, 1]"
            )
        names = tuple(inputs)
        calls = DRAWS if n is None else whole("n", n, 1, "pass the calls wanted for each input")
        read = _draw(channel, names, calls, seed)
    else:
        matrix = stochastic(channel)
        return Channel(tuple(range(len(matrix))), matrix, None, None, "exact", 0)
    if not read:
        raise ValueError("`channel` has no input; pass one at least")
    counted = count(read, support, seed)
    miss = 0.0 if counted.pilot is None else (1 - confidence) * OF_MEANS
    each = (confidence + miss) ** (1 / len(read))  # the samples are independent
    boxes = tuple(Box.of(row, each) for row in counted.counts)
    shares = counted.counts / counted.counts.sum(axis=1, keepdims=True)
    draws = sum(columns.size for columns in read)
    return Channel(names, shares, boxes, counted.other, counted.kind, draws, counted, miss)


def _draw(
    mechanism: Callable[..., Any], inputs: tuple[Any, ...], n: int, seed: int
) -> list[Columns]:
    subject = Subject.of(mechanism)
    streams = np.random.SeedSequence(seed).spawn(len(inputs))
    return [
        _outputs(subject, value, n, np.random.default_rng(stream))
        for value, stream in zip(inputs, streams, strict=True)
    ]


def _outputs(subject: Subject, value: Any, n: int, rng: np.random.Generator) -> Columns:
    if subject.vectorized:
        return encode(list(subject.function(value, n, rng)))
    found: list[Any] = []
    for _ in range(n):
        try:
            found.append(
                subject.function(value, rng) if subject.takes_rng else subject.function(value)
            )
        except Exception as error:  # an exception is an output
            found.append(Raised(error))
    return encode(found)


def stochastic(matrix: Any, name: str = "channel") -> Floats:
    """Return a matrix whose rows are distributions.

    Raises
    ------
    ValueError
        Where its shape or its entries are not those of a channel.
    """
    remedy = "samples go in as " + (
        "a mapping {input: outputs}" if name == "channel" else "`outputs`"
    )
    rows = floats(name, matrix, remedy)
    if rows.ndim != 2 or not rows.size:
        raise ValueError(
            f"`{name}` must be a matrix with one input a row, got shape {rows.shape}; {remedy}"
        )
    if not (rows >= 0).all() or (np.abs(rows.sum(axis=1) - 1) > ROUNDING).any():
        raise ValueError(
            f"`{name}` must have rows of probabilities that sum to 1, got sums "
            f"{rows.sum(axis=1)} and {rows.min():g} as the least entry; {remedy}"
        )
    scaled: Floats = rows / rows.sum(axis=1, keepdims=True)
    return scaled


def read_prior(prior: ArrayLike | Mapping[Any, float] | None, channel: Channel) -> Floats:
    """Return the probabilities of the inputs, uniform unless given.

    Parameters
    ----------
    prior : array_like, mapping or None
        In the order of the inputs, or by input.
    channel : Channel

    Raises
    ------
    ValueError
        Where they are no distribution over the inputs.
    """
    v = len(channel.inputs)
    if prior is None:
        return np.full(v, 1 / v)
    if isinstance(prior, Mapping):
        if set(prior) != set(channel.inputs):
            raise ValueError(
                f"`prior` must name the inputs {channel.inputs}, got {tuple(prior)}; give each "
                "input its probability"
            )
        prior = [prior[value] for value in channel.inputs]
    weights = floats("prior", prior, "give each input its probability")
    if weights.shape != (v,) or not (weights >= 0).all() or abs(weights.sum() - 1) > ROUNDING:
        raise ValueError(
            f"`prior` must hold {v} probabilities that sum to 1, one an input, got {prior!r}; "
            "leave it out for equal ones"
        )
    scaled: Floats = weights / math.fsum(weights)
    return scaled
