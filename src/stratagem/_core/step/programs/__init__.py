"""Programs of a step: traced, partitioned, compiled, run on every replica or on servers."""
