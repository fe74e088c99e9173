"""Whether a mechanism remembers earlier calls, and the line that keeps what it remembers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from dpaudit.outputs import encode
from dpaudit.trace.compare import answer_with
from dpaudit.trace.draws import Place
from dpaudit.trace.lines import History, kept_at
from dpaudit.trace.record import Bench, Run
from dpaudit.trace.suspicion import Suspicion


def remembers(
    bench: Bench, dataset: Any, key: tuple[int, ...], first: Run
) -> Callable[[Any], bool]:
    """Return what tells, after other calls, whether they have changed the output.

    Parameters
    ----------
    bench : Bench
    dataset : object
    key : tuple of int
    first : Run
        Of the mechanism on the dataset; the mechanism is run on it later, with the same noise.

    Returns
    -------
    callable
        Given a dataset for calls in between. True where the output under the same noise is
        another one than before, and still is when both are repeated.
    """
    before = encode([first.output])
    noise = answer_with(first, {})

    def later(other: Any) -> bool:
        if not first.noise:
            return False  # what varies may be noise that nobody sees
        bench.run(other, (*key, 1), traced=False)
        again = bench.run(dataset, key, traced=False, answer=noise)
        if len(again.draws) != len(first.draws):
            return True
        return not encode([again.output]).same_as(before)

    return later


def varies_alone(
    bench: Bench, dataset: Any, key: tuple[int, ...], first: Run, history: History, times: int = 1
) -> bool:
    """Whether repeated runs give another output under the same noise, and no line keeps anything.

    Some noise is not seen then. A coin is overlooked with probability one half in each repetition.

    Parameters
    ----------
    bench : Bench
    dataset : object
    key : tuple of int
    first : Run
        Of the mechanism on the dataset; it is repeated with the same noise.
    history : History
        Of that run.
    times : int
        How often it is repeated, at most.
    """
    before, noise = encode([first.output]), answer_with(first, {})
    for _ in range(times):
        again = History()
        run = bench.run(dataset, key, traced=False, answer=noise, watch=again)
        if kept_at(history) is not None or kept_at(again) is not None:
            return False
        if len(run.draws) != len(first.draws) or not encode([run.output]).same_as(before):
            return True
    return False


def suspicion(
    bench: Bench, datasets: Sequence[Any], key: tuple[int, ...], first: History
) -> Suspicion:
    """Return the suspicion that a mechanism remembers, with the line that keeps something.

    Parameters
    ----------
    bench : Bench
    datasets : sequence of object
    key : tuple of int
    first : History
        Of the first run of all, which may keep what no later one does.
    """
    place: Place | None = kept_at(first)
    for number, dataset in enumerate(datasets if place is None else ()):
        history = History()
        bench.run(dataset, (*key, 2, number), traced=False, watch=history)
        place = place or kept_at(history)
        if place is not None:
            break
    what = "under the same noise its output changes after calls on another dataset"
    return Suspicion("DPA116", what, math.inf, place)
