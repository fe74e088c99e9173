"""Published lemmas about noise whose scale, or whose presence, depends on the data.

A mechanism is read once, on one dataset of n records whose values are symbols: sums, order
statistics, and vectors with an entry for each number of steps away from the dataset. What comes out
is compared with the mechanisms that a lemma is about; what the lemma needs of *neighbors* becomes
relations between integers and reals, which `dpaudit.formal.decide` proves for every n.
"""
