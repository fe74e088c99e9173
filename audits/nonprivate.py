"""Anonymization as it is practised: what each of them promises is not differential privacy."""

from functools import partial

from dpaudit import AddRemove, ApproxDP, Audit, Categorical, Integer, PureDP, ReplaceOne, Row
from mechanisms.nonprivate.encryption import encryption
from mechanisms.nonprivate.hashing import hashing
from mechanisms.nonprivate.k_anonymity import k_anonymity
from mechanisms.nonprivate.l_diversity import l_diversity
from mechanisms.nonprivate.pseudonymization import pseudonymization
from mechanisms.nonprivate.sampling import sampling
from mechanisms.nonprivate.shuffling import shuffling
from mechanisms.nonprivate.substitution import NAMES, substitution
from mechanisms.nonprivate.suppression import suppress_rare_values, suppress_small_cells
from mechanisms.nonprivate.t_closeness import t_closeness
from mechanisms.nonprivate.truncation import truncation

conditions = Categorical(("cold", "diabetes", "cancer"))
patient = Row(age=Integer(20, 79), zip=Integer(10_000, 10_999), condition=conditions)
named = Row(name=Categorical(NAMES), age=Integer(20, 79), condition=conditions)
patients = ReplaceOne(patient, size=12, container="pandas")
patients_come_and_go = AddRemove(patient, container="pandas")
named_patients = ReplaceOne(named, size=6, container="pandas")
diagnoses = AddRemove(conditions)
names = ReplaceOne(Categorical(NAMES), size=5)
numbers = ReplaceOne(Integer(0, 999_999), size=5)

classes_of_two = Audit(k_anonymity, PureDP(1.0), patients, expect="DPA109")
classes_of_five = Audit(
    partial(k_anonymity, k=5), ApproxDP(1.0, 1e-6), patients_come_and_go, expect="DPA109"
)
diverse_classes = Audit(l_diversity, PureDP(1.0), patients, expect="DPA109")
close_classes = Audit(t_closeness, PureDP(1.0), patients, expect="DPA109")
cells_of_five = Audit(suppress_small_cells, PureDP(1.0), diagnoses, expect="DPA109")
values_of_two = Audit(
    suppress_rare_values, PureDP(1.0), ReplaceOne(conditions, size=6), expect="DPA109"
)
pseudonyms = Audit(pseudonymization, PureDP(1.0), named_patients, expect="DPA101")
substituted_names = Audit(substitution, PureDP(1.0), names, expect="DPA101")
shuffled_conditions = Audit(shuffling, PureDP(1.0), patients, expect="DPA101")
truncated_identifiers = Audit(truncation, PureDP(1.0), patients, expect="DPA101")
hashed_names = Audit(hashing, PureDP(1.0), names, expect="DPA101")
encrypted_numbers = Audit(encryption, PureDP(1.0), numbers, expect="DPA101")
raw_sample = Audit(sampling, PureDP(1.0), AddRemove(patient), expect="DPA102")
raw_sample_with_its_delta = Audit(
    partial(sampling, rate=0.001),
    ApproxDP(1.0, 0.001),
    AddRemove(patient),
    reason="each record leaves with probability .001, so that (0, .001) holds",
    expect="VERIFIED",
    max_calls=32_000,
)
