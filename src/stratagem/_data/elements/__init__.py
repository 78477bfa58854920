"""The elements of datasets: nests of arrays, and their specs."""
