"""What a release costs, how costs add up, and whether the total stays within a claim."""
