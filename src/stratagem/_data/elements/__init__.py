"""The elements of data sets: nests of arrays, and their specs."""
