"""Parameter servers in several processes."""
