"""Stages that combine elements or open datasets within datasets: windows, padded batches, groups, `interleave`."""
