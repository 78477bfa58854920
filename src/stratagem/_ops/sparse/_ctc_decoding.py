"""Decoding for connectionist temporal classification (CTC): the most probable labels, as sparse tensors of `tf.nn`."""

import heapq
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from stratagem._base.errors import FailedPreconditionError, InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._core.step import host_function
from stratagem._ops._convert import Tensor, on_device, on_host
from stratagem._ops.sparse._sparse_tensor import SparseTensor

Path = tuple[int, ...]


@exported("nn.ctc_greedy_decoder")
@host_function
def ctc_greedy_decoder(
    inputs: Any,
    sequence_length: Any,
    merge_repeated: bool = True,
    blank_index: int | None = None,
) -> tuple[list[SparseTensor], Tensor]:
    """Takes the most probable class of each step, without blanks: a list of one sparse tensor (batch, longest), int64.

    inputs: logits (time, batch, classes), of which sequence_length (batch,) steps count. merge_repeated: equal classes of
    steps one after the other are one label. blank_index: the class between labels, by default the last one.

    Also returns (batch, 1), the negative sum of the logits that were taken. Raises InvalidArgumentError for other shapes,
    FailedPreconditionError for lengths that the logits do not have.
    """
    logits, lengths = _checked("ctc_greedy_decoder", inputs, sequence_length)
    classes = logits.shape[2]
    if blank_index is not None and not -classes <= blank_index < classes:
        raise InvalidArgumentError(
            f"tf.nn.ctc_greedy_decoder: blank_index is one of {classes} classes, got {blank_index}."
        )
    blank = classes - 1 if blank_index is None else blank_index % classes
    best, scores = logits.argmax(2), logits.max(2)
    paths, sums = [], np.zeros((logits.shape[1], 1), logits.dtype)
    for row, length in enumerate(lengths.tolist()):
        steps = best[:length, row]
        kept = steps != blank
        if merge_repeated:
            kept[1:] &= steps[1:] != steps[:-1]
        paths.append(tuple(steps[kept].tolist()))
        for score in scores[:length, row]:
            sums[row, 0] -= score
    return [_as_sparse(paths)], on_device(sums)


@exported("nn.ctc_beam_search_decoder", v1=("nn.ctc_beam_search_decoder_v2",))
@host_function
def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """Finds the most probable labels over all their alignments (Graves, 2012, 7.5.3), as far as `beam_width` beams show it.

    inputs: logits (time, batch, classes), of which sequence_length (batch,) steps count; the last class is the blank.

    Returns `top_paths` sparse tensors (batch, longest), int64, the most probable first, and (batch, top_paths), their
    log-probabilities. Raises InvalidArgumentError for other shapes, and where there are fewer paths,
    FailedPreconditionError for lengths that the logits do not have.
    """
    logits, lengths = _checked("ctc_beam_search_decoder", inputs, sequence_length)
    if not 1 <= top_paths <= beam_width:
        raise InvalidArgumentError(
            f"tf.nn.ctc_beam_search_decoder: top_paths is from 1 to the beam_width of {beam_width}, got {top_paths}."
        )
    shifted = logits - logits.max(2, keepdims=True)
    log_probabilities = (shifted - np.log(np.exp(shifted).sum(2, keepdims=True))).astype(np.float64)
    paths: list[list[Path]] = [[] for _ in range(top_paths)]
    scores = np.zeros((logits.shape[1], top_paths), logits.dtype)
    for row, length in enumerate(lengths.tolist()):
        found = _beams(log_probabilities[:length, row].tolist(), logits.shape[2] - 1, beam_width)[:top_paths]
        if len(found) < top_paths:
            raise InvalidArgumentError(
                f"tf.nn.ctc_beam_search_decoder: row {row} has {len(found)} paths, not {top_paths}."
            )
        for number, (path, score) in enumerate(found):
            paths[number].append(path)
            scores[row, number] = score
    return [_as_sparse(each) for each in paths], on_device(scores)


def _beams(steps: list[list[float]], blank: int, width: int) -> list[tuple[Path, float]]:
    """The best labels with their log-probabilities, the best first. steps: log-probabilities, (time, classes)."""
    # By labels: the log-probabilities of their alignments so far that end with a blank, and that end with the last label.
    beams: dict[Path, list[float]] = {(): [0.0, -math.inf]}
    for step in steps:
        grown: dict[Path, list[float]] = {}
        for path, (with_blank, with_label) in beams.items():
            both, last = _log_of_sum(with_blank, with_label), path[-1] if path else None
            same = grown.setdefault(path, [-math.inf, -math.inf])
            same[0] = _log_of_sum(same[0], both + step[blank])
            if last is not None:
                same[1] = _log_of_sum(same[1], with_label + step[last])
            for label in range(blank):
                longer = grown.setdefault((*path, label), [-math.inf, -math.inf])
                longer[1] = _log_of_sum(longer[1], (with_blank if label == last else both) + step[label])
        beams = dict(heapq.nlargest(width, grown.items(), key=lambda beam: _log_of_sum(*beam[1])))
    return [(path, _log_of_sum(*scores)) for path, scores in beams.items()]


def _log_of_sum(first: float, second: float) -> float:
    """The logarithm of the sum of two numbers, given theirs. (NumPy's takes ten times as long for a pair.)"""
    low, high = (first, second) if first < second else (second, first)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


def _checked(name: str, inputs: Any, sequence_length: Any) -> tuple[np.ndarray, np.ndarray]:
    logits, lengths = np.asarray(on_host(inputs)), np.asarray(on_host(sequence_length))
    if logits.ndim != 3 or lengths.shape != logits.shape[1:2]:
        raise InvalidArgumentError(
            f"tf.nn.{name} takes logits (time, batch, classes) and lengths (batch,), got the shapes {logits.shape} and "
            f"{lengths.shape}."
        )
    if lengths.size and lengths.max() > len(logits):
        raise FailedPreconditionError(f"tf.nn.{name}: sequence_length is up to {len(logits)}, got {lengths.tolist()}.")
    return logits, np.maximum(lengths, 0)


def _as_sparse(paths: Sequence[Path]) -> SparseTensor:
    indices = [(row, place) for row, path in enumerate(paths) for place in range(len(path))]
    values = [label for path in paths for label in path]
    shape = (len(paths), max(map(len, paths), default=0))
    return SparseTensor(
        np.array(indices, np.int64).reshape(-1, 2), np.array(values, np.int64), np.array(shape, np.int64)
    )
