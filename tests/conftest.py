"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# A machine under load is slow, and the same examples are tried each time.
settings.register_profile("dpaudit", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("dpaudit")
