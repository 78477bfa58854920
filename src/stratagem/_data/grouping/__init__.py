"""Stages that combine elements or open data sets within data sets: windows, padded batches, groups, `interleave`."""
