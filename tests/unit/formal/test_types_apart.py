"""A number that only one run has from NumPy may be given to nothing that tells its type."""

import pytest

from dpaudit import PureDP, Verdict, verify
from tests.proving import is_proved
from tests.unit.formal import typed_programs as of

SOUND = [
    (of.text_of_one_number, of.ARRAY),
    (of.list_of_numbers_of_numpy, of.ARRAY),
    (of.quotient_of_noise, of.ARRAY),
    (of.array_of_sums, of.ARRAY),
    (of.lookup, of.FRAME),
    (of.whole_multiple, of.FRAME),
    (of.third_of_a_small_one, of.FRAME),
    (of.sum_that_is_cast, of.WHOLE),
    (of.array_of_a_stated_type, of.WHOLE),
    (of.list_and_noise_of_floats, of.WHOLE),
]
TELLING = [
    (of.text_of_a_list, of.ARRAY),
    (of.printed_dict, of.ARRAY),
    (of.logged_with_its_type, of.ARRAY),
    (of.text_of_a_loop, of.ARRAY),
    (of.method_of_numpy, of.ARRAY),
    (of.truth_in_json, of.ARRAY),
    (of.added_truths, of.ARRAY),
    (of.divided_by_what_may_be_zero, of.ARRAY),
    (of.root_of_a_negative_number, of.ARRAY),
    (of.array_of_its_type, of.ARRAY),
    (of.printed_lookups, of.FRAME),
    (of.private_type, of.NUMBER),
    (of.logged_private_type, of.NUMBER),
    (of.whole_or_float_zero, of.ARRAY),
    (of.text_of_one_or_one, of.ARRAY),
    (of.negative_zero, of.ARRAY),
    (of.float_where_a_label_is_missing, of.FRAME),
    (of.float_where_a_key_is_missing, of.FRAME),
    (of.third_of_more_than_a_float_holds, of.FRAME),
    (of.overflowing_product, of.FRAME),
    (of.overflowing_sum, of.FRAME),
    (of.overflowing_doubles, of.FRAME),
    (of.bits_of_the_array, of.BIT),
    (of.one_object, of.WORD),
    (of.below_zeros_of_private_signs, of.ANSWERS),
    (of.sum_of_a_list, of.WHOLE),
    (of.sum_of_some, of.WHOLE),
    (of.clipped_list, of.WHOLE),
    (of.chosen_entries, of.WHOLE),
    (of.product_of_lists, of.WHOLE),
    (of.columns_side_by_side, of.WHOLE),
    (of.refilled_list, of.WHOLE),
    (of.column_of_a_list, of.FRAME),
    (of.function_of_floats, of.PAID),
]


@pytest.mark.parametrize(("mechanism", "neighbors"), SOUND)
def test_a_type_that_nothing_tells_is_verified(mechanism, neighbors):
    assert verify(mechanism, PureDP(1.0), neighbors).verdict is Verdict.VERIFIED


@pytest.mark.parametrize(("mechanism", "neighbors"), TELLING)
def test_a_type_that_is_told_is_not_verified(mechanism, neighbors):
    assert not is_proved(mechanism, PureDP(1.1), neighbors)
