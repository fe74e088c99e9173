"""Randomness alignment: adaptive mechanisms proved for every length.

The checker follows the program and states what must hold of two runs
(`dpaudit.checker.alignment`); here alignments and invariants are searched.
"""
