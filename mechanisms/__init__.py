"""Reference mechanisms in the notation of their papers; `flawed` holds their broken twins."""
