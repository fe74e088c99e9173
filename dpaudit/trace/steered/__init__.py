"""Steered noise: rare noise made common, and each outcome weighed by its likelihood ratio."""
