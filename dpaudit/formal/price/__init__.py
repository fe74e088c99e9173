"""Balls, divergences in closed form, and claims as formulas."""
