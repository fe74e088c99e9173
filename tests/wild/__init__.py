"""Mechanisms as ordinary people write them, with labels that dpaudit had no part in."""
