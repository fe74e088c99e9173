"""What is hashed, and the seeds that come of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

LEVEL_SHARE = 0.25  # of α, for the draws that are replayed
PAIRS_SHARE = 8  # one in so many calls is a pair of them


def digest(domain: str, value: object) -> str:
    """Return the SHA-256 of a value, set apart from those of other domains.

    Parameters
    ----------
    domain : str
        What the hash is for.
    value : object
        JSON-able; written with sorted keys and no spaces.

    Returns
    -------
    str
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(f"dpaudit evidence 1, {domain}\0{text}".encode()).hexdigest()


def words(hashed: str) -> tuple[int, ...]:
    """Return a hash as eight numbers of 32 bits, which seed a `numpy.random.SeedSequence`."""
    return tuple(int(hashed[i : i + 8], 16) for i in range(0, 64, 8))


def run_seed(identity: Mapping[str, Any], options: Mapping[str, Any], beacon: str) -> str:
    """Return the seed of a run.

    Parameters
    ----------
    identity : mapping
        ``source`` (a SHA-256), ``claim`` and ``neighbors``.
    options : mapping
        Of the audit.
    beacon : str
        A public value that nobody chose.
    """
    return digest("seed", {"identity": identity, "options": options, "beacon": beacon})


def opening(
    seed: str, head: str, pair: Mapping[str, Any], bets: Sequence[Mapping[str, Any]]
) -> str:
    """Return the hash that all draws for a certificate come of.

    Parameters
    ----------
    seed : str
        Of `run_seed`.
    head : str
        Hash of the log's entry that began the run.
    pair : mapping
        Both datasets as data.
    bets : sequence of mapping
        All that are settled by these draws.
    """
    return digest("opening", {"seed": seed, "head": head, "pair": pair, "bets": list(bets)})


def batch_key(opened: str, number: int) -> tuple[int, ...]:
    """Return the seed of a batch.

    Parameters
    ----------
    opened : str
        Of `opening`.
    number : int
        Of the batch, from 0.
    """
    return words(digest("batch", {"opening": opened, "number": number}))
