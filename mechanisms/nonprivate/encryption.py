"""Deterministic encryption of identifiers, under a key that nobody keeps.

    M(x) = (E_K(x_1), ..., E_K(x_n)),    K a random key, E four Feistel rounds on 32 bits

Promises: without K no ciphertext tells its number, and equal numbers can still be joined: four
rounds with pseudorandom functions are a pseudorandom permutation (Luby & Rackoff 1988), here for
far fewer than 2⁸ numbers; real tokens have longer blocks.
Attack: background knowledge: equal numbers have equal ciphertexts, so that frequencies that are
known of the numbers tell which is which (Naveed, Kamara & Wright 2015). The witness is two
records that agree against two that do not.
Violation: DPA101
Known from: joins of "tokenized" identifiers between companies; encrypted data bases.
True epsilon: infinite, on n equal numbers against n − 1 of them and another.
Information limit: 44 calls: every output tells.
"""

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

ROUNDS = 4


def encrypt(number: int, key: bytes) -> int:
    """Return the ciphertext of a number of 32 bits."""
    left, right = number >> 16, number & 0xFFFF
    for turn in range(ROUNDS):
        block = bytes([turn]) + right.to_bytes(2)
        mixed = left ^ int.from_bytes(blake2b(block, key=key, digest_size=2).digest())
        left, right = right, mixed
    return left << 16 | right


def encryption(data: NDArray[np.int64], rng: np.random.Generator) -> tuple[int, ...]:
    """Return the ciphertext of each number, all under one new key."""
    key = rng.bytes(16)
    return tuple(encrypt(number, key) for number in data.tolist())
