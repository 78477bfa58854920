"""Losses over sampled classes, for given samples."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tests.ops.drawn.draws import Draw, Function

Drawn = tuple[Sequence[Any], Mapping[str, Any]]
CLASSES, SAMPLED = 6, 3


def of_classes(draw: Draw) -> Drawn:
    """Weights, biases, labels, inputs, and what a sampler has drawn."""
    batch, dim, num_true = draw.integer(1, 3), draw.integer(1, 3), draw.integer(1, 2)
    shapes = ((CLASSES, dim), (CLASSES,), (batch, dim))
    weights, biases, inputs = (draw.array(shape, "float32", -1, 1, special=False) for shape in shapes)
    labels = draw.array((batch, num_true), "int64", 0, CLASSES - 1)
    counts = [draw.array(shape, "float32", 0.25, 1, special=False) for shape in ((batch, num_true), (SAMPLED,))]
    sampled = (draw.array((SAMPLED,), "int64", 0, CLASSES - 1), *counts)
    return [weights, biases, labels, inputs, SAMPLED, CLASSES, num_true, sampled, draw.flag()], {}


def of_hits(draw: Draw) -> Drawn:
    labels = draw.array((draw.integer(1, 3), draw.integer(1, 2)), "int64", 0, 3)
    return [labels, np.array([0, 2, 3, 5]), labels.shape[1]], {}


def of_all(draw: Draw) -> Drawn:
    labels = draw.array((draw.integer(1, 3), draw.integer(1, 2)), "int64", 0, 2)
    return [labels, labels.shape[1], draw.integer(3, 4), draw.flag()], {}


FUNCTIONS: list[Function] = [
    Function("nn.nce_loss", of_classes, 3, quick=()),
    Function("nn.sampled_softmax_loss", of_classes, 3),
    Function("nn.compute_accidental_hits", of_hits, 4),
    Function("nn.all_candidate_sampler", of_all, 4),
]
