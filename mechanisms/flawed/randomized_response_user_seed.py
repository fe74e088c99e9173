"""Randomized response whose coins are tossed by a generator seeded with the user's id.

    M(x) = a coin answer for x, coins from the generator of seed `user`

Twin: randomized_response
Defect: who knows the id tosses the same coins, and reads half of the answers as the truth.
Violation: DPA110
Known from: seeds that make a user's repeated answers agree; the seed has to be secret for that.
True epsilon: infinite where ln 3 is claimed, on 0 against 1, for users whose coin shows heads.
Information limit: 48 calls: every output tells.
"""

import numpy as np

from mechanisms.randomized_response import randomized_response


def randomized_response_user_seed(bit: int, rng: np.random.Generator, *, user: int = 1042) -> int:
    """Return the answer that this user gives on every day."""
    return randomized_response(bit, np.random.default_rng(user))
