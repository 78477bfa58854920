"""Elements kept in a file."""
