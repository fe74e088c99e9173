"""What is done to data before they are published, and promises something that is not DP."""
