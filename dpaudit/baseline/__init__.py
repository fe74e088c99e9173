"""The baseline file: known findings that a project accepts, each for a reason and until a date."""
