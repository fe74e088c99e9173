"""The trace engine: records noise, replays it on a neighbor, and locates what differs."""
