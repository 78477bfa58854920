"""Tests of the user's own, as `tf.test` has them: cases with assertions on tensors, derivatives by differences, a cluster.

In: what a test computes, and what it should be.
Out: assertions that fail with where values differ.
Never: is needed by a program that trains.
"""
