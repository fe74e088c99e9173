"""Examples: pairs of datasets that an audit tries before all others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any, TypeVar

from dpaudit.evidence import Suspect
from dpaudit.neighbors import Neighbors, Pair, dataset_to_source, dataset_to_text
from dpaudit.neighbors.containers import NotADatasetError
from dpaudit.subject import EXAMPLES, Subject, layers

_F = TypeVar("_F", bound=Callable[..., Any])
MOST = 8  # of one mechanism
EXAMPLE = "an example"  # why a pair is tried
_HOW = "as an example says"
SAVED = "as in an earlier refutation"


def example(left: Any, right: Any) -> Callable[[_F], _F]:
    """Let audits of a mechanism try this pair of neighboring datasets first.

    Parameters
    ----------
    left, right : Any
        Two neighboring datasets, as the mechanism receives them.

    Returns
    -------
    callable
        A decorator that returns the same mechanism, marked.

    Raises
    ------
    ValueError
        When the mechanism has more than eight examples, or, in an audit, when the two datasets are
        not neighboring.

    Notes
    -----
    Both directions are tested. Traces and sampling begin with these pairs; other pairs follow.
    The pairs are fixed before anything is drawn, and audits with examples draw with other seeds
    than audits without. So the probability of a false refutation is `alpha` as before.

    Examples
    --------
    >>> @example([100.0, 100.0], [100.0])
    ... @example([0.0], [])
    ... def noisy_sum(data, rng):
    ...     return data.sum() + rng.laplace(scale=100.0)
    """

    def marked(mechanism: _F) -> _F:
        pairs = ((left, right), *getattr(mechanism, EXAMPLES, ()))
        if len(pairs) > MOST:
            raise ValueError(
                f"a mechanism takes at most {MOST} examples, got {len(pairs)}; audit it with "
                "dpaudit.Pairs([…]) to try every one of a longer list"
            )
        setattr(mechanism, EXAMPLES, pairs)
        return mechanism

    return marked


def examples_of(
    subject: Subject, neighbors: Neighbors, saved: Sequence[tuple[Any, Any]] = ()
) -> tuple[Suspect, ...]:
    """Return the examples of a mechanism, and then those saved pairs that are neighboring.

    Parameters
    ----------
    subject : Subject
    neighbors : Neighbors
        Which they must be.
    saved : sequence of (Any, Any)
        Of earlier refutations, perhaps under other neighbors.

    Returns
    -------
    tuple of Suspect
        Each once, as the mechanism receives them.

    Raises
    ------
    ValueError
        Where the two datasets of one are not neighboring.
    """
    marked = (getattr(layer, EXAMPLES, ()) for layer in layers(subject.mechanism))
    found: dict[str, Suspect] = {}
    for left, right in next(filter(None, marked), ()):
        pair = _received(Pair(left, right, _HOW), neighbors)
        if pair is None:
            raise ValueError(
                f"an example of {subject.name} is no pair of {neighbors}: "
                f"{dataset_to_text(left)} and {dataset_to_text(right)} are equal, are not "
                "neighboring, or hold what is no record. Change the example or the neighbors"
            )
        found.setdefault(_written(pair), Suspect(pair, why=EXAMPLE))
    for left, right in saved:
        pair = _received(Pair(left, right, SAVED), neighbors)
        if pair is not None:
            found.setdefault(_written(pair), Suspect(pair, why=EXAMPLE))
    return tuple(found.values())


def seed_with(seed: int, examples: Sequence[Suspect]) -> int:
    """Return the seed of an audit that tries examples; without any the given one.

    An example may stem from a run with that seed. Draws of the same stream would know it.

    Parameters
    ----------
    seed : int
    examples : sequence of Suspect
    """
    if not examples:
        return seed
    texts = [_written(each.pair) for each in examples]
    return int.from_bytes(sha256(repr((seed, texts)).encode()).digest()[:6], "big")


def _received(pair: Pair, neighbors: Neighbors) -> Pair | None:
    """Return a pair as the mechanism receives it; None where it is not neighboring."""
    try:
        received = getattr(neighbors, "received", lambda dataset: dataset)
        pair = Pair(received(pair.left), received(pair.right), pair.how)
    except (NotADatasetError, OverflowError):
        return None
    return pair if neighbors.contains(pair) else None


def _written(pair: Pair) -> str:
    return f"{dataset_to_source(pair.left)} {dataset_to_source(pair.right)}"
