"""The lifted program run on one dataset, its noise kept as symbols: what it puts out, exactly."""
