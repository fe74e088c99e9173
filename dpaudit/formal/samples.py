"""Poisson samples: an independent coin for every record."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpaudit.formal.arrays import derived
from dpaudit.formal.calls import Application
from dpaudit.formal.domain import Array, Number, Rows, Table, Value, fresh
from dpaudit.formal.noise import Coins, Noise
from dpaudit.formal.program import Place
from dpaudit.formal.unsupported import Unsupported

if TYPE_CHECKING:
    from dpaudit.formal.releases import Ledger


def coins(ledger: Ledger, noise: Noise, rate: Value, call: Application) -> Value:
    """Return the coins of ``rng.random(len(data)) < rate``."""
    assert noise.rows is not None
    public = isinstance(rate, Number) and rate.public and rate.expr is not None
    if not isinstance(rate, Number) or not public or noise.draw[0] in ledger.used:
        raise Unsupported("a sample whose rate is not public", call.place)
    ledger.used[noise.draw[0]] = "sample"
    return Coins(noise.draw[0], rate.expr, noise.rows, call.place)


def sample(ledger: Ledger, coins: Coins) -> Rows:
    """Return the records that the coins take, the same ones for the same coins."""
    cell = ("sample", coins.draw)
    for rows in ledger.sampled_rows:
        if rows.cell == cell and rows.parent is not None and rows.parent.id == coins.rows.id:
            return rows
    rows = coins.rows.subset(cell)
    ledger.samples[rows.id] = coins
    ledger.sampled_rows.append(rows)
    return rows


def taken(ledger: Ledger, value: Value, coins: Coins, place: Place) -> Value:
    """Return ``data[coins]``."""
    if not isinstance(value, Array | Table) or value.rows is None or value.rows.id != coins.rows.id:
        raise Unsupported("a random choice of what is no record", place)
    kept = sample(ledger, coins)
    if isinstance(value, Array):
        if value.row_axis != 0:
            raise Unsupported("a random choice along another axis", place)
        return restricted(value, kept, coins)
    columns: dict[str, Value] = {}
    for name, column in value.columns.items():
        if not isinstance(column, Array):
            raise Unsupported("a random choice of what is no record", place)
        columns[name] = restricted(column, kept, coins)
    return replace(value, columns=columns, rows=kept, term=None)


def restricted(array: Array, rows: Rows, coins: Coins) -> Array:
    """Return the array of the rows that the coins take."""
    term = None if array.term is None else ("sampled", coins.draw, array.term)
    return derived(replace(
        array, shape=(rows, *array.shape[1:]), source=rows, buffer=fresh(), term=term,
    ))  # fmt: skip
