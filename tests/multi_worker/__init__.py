"""Several workers of one job, as real processes."""
