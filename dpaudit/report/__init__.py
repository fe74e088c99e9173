"""A report in one format a module."""
