"""Updates of clients: blurred by each for itself, and summed with noise that comes in shares."""

from collections.abc import Mapping

import numpy as np

from dpaudit import AnyPair, Audit, GaussianDP, Integer, Real, ReplaceOne, Row
from mechanisms.federated_averaging import federated_averaging, federated_client
from mechanisms.flawed.federated_no_clip import federated_no_clip
from mechanisms.flawed.federated_one_sided_clip import federated_one_sided_clip
from mechanisms.flawed.federated_private_weights import federated_private_weights
from mechanisms.flawed.federated_reused_noise import federated_reused_noise
from mechanisms.flawed.secure_aggregation_all_shares import secure_aggregation_all_shares
from mechanisms.secure_aggregation import secure_aggregation

entry = Real(-1, 1, enforced=False, allow_nan=True, allow_infinity=True)
line = Row(slope=entry, intercept=entry)
client = AnyPair(line)
client_of_known_size = AnyPair(Row(slope=entry, intercept=entry, examples=Integer(1, 100)))
two_rounds = AnyPair(Row(first=Real(-1, 1), second=Real(-1, 1)))
four_clients = ReplaceOne(line, size=4)
six_values = ReplaceOne(entry, size=6)


def vector(update: Mapping[str, float]) -> np.ndarray:
    return np.array([update["slope"], update["intercept"]], dtype=float)


def send(update: Mapping[str, float], rng: np.random.Generator) -> np.ndarray:
    return federated_client(vector(update), rng)


def send_unclipped(update: Mapping[str, float], rng: np.random.Generator) -> np.ndarray:
    return federated_no_clip(vector(update), rng)


def send_cut_from_above(update: Mapping[str, float], rng: np.random.Generator) -> np.ndarray:
    return federated_one_sided_clip(vector(update), rng)


def send_with_weight(
    update: Mapping[str, float], rng: np.random.Generator
) -> tuple[np.ndarray, int]:
    return federated_private_weights(vector(update), int(update["examples"]), rng)


def send_two_rounds(rounds: Mapping[str, float], rng: np.random.Generator) -> np.ndarray:
    return federated_reused_noise(np.array([[rounds["first"]], [rounds["second"]]]), rng)


def average(updates: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return federated_averaging(np.stack([updates["slope"], updates["intercept"]], axis=1), rng)


one_report = Audit(send, GaussianDP(1.0), client, max_calls=100_000)
mean_of_four_reports = Audit(
    average,
    GaussianDP(0.5),
    four_clients,
    reason="one of four reports moves the mean by a quarter, and its noise has half the deviation",
    max_calls=10_000,
)
sum_of_those_who_stay = Audit(
    secure_aggregation, GaussianDP(1.0), six_values, expect="VERIFIED", max_calls=32_000
)

no_clip = Audit(send_unclipped, GaussianDP(1.0), client, expect="DPA104")
clip_from_above = Audit(send_cut_from_above, GaussianDP(1.0), client, expect="DPA104")
weight_in_the_clear = Audit(
    send_with_weight, GaussianDP(1.0), client_of_known_size, expect="DPA101"
)
noise_of_the_first_round = Audit(send_two_rounds, GaussianDP(1.0), two_rounds, expect="DPA110")
shares_of_those_who_left = Audit(
    secure_aggregation_all_shares, GaussianDP(1.0), six_values, expect="DPA106"
)
