"""Programs that make noise of whole draws: loops that draw until a coin lets the draw pass."""
