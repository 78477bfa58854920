"""`tf.edit_distance`: the fewest changes that make one sequence equal to a second."""

from typing import Any

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._core.step import host_function
from stratagem._ops._convert import Tensor, on_device
from stratagem._ops.sparse._sparse_tensor import SparseTensor

Groups = dict[tuple[int, ...], list[Any]]


@exported("edit_distance")
@host_function
def edit_distance(hypothesis: Any, truth: Any, normalize: bool = True, name: str | None = None) -> Tensor:
    """The Levenshtein distance of each pair of sequences: the fewest insertions, deletions and substitutions.

    hypothesis, truth: sparse tensors, the last dimension of which has a sequence without gaps. normalize: divides by the
    length of the truth; a distance from an empty one is infinite, or 0 if both are empty.

    Returns float32 of the larger of both shapes without the last dimension. Raises TypeError for other tensors,
    InvalidArgumentError for different ranks.
    """
    if not (isinstance(hypothesis, SparseTensor) and isinstance(truth, SparseTensor)):
        raise TypeError("tf.edit_distance takes two SparseTensors.")
    shapes = [np.asarray(each.dense_shape) for each in (hypothesis, truth)]
    if len(shapes[0]) != len(shapes[1]) or len(shapes[0]) < 2:
        raise InvalidArgumentError(
            f"tf.edit_distance takes tensors of one rank, 2 or more, got the shapes {shapes[0]} and {shapes[1]}."
        )
    found, wanted = _groups(hypothesis), _groups(truth)
    result = np.zeros(np.maximum(*shapes)[:-1], np.float32)
    for place in found.keys() | wanted.keys():
        sequence, right = found.get(place, []), wanted.get(place, [])
        distance = _distance(sequence, right)
        if normalize:
            distance = distance / len(right) if right else np.inf if sequence else 0
        result[place] = distance
    return on_device(result)


def _groups(sequences: SparseTensor) -> Groups:
    """The sequences by their place."""
    groups: Groups = {}
    for index, value in zip(np.asarray(sequences.indices).tolist(), np.asarray(sequences.values).tolist(), strict=True):
        groups.setdefault(tuple(index[:-1]), []).append(value)
    return groups


def _distance(first: list[Any], second: list[Any]) -> float:
    """The distance of two sequences, row by row of the table of those of their beginnings (Wagner and Fischer, 1974)."""
    row = list(range(len(second) + 1))
    for i, one in enumerate(first, 1):
        above, row[0] = row[0], i
        for j, other in enumerate(second, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (one != other))
    return row[-1]
