import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dpaudit.outputs import Columns, encode

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.complex_numbers(),
    st.binary(max_size=3),
    hnp.arrays(
        st.sampled_from([np.float64, np.int64, np.bool_, np.float32, object]),
        hnp.array_shapes(min_dims=0, max_dims=2, max_side=3, min_side=0),
    ),
)
outputs = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.one_of(st.text(max_size=2), st.integers(0, 3)), inner, max_size=3),
    ),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(st.lists(outputs, min_size=1, max_size=8))
def test_the_row_of_an_output_depends_on_that_output_alone(batch):
    together = encode(batch)
    assert together.size == len(batch)
    for i, output in enumerate(batch):
        assert together.take(np.array([i])).same_as(encode([output]))


@settings(max_examples=80, deadline=None)
@given(st.lists(outputs, min_size=1, max_size=8), st.data())
def test_joining_parts_equals_encoding_the_whole(batch, data):
    cut = data.draw(st.integers(0, len(batch)))
    parts = [encode(batch[:cut]), encode(batch[cut:])]
    assert Columns.concat(parts).same_as(encode(batch))


@settings(max_examples=80, deadline=None)
@given(st.lists(outputs, min_size=1, max_size=8))
def test_numbers_are_finite_or_absent_and_labels_within_their_vocabulary(batch):
    columns = encode(batch)
    for values in columns.numbers.values():
        assert values.dtype == np.float64
        assert values.shape == (len(batch),)
        assert not np.isinf(values).any()
    for codes, words in columns.labels.values():
        assert codes.dtype == np.int32
        assert ((codes >= -1) & (codes < len(words))).all()
        assert len(set(words)) == len(words)
