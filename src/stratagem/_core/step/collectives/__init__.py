"""Sums, means and gathered values of all replicas inside of a program, and the primitives that mark them."""
