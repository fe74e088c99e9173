"""A number that only one run has from NumPy may be given to nothing that tells its type."""

import numpy as np
import pytest

from dpaudit import AddRemove, PureDP, Real, ReplaceOne, Row, Verdict, verify
from tests.proving import is_proved
from tests.sweeps import thinned
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
    (of.drawn_bit, of.BIT),
    (of.printed_bits, of.BITS),
    (of.counted_words, of.LISTED_WORDS),
]
TELLING = [
    (of.text_of_a_list, of.ARRAY),
    (of.printed_dict, of.ARRAY),
    (of.logged_with_its_type, of.ARRAY),
    (of.text_of_a_loop, of.ARRAY),
    (of.text_of_a_copied_list, of.ARRAY),
    (of.copy_that_is_the_number, of.ARRAY),
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
    (of.printed_bits, of.LISTED_BITS),
    (of.printed_word, of.WORD),
    (of.text_of_words, of.LISTED_WORDS),
    (of.text_of_words_from_global_noise, of.LISTED_WORDS),
    (of.chosen_number_or_its_text, of.ONE_OR_ITS_TEXT),
]


@pytest.mark.parametrize(("mechanism", "neighbors"), thinned(SOUND))
def test_a_type_that_nothing_tells_is_verified(mechanism, neighbors):
    assert verify(mechanism, PureDP(1.0), neighbors).verdict is Verdict.VERIFIED


@pytest.mark.parametrize(("mechanism", "neighbors"), thinned(TELLING))
def test_a_type_that_is_told_is_not_verified(mechanism, neighbors):
    assert not is_proved(mechanism, PureDP(1.1), neighbors)


def asked_for_an_array(data, rng):
    total = sum(data)
    if isinstance(total, np.ndarray):
        return total + rng.laplace(0, 100, total.shape)
    return total + rng.laplace(0, 100)


def asked_for_a_number(data, rng):
    total = np.sum(data)
    if isinstance(total, (int, float, np.integer, np.floating)):
        total = float(total)
    return total + rng.laplace(0, 100)


def asked_for_a_scalar(data, rng):
    total = float(np.sum(data))
    if np.isscalar(total) and not isinstance(total, (list, tuple, str)):
        return total + rng.laplace(0, 100)
    raise TypeError("no number")


def tells_that_there_is_none(data, rng):
    return 1.0 if isinstance(sum(data), int) else rng.laplace(0, 100)


def tells_that_there_is_none_of_several(data, rng):
    return 1.0 if isinstance(sum(data), (list, np.floating)) else rng.laplace(0, 100)


def little_noise_for_a_number_of_numpy(data, rng):
    total = np.sum(data)
    return total + rng.laplace(0, 1 if isinstance(total, np.floating) else 100)


def little_noise_for_what_is_no_array(data, rng):
    total = np.sum(data)
    return total + rng.laplace(0, 100 if isinstance(total, np.ndarray) else 1)


@pytest.mark.parametrize("mechanism", [asked_for_an_array, asked_for_a_number, asked_for_a_scalar])
def test_what_a_private_number_is_may_be_asked(mechanism):
    assert is_proved(mechanism, PureDP(1.0), AddRemove(Real(0, 100), max_size=8))


@pytest.mark.parametrize(
    "mechanism",
    [
        tells_that_there_is_none,
        tells_that_there_is_none_of_several,
        little_noise_for_a_number_of_numpy,
        little_noise_for_what_is_no_array,
    ],
)
def test_a_type_that_depends_on_the_data_tells(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), AddRemove(Real(0, 100), max_size=8))


TABLE = ReplaceOne(Row(a=Real(-3, 3), b=Real(-3, 3)), container="pandas", size=6)


def truths(frame):
    return np.max(frame[["a", "b"]].to_numpy(), axis=1) < 1


def one_truth_and_noise(frame, rng):
    return truths(frame)[0] + rng.laplace()


def truth_less_a_truth(frame, rng):
    return truths(frame)[0] - True


def text_of_a_truth_in_floats(frame, rng):
    return repr(truths(frame)[0] * 1.0 + rng.laplace())


def text_of_the_larger(frame, rng):
    return str(max(truths(frame)[0], 0.5))


def test_a_truth_is_added_to_noise_of_floats():
    assert is_proved(one_truth_and_noise, PureDP(1.0), TABLE)


@pytest.mark.parametrize(
    "mechanism", [truth_less_a_truth, text_of_a_truth_in_floats, text_of_the_larger]
)
def test_a_truth_among_truths_or_in_a_text_tells(mechanism):
    assert not is_proved(mechanism, PureDP(1.0), TABLE)
