"""Grids and binades of floats: codes tell exactly what the shown events say."""

import math

import numpy as np

from dpaudit.outputs import encode_rows
from dpaudit.statistical.events import lattice_candidates
from dpaudit.statistical.lattice import grid_codes

TINY = 5e-324
EDGES = np.array([1.0, -1.0, 1.5, 2.0, 3.0, TINY, -TINY, 2.0**-1022, 1.7976931348623157e308, 0.1])


def test_sign_binade_and_grid_have_a_code_of_their_own():
    codes = grid_codes(EDGES)
    assert len(set(codes.tolist())) == len(EDGES)
    assert grid_codes(np.array([1.25]))[0] == grid_codes(np.array([1.75]))[0]


def test_what_is_no_float_with_bits_has_no_code():
    assert np.isnan(grid_codes(np.array([0.0, -0.0, np.inf, -np.inf, np.nan]))).all()


def test_events_hold_where_their_rows_are():
    values = np.concatenate([EDGES, np.random.default_rng(0).laplace(size=200), [0.0, np.inf]])
    rows = encode_rows(values)
    found = [c for c in lattice_candidates(rows, rows) if "odd multiple" in c.event.words]
    assert len(found) > 20
    for candidate in found:
        code = compile(candidate.event.source, "event", "eval")
        held = [bool(eval(code, {"math": math}, {"output": v})) for v in values.tolist()]
        assert held == candidate.on[0].tolist(), candidate.event.source
