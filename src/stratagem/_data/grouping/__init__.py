"""Several elements made one, and data sets within data sets: windows, padded batches, groups, `interleave`."""
