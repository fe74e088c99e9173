"""Broken twins: each differs from its sound mechanism by one named defect.

Each file states the defect, the id of its violation (`dpaudit explain DPA103`), where it is known
from, its true epsilon on a telling pair of neighbors at the default parameters, and the information
limit of that pair: the least expected number of calls, both datasets together, with which any test
of independent draws refutes the claim at level 1e-6.
"""
