"""Tapes, accumulators and gradients of a program."""
