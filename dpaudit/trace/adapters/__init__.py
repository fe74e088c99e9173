"""The noise of libraries, each seen through a thin adapter that is found by an entry point."""
