"""Rewrites that keep the law of a mechanism, and evil twins of them that break it."""
