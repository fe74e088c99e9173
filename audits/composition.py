"""Several answers about the same records, about disjoint parts, and as an analyst chooses them."""

from functools import partial

import numpy as np

from dpaudit import AddRemove, ApproxDP, Audit, Integer, Pairs, PureDP, Real, ReplaceOne, Row
from mechanisms.advanced_composition import advanced_composition, optimal_epsilon, taught_epsilon
from mechanisms.census_release import census_release
from mechanisms.flawed.advanced_sqrt_k import advanced_sqrt_k
from mechanisms.flawed.averaging_attack import averaging_attack
from mechanisms.flawed.census_small_cells import census_small_cells
from mechanisms.flawed.census_undeclared_totals import census_undeclared_totals
from mechanisms.flawed.differencing_attack import differencing_attack
from mechanisms.flawed.filter_checks_late import filter_checks_late
from mechanisms.flawed.filter_fixed_price import filter_fixed_price
from mechanisms.flawed.odometer_refunds import odometer_refunds
from mechanisms.flawed.parallel_overlapping import parallel_overlapping
from mechanisms.flawed.parallel_replace_one import parallel_replace_one
from mechanisms.flawed.scale_inference import scale_inference
from mechanisms.flawed.sequential_one_more import sequential_one_more
from mechanisms.flawed.sequential_without_split import sequential_without_split
from mechanisms.parallel_composition import parallel_composition
from mechanisms.privacy_filter import privacy_filter
from mechanisms.privacy_odometer import privacy_odometer
from mechanisms.sequential_composition import sequential_composition

records = AddRemove(Real(0, 100), max_size=8)
few_records = AddRemove(Real(0, 100), max_size=2)
nobody_or_one = Pairs([(np.empty(0), np.array([100.0]))])
replaced = ReplaceOne(Real(0, 100), size=4)
balances = AddRemove(Real(-100, 100), max_size=8)
balances_replaced = ReplaceOne(Real(-100, 100), size=4)
patients = AddRemove(Row(person=Integer(0, 3), ill=Integer(0, 1)), max_size=4)

person = Row(state=Integer(0, 1), group=Integer(0, 2))
people = AddRemove(person, max_size=8)
people_within_states = ReplaceOne(person, size=8, invariant="state:sizes")

sequential = Audit(
    sequential_composition, PureDP(1.0), records, expect="VERIFIED", max_calls=32_000
)
parallel = Audit(parallel_composition, PureDP(1.0), records, expect="VERIFIED", max_calls=30_000)
parallel_replace = Audit(
    partial(parallel_composition, epsilon=0.5),
    PureDP(1.0),
    replaced,
    expect="VERIFIED",
    max_calls=30_000,
)
advanced_optimal = Audit(
    partial(advanced_composition, per_answer=optimal_epsilon(1.0, 0.01, 20)),
    ApproxDP(1.0, 0.01),
    records,
    expect="VERIFIED",
    max_calls=30_000,
)
advanced_as_taught = Audit(
    partial(advanced_composition, per_answer=taught_epsilon(1.0, 0.01, 20)),
    ApproxDP(1.0, 0.01),
    records,
    expect="VERIFIED",
    max_calls=30_000,
)
odometer = Audit(privacy_odometer, PureDP(1.0), records, expect="VERIFIED", max_calls=32_000)
filtered = Audit(privacy_filter, PureDP(1.0), records, max_calls=50_000)
census = Audit(census_release, PureDP(1.0), people_within_states, max_calls=50_000)

without_split = Audit(sequential_without_split, PureDP(1.0), records, expect="DPA107")
one_more_than_budgeted = Audit(sequential_one_more, PureDP(1.0), nobody_or_one, expect="DPA107")
parallel_pays_for_one_part = Audit(
    parallel_replace_one, PureDP(1.0), balances_replaced, expect="DPA107"
)
parallel_if_added_or_removed = Audit(
    parallel_replace_one,
    PureDP(1.0),
    balances,
    expect="VERIFIED",
    reason="a record that is added or removed changes one part alone",
    max_calls=30_000,
)
overlapping_parts = Audit(parallel_overlapping, PureDP(1.0), records, expect="DPA107")
root_of_their_number = Audit(advanced_sqrt_k, ApproxDP(1.0, 1e-5), records, expect="DPA107")
odometer_with_refunds = Audit(odometer_refunds, PureDP(1.0), few_records, expect="DPA107")
filter_after_the_answer = Audit(filter_checks_late, PureDP(1.0), nobody_or_one, expect="DPA107")
filter_with_one_price = Audit(filter_fixed_price, PureDP(1.0), few_records, expect="DPA107")

census_total_not_declared = Audit(census_undeclared_totals, PureDP(1.0), people, expect="DPA101")
census_total_declared = Audit(
    partial(census_undeclared_totals, epsilon=0.5),
    PureDP(1.0),
    people_within_states,
    reason="the totals are public, and a person moves two cells",
    max_calls=30_000,
)
census_suppressed = Audit(census_small_cells, PureDP(1.0), people_within_states, expect="DPA109")

differencing = Audit(differencing_attack, PureDP(1.0), patients, expect="DPA101")
averaging = Audit(averaging_attack, PureDP(1.0), records, expect="DPA107")
spread_of_answers = Audit(scale_inference, PureDP(1.0), records, expect="DPA103")
