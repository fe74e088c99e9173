"""Evidence that can be replayed: seeds from a public value, a log of every run, the bets as data.

A run under a beacon is written into a log before its first draw. Its seed is a hash of the source,
the claim, the neighbors, the options and the beacon. After the audit, bets are chosen once and for
all, and settled by fresh pairs of draws. These are seeded by a hash of everything before them: the
log up to this run, the pair of datasets, and all the bets. So no bet can be fitted to the draws
that settle it, and whoever edits a bet, or drops a run from the log, gets other draws. Bets that
followed the draws would be stronger, and worth nothing as evidence: whoever may choose again after
each draw needs few tries to win each time, where a choice for all draws together is as lucky as
1/α with probability α at most.
"""
