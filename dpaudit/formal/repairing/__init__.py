"""What a repair is made of: what to change, how much, and the code that results."""
