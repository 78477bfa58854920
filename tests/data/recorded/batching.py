"""Programs about batches, padded batches and windows."""

from typing import Any

import numpy as np

from .answers import Program


def _rows(tf: Any, D: Any, *rows: Any, dtype: str = "int64", shape: Any = (None,)) -> Any:
    """Tensors of different sizes."""
    return D.from_generator(lambda: iter(rows), output_signature=tf.TensorSpec(shape, getattr(tf, dtype)))


def _ragged(tf: Any, D: Any) -> Any:
    """A row of a tensor of unknown length, and a scalar."""
    signature = {"row": tf.TensorSpec([None], tf.int64), "n": tf.TensorSpec([], tf.float32)}
    return D.from_generator(lambda: ({"row": range(n), "n": n} for n in (1, 3, 2)), output_signature=signature)


BATCHES: dict[str, Program] = {
    "batch": lambda tf, D: D.range(5).batch(2),
    "batch without the rest": lambda tf, D: D.range(5).batch(2, drop_remainder=True),
    "batch of more than there is": lambda tf, D: D.range(3).batch(5),
    "batch of more than there is without the rest": lambda tf, D: D.range(3).batch(5, drop_remainder=True),
    "batch of nothing": lambda tf, D: D.range(0).batch(2),
    "batch of a nest": lambda tf, D: D.from_tensor_slices({"b": [1, 2, 3], "a": (["p", "q", "r"],)}).batch(2),
    "batch of batches": lambda tf, D: D.range(8).batch(2, True).batch(3),
    "batch what never ends": lambda tf, D: D.range(3).repeat().batch(2),
    "batch in parallel": lambda tf, D: D.range(5).batch(2, num_parallel_calls=2, deterministic=True),
    "batch of what is not known": lambda tf, D: D.range(6).filter(lambda x: x != 2).batch(2),
    "batch of none": lambda tf, D: D.range(5).batch(0),
    "batch of a negative size": lambda tf, D: D.range(5).batch(-1),
    "batch of a string's size": lambda tf, D: D.range(5).batch("2"),
    "batch of a fraction": lambda tf, D: D.range(5).batch(2.5),
    "batch of a tensor's size": lambda tf, D: D.range(5).batch(tf.constant(2, tf.int64)),
    "batch of ragged rows": lambda tf, D: _rows(tf, D, [1], [2, 3]).batch(2),
    "batch of ragged rows, one by one": lambda tf, D: _rows(tf, D, [1], [2, 3]).batch(1),
    "batch of unknown rank": lambda tf, D: _rows(tf, D, [1], [2], shape=None).batch(2),
    "batch of windows": lambda tf, D: D.range(4).window(2).batch(2),
    "unbatch": lambda tf, D: D.from_tensor_slices([[1, 2], [3, 4]]).unbatch(),
    "unbatch a nest": lambda tf, D: D.from_tensors({"b": [[1, 2], [3, 4]], "a": (["p", "q"],)}).unbatch(),
    "unbatch batches": lambda tf, D: D.range(5).batch(2).unbatch(),
    "unbatch ragged rows": lambda tf, D: _rows(tf, D, [1], [], [2, 3]).unbatch(),
    "unbatch a list of ranks": lambda tf, D: tf.data.experimental.from_list([[1], [[2], [3]]]).unbatch(),
    "unbatch unknown rank": lambda tf, D: _rows(tf, D, [1], [[2]], shape=None).unbatch(),
    "unbatch scalars": lambda tf, D: D.range(3).unbatch(),
    "unbatch a scalar among others": lambda tf, D: D.from_tensors(([1, 2], 3)).unbatch(),
    "unbatch different numbers of rows": lambda tf, D: D.from_tensors(([1, 2], [3])).unbatch(),
    "unbatch windows": lambda tf, D: D.range(4).window(2).unbatch(),
    "the experimental unbatch": lambda tf, D: D.range(4).batch(3).apply(tf.data.experimental.unbatch()),
    "rebatch": lambda tf, D: D.range(10).batch(4).rebatch(3),
    "rebatch to more": lambda tf, D: D.range(10).batch(2).rebatch(5),
    "rebatch without the rest": lambda tf, D: D.range(10).batch(4).rebatch(3, drop_remainder=True),
    "rebatch to several sizes": lambda tf, D: D.range(10).batch(4).rebatch([2, 1, 3]),
    "rebatch to several sizes without the rest": lambda tf, D: D.range(10).batch(4).rebatch([2, 1, 5], True),
    "rebatch to equal sizes": lambda tf, D: D.range(10).batch(4).rebatch([3, 3], True),
    "rebatch to a size of none among others": lambda tf, D: D.range(10).batch(4).rebatch([2, 0]),
    "rebatch to equal batches": lambda tf, D: D.range(4).batch(2, True).rebatch(2),
    "rebatch to ones": lambda tf, D: D.range(4).batch(2, True).rebatch(1),
    "rebatch to several ones": lambda tf, D: D.range(4).batch(2, True).rebatch([1, 1]),
    "rebatch to what does not fit": lambda tf, D: D.range(6).batch(3, True).rebatch(2),
    "rebatch to a float": lambda tf, D: D.range(5).batch(2).rebatch(2.5),
    "rebatch a nest": lambda tf, D: D.range(5).enumerate().batch(2).rebatch(4),
    "rebatch nothing": lambda tf, D: D.range(0).batch(2).rebatch(4),
    "rebatch what never ends": lambda tf, D: D.range(3).batch(2).repeat().rebatch(4),
    "rebatch scalars": lambda tf, D: D.range(5).rebatch(2),
    "rebatch to none": lambda tf, D: D.range(5).batch(2).rebatch(0),
    "rebatch to an empty list": lambda tf, D: D.range(5).batch(2).rebatch([]),
    "rebatch to a matrix": lambda tf, D: D.range(5).batch(2).rebatch([[1, 2]]),
}

PADDED: dict[str, Program] = {
    "to the longest": lambda tf, D: _rows(tf, D, [1], [2, 3, 4], [5, 6]).padded_batch(2),
    "to a length": lambda tf, D: _rows(tf, D, [1], [2, 3, 4]).padded_batch(2, [5]),
    "to a length that is a tuple": lambda tf, D: _rows(tf, D, [1], [2, 3, 4]).padded_batch(2, (5,)),
    "to a TensorShape": lambda tf, D: _rows(tf, D, [1], [2, 3]).padded_batch(2, tf.TensorShape([4])),
    "to a tensor of sizes": lambda tf, D: _rows(tf, D, [1], [2, 3]).padded_batch(2, tf.constant([4], tf.int64)),
    "to no size": lambda tf, D: _rows(tf, D, [1], [2, 3]).padded_batch(2, [None]),
    "to minus one": lambda tf, D: _rows(tf, D, [1], [2, 3]).padded_batch(2, [-1]),
    "a row that is too long": lambda tf, D: _rows(tf, D, [1], [2], [3, 4, 5]).padded_batch(2, [2]),
    "with a value": lambda tf, D: _rows(tf, D, [1], [2, 3]).padded_batch(2, padding_values=np.int64(-1)),
    "with a tensor's value": lambda tf, D: _rows(tf, D, [1], [2, 3]).padded_batch(
        2, padding_values=tf.constant(-1, tf.int64)
    ),
    "with a Python number": lambda tf, D: _rows(tf, D, [1], [2, 3], dtype="int32").padded_batch(2, padding_values=-1),
    "with a Python number for int64": lambda tf, D: _rows(tf, D, [1], [2, 3]).padded_batch(2, padding_values=-1),
    "with a Python number for floats": lambda tf, D: _rows(tf, D, [1], [2], dtype="float32").padded_batch(
        2, padding_values=7
    ),
    "with a value of another type": lambda tf, D: _rows(tf, D, [1], [2, 3]).padded_batch(2, padding_values=2.5),
    "with a value that is no scalar": lambda tf, D: _rows(tf, D, [1], [2]).padded_batch(
        2, padding_values=np.asarray([1, 2])
    ),
    "strings": lambda tf, D: _rows(tf, D, ["a"], ["b", "c"], dtype="string").padded_batch(2),
    "strings with a value": lambda tf, D: _rows(tf, D, ["a"], ["b", "c"], dtype="string").padded_batch(
        2, padding_values="-"
    ),
    "floats": lambda tf, D: _rows(tf, D, [1.5], [2.5, 3.5], dtype="float32").padded_batch(2, padding_values=-1.0),
    "booleans": lambda tf, D: _rows(tf, D, [True], [True, True], dtype="bool").padded_batch(2),
    "without the rest": lambda tf, D: _rows(tf, D, [1], [2, 3], [4]).padded_batch(2, drop_remainder=True),
    "a matrix": lambda tf, D: _rows(tf, D, [[1], [2]], [[3, 4]], shape=(None, None)).padded_batch(2),
    "a matrix to given sizes": lambda tf, D: _rows(tf, D, [[1], [2]], [[3, 4]], shape=(None, None)).padded_batch(
        2, [3, None]
    ),
    "scalars": lambda tf, D: D.range(3).padded_batch(2),
    "scalars to their shape": lambda tf, D: D.range(3).padded_batch(2, []),
    "equal rows to a length": lambda tf, D: D.range(6).batch(2, True).padded_batch(2, [3]),
    "equal rows to too short a length": lambda tf, D: D.range(6).batch(2, True).padded_batch(2, [1]),
    "nothing": lambda tf, D: _rows(tf, D).padded_batch(2),
    "a nest": lambda tf, D: _ragged(tf, D).padded_batch(2),
    "a nest to shapes": lambda tf, D: _ragged(tf, D).padded_batch(2, {"row": [4], "n": []}),
    "a nest with values": lambda tf, D: _ragged(tf, D).padded_batch(
        2, padding_values={"row": np.int64(9), "n": 0.5}
    ),
    "a nest with one missing value": lambda tf, D: _ragged(tf, D).padded_batch(
        2, padding_values={"row": np.int64(9), "n": None}
    ),
    "a nest with one value for all": lambda tf, D: _ragged(tf, D)
    .map(lambda d: (d["row"], d["row"] * 2)).padded_batch(3, padding_values=np.int64(-1)),
    "a nest with shapes of another structure": lambda tf, D: _ragged(tf, D).padded_batch(2, {"row": [4]}),
    "a nest with shapes that are a tuple": lambda tf, D: _ragged(tf, D).padded_batch(2, ([4], [])),
    "a nest with values of another structure": lambda tf, D: _ragged(tf, D).padded_batch(
        2, padding_values=(np.int64(1), 0.5)
    ),
    "a shape of another rank": lambda tf, D: _rows(tf, D, [1], [2, 3]).padded_batch(2, [3, 3]),
    "unknown rank": lambda tf, D: _rows(tf, D, [1], [2, 3], shape=None).padded_batch(2),
    "unknown rank to a shape": lambda tf, D: _rows(tf, D, [1], [2, 3], shape=None).padded_batch(2, [None]),
    "different ranks to a shape": lambda tf, D: _rows(tf, D, [1], [[2, 3]], shape=None).padded_batch(2, [None]),
    "windows": lambda tf, D: D.range(4).window(2).padded_batch(2),
    "a batch of none": lambda tf, D: _rows(tf, D, [1]).padded_batch(0),
    "rows made by a function": lambda tf, D: D.range(5).map(lambda x: tf.fill([x], x)).padded_batch(3),
    "rows made by a function to a length": lambda tf, D: D.range(5).map(lambda x: tf.fill([x], x)).padded_batch(3, [5]),
    "rows made by a function and too long": lambda tf, D: D.range(5).map(lambda x: tf.fill([x], x)).padded_batch(3, [3]),
}  # fmt: skip

WINDOWS: dict[str, Program] = {
    "of a size": lambda tf, D: D.range(7).window(3),
    "of more than there is": lambda tf, D: D.range(2).window(5),
    "of more than there is without the rest": lambda tf, D: D.range(2).window(5, drop_remainder=True),
    "without the rest": lambda tf, D: D.range(7).window(3, drop_remainder=True),
    "that overlap": lambda tf, D: D.range(5).window(3, shift=1),
    "that overlap without the rest": lambda tf, D: D.range(5).window(3, shift=1, drop_remainder=True),
    "with gaps": lambda tf, D: D.range(10).window(2, shift=4),
    "with gaps at the end": lambda tf, D: D.range(9).window(2, shift=4, drop_remainder=True),
    "with a stride": lambda tf, D: D.range(8).window(3, stride=2),
    "with a stride without the rest": lambda tf, D: D.range(8).window(3, shift=1, stride=2, drop_remainder=True),
    "with a stride and a shift": lambda tf, D: D.range(10).window(3, 2, 3),
    "with a stride and a great shift": lambda tf, D: D.range(12).window(2, 5, 2),
    "of batches": lambda tf, D: D.range(6).batch(2).window(2),
    "of nothing": lambda tf, D: D.range(0).window(2),
    "of what never ends": lambda tf, D: D.range(3).repeat().window(2),
    "of what is not known": lambda tf, D: D.range(6).filter(lambda x: x != 2).window(2),
    "of a nest": lambda tf, D: D.from_tensor_slices({"b": [1, 2, 3], "a": (["p", "q", "r"],)}).window(2),
    "of a tuple": lambda tf, D: D.range(4).enumerate(5).window(3),
    "of windows": lambda tf, D: D.range(8).window(2).window(2).map(lambda w: w.flat_map(lambda v: v.batch(2))),
    "flat": lambda tf, D: D.range(7).window(3, 2).flat_map(lambda w: w.batch(3)),
    "flat without the rest": lambda tf, D: (
        D.range(7).window(3, 2, drop_remainder=True).flat_map(lambda w: w.batch(3, drop_remainder=True))
    ),
    "flat and zipped": lambda tf, D: (
        D.range(4).enumerate(5).window(2).flat_map(lambda a, b: D.zip((a.batch(2), b.batch(2))))
    ),
    "reduced": lambda tf, D: D.range(7).window(3).map(lambda w: w.reduce(np.int64(0), lambda s, x: s + x)),
    "with facts": lambda tf, D: [w.cardinality() for w in D.range(7).window(3)],
    "of no size": lambda tf, D: D.range(7).window(0),
    "of no shift": lambda tf, D: D.range(7).window(3, shift=0),
    "of no stride": lambda tf, D: D.range(7).window(3, stride=0),
    "of a fraction": lambda tf, D: D.range(7).window(2.5),
    "of a negative size": lambda tf, D: D.range(7).window(-1),
}
