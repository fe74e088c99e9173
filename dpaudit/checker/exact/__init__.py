"""Exact numbers, and exact distributions of programs that are run on draws that fork."""
