"""`tf.nn` on sequences and blocks: CTC, blocks as channels, dropout with given numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tests.ops.drawn.draws import FLOATS, INTEGERS, Draw, Function

Drawn = tuple[Sequence[Any], Mapping[str, Any]]


def of_sequences(draw: Draw) -> Drawn:
    """Labels that logits have room for, also with repetitions; classes beyond 3 do not occur."""
    batch, time, longest = 2, 5, 2
    blank = draw.choice([None, 0, -1, 3])
    low, high = (1, 3) if blank in (None, 0) else (0, 2)
    labels = draw.array((batch, longest), "int32", low, high)
    lengths = [draw.array((batch,), "int32", a, b) for a, b in ((0, longest), (4, time))]
    major = draw.flag()
    logits = draw.array((time, batch, 4) if major else (batch, time, 4), "float32", -3, 3, special=False)
    return [labels, logits, *lengths], {"logits_time_major": major, "blank_index": blank}


def of_labels(draw: Draw) -> Drawn:
    return [draw.array((draw.integer(1, 3), draw.integer(1, 5)), draw.choice(INTEGERS), 0, 3)], {}


def of_repeated(draw: Draw) -> Drawn:
    labels = draw.array((draw.integer(1, 3), draw.integer(1, 5)), draw.choice(INTEGERS), 1, 2)
    return [labels, draw.array(labels.shape[:1], "int32", 0, labels.shape[1])], {}


def of_blocks(draw: Draw) -> Drawn:
    size, channels = draw.integer(2, 3), draw.integer(1, 2)
    spoiled = draw.number == 5
    sizes = (size * draw.integer(1, 2) + spoiled, size)
    return [draw.array((draw.integer(0, 2), *sizes, channels), draw.choice(("float32", "int32"))), size], {}


def of_channels(draw: Draw) -> Drawn:
    size, channels = draw.integer(2, 3), draw.integer(1, 2)
    spoiled = draw.number == 5
    shape = (draw.integer(0, 2), draw.integer(1, 2), draw.integer(1, 2), channels * size**2 + spoiled)
    return [draw.array(shape, draw.choice(("float32", "int32"))), size], {}


def of_numbers(draw: Draw) -> Drawn:
    """Dropout whose numbers are a row that counts up."""
    x = draw.array((draw.integer(1, 3), 4), draw.choice(FLOATS), special=False)

    def counted(shape: Any, dtype: Any) -> Any:
        return np.linspace(
            0, 0.9, int(np.prod(shape)), dtype=np.dtype(getattr(dtype, "as_numpy_dtype", dtype))
        ).reshape(shape)

    return [x, draw.choice([0.0, 0.25, 0.5, 1.0 if draw.number == 5 else 0.3]), counted], {
        "noise_shape": draw.choice([None, [1, 4], [None, 1]])
    }


FUNCTIONS: list[Function] = [
    Function("nn.ctc_loss", of_sequences, 2, {"float32": 1e-5}, gradients=True),
    Function("nn.ctc_unique_labels", of_labels, 2),
    Function("nn.collapse_repeated", of_repeated, 2),
    Function("nn.space_to_depth", of_blocks, 6, gradients=True),
    Function("nn.depth_to_space", of_channels, 6, gradients=True, quick=()),
    Function("nn.experimental.general_dropout", of_numbers, 6, quick=()),
]
