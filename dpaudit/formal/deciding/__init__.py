"""The methods of `dpaudit.formal.decide`, one a module."""
