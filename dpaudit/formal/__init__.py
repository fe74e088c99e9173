"""The formal engine: the source of a mechanism, and what can be proved of it."""
