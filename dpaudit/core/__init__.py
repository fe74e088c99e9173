"""Core: the small language that mechanisms are lowered to, before anything is proved of them.

Order of imports: language, names, then concrete, lowering, evaluator. Only `names` knows what a
library calls a function; behind it there are primitives and laws.
"""
