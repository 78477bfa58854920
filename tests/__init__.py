"""The tests; a package so that `tests.parity` can be imported by name."""
