"""Outputs of any kind, encoded as columns of numbers and labels."""

from dpaudit.outputs.columns import Columns
from dpaudit.outputs.encode import Raised, encode, encode_rows

__all__ = ["Columns", "Raised", "encode", "encode_rows"]
