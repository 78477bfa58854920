"""Programs about functions that are given to datasets."""

from typing import Any

import numpy as np

from .answers import Program


def _words(tf: Any, D: Any) -> Any:
    """Rows of 1, 4, 2, 5, 3 and 9 numbers."""
    rows = [[n] * n for n in (1, 4, 2, 5, 3, 9)]
    return D.from_generator(lambda: iter(rows), output_signature=tf.TensorSpec([None], tf.int32))


APPLIED: dict[str, Program] = {
    "map": lambda tf, D: D.range(3).map(lambda x: x * 2),
    "map to a nest": lambda tf, D: D.range(2).map(lambda x: {"b": x, "a": (x + 1, tf.cast(x, tf.float32))}),
    "map of a tuple": lambda tf, D: D.range(3).enumerate(5).map(lambda i, x: i * x),
    "map of a tuple of one": lambda tf, D: D.from_tensor_slices(([1, 2],)).map(lambda x: x + 1),
    "map of a dict": lambda tf, D: D.from_tensor_slices({"a": [1, 2]}).map(lambda d: d["a"] + 1),
    "map to a tuple of one": lambda tf, D: D.range(2).map(lambda x: (x,)),
    "map to a list": lambda tf, D: D.range(2).map(lambda x: [x, x]),
    "map to nothing": lambda tf, D: D.range(2).map(lambda x: None),
    "map to a constant": lambda tf, D: D.range(2).map(lambda x: 5),
    "map to a float": lambda tf, D: D.range(2).map(lambda x: 2.5),
    "map to a string": lambda tf, D: D.range(2).map(lambda x: "é"),
    "map to NumPy": lambda tf, D: D.range(2).map(lambda x: np.zeros(2)),
    "map in parallel": lambda tf, D: D.range(5).map(lambda x: x + 1, num_parallel_calls=tf.data.AUTOTUNE),
    "map to a dataset": lambda tf, D: D.range(3).map(lambda x: D.range(4)),
    "map of too many arguments": lambda tf, D: D.range(3).map(lambda x, y: x),
    "map by what is no function": lambda tf, D: D.range(3).map(5),
    "map and batch": lambda tf, D: D.range(5).apply(tf.data.experimental.map_and_batch(lambda x: x * 2, 2)),
    "map to rows": lambda tf, D: D.range(4).map(lambda x: tf.fill([x], x)),
    "map of batches": lambda tf, D: D.range(5).batch(2).map(lambda x: (x, tf.reduce_sum(x))),
    "filter": lambda tf, D: D.range(6).filter(lambda x: x % 3 == 0),
    "filter all": lambda tf, D: D.range(6).filter(lambda x: x > 9),
    "filter of a tuple": lambda tf, D: D.range(4).enumerate(2).filter(lambda i, x: i * x > 5),
    "filter what never ends": lambda tf, D: D.range(3).repeat().filter(lambda x: x > 0),
    "filter by a number": lambda tf, D: D.range(4).filter(lambda x: x),
    "filter by a row": lambda tf, D: D.range(4).batch(2).filter(lambda x: x > 0),
    "filter by Python's True": lambda tf, D: D.range(3).filter(lambda x: True),
    "take while": lambda tf, D: D.range(6).take_while(lambda x: x < 3),
    "take while never": lambda tf, D: D.range(6).take_while(lambda x: x > 3),
    "take while of a tuple": lambda tf, D: D.range(4).enumerate(2).take_while(lambda i, x: i + x < 5),
    "take while always": lambda tf, D: D.range(3).take_while(lambda x: x < 9),
    "take while of what never ends": lambda tf, D: D.counter().take_while(lambda x: x < 3),
    "take while by a number": lambda tf, D: D.range(3).take_while(lambda x: x),
    "the experimental take while": lambda tf, D: D.range(3).apply(
        tf.data.experimental.take_while(lambda x: x < 1)
    ),
    "scan": lambda tf, D: D.range(5).scan(np.int64(10), lambda state, x: (state + x, state * 2)),
    "scan with a nest": lambda tf, D: D.range(3).scan(
        (np.int64(0), {"a": 1.5}), lambda s, x: ((s[0] + x, {"a": s[1]["a"] * 2}), (x, s[1]["a"]))
    ),
    "scan of a tuple": lambda tf, D: D.range(3).enumerate(5).scan(np.int64(0), lambda s, e: (s + e[0], s + e[1])),
    "scan of what never ends": lambda tf, D: D.counter().scan(np.int64(0), lambda s, x: (s + x, s)),
    "scan with a state of another type": lambda tf, D: D.range(3).scan(0, lambda s, x: (s + x, s)),
    "scan with a state that becomes a float": lambda tf, D: D.range(3).scan(
        np.int64(0), lambda s, x: (tf.cast(s, tf.float32), x)
    ),
    "scan with another structure": lambda tf, D: D.range(3).scan(np.int64(0), lambda s, x: ((s, s), x)),
    "scan without a pair": lambda tf, D: D.range(3).scan(np.int64(0), lambda s, x: s + x),
    "scan with a state that grows": lambda tf, D: D.range(3).scan(
        np.zeros(0, np.int64), lambda s, x: (tf.concat([s, [x]], 0), tf.concat([s, [x]], 0))
    ),
    "the experimental scan": lambda tf, D: D.range(3).apply(
        tf.data.experimental.scan(np.int64(1), lambda s, x: (s * 2, s))
    ),
    "reduce": lambda tf, D: D.range(5).reduce(np.int64(0), lambda state, x: state + x),
    "reduce with a state of another shape": lambda tf, D: D.range(3).reduce(np.int64(0), lambda s, x: s + tf.stack([x, x])),
    "reduce nothing": lambda tf, D: D.range(0).reduce(np.int64(7), lambda state, x: state + x),
    "reduce with a nest": lambda tf, D: D.range(4).reduce(
        {"n": 0, "s": (np.int64(0),)}, lambda s, x: {"n": s["n"] + 1, "s": (s["s"][0] + x,)}
    ),
    "reduce of a tuple": lambda tf, D: D.range(4).enumerate(1).reduce(np.int64(0), lambda s, e: s + e[0] * e[1]),
    "reduce of a dict": lambda tf, D: D.from_tensor_slices({"a": [1, 2]}).reduce(0, lambda s, e: s + e["a"]),
    "reduce to a pair": lambda tf, D: D.range(4).reduce(
        (np.int64(0), np.int64(1)), lambda s, x: (s[0] + x, s[1] * (x + 1))
    ),
    "reduce with a state of another type": lambda tf, D: D.range(3).reduce(0, lambda s, x: s + x),
    "reduce with a state that becomes a float": lambda tf, D: D.range(3).reduce(
        0, lambda s, x: tf.cast(s, tf.float32) + 0.5
    ),
    "reduce with another structure": lambda tf, D: D.range(3).reduce(np.int64(0), lambda s, x: (s, x)),
    "reduce with a state that grows": lambda tf, D: D.range(3).reduce(
        np.zeros(0, np.int64), lambda s, x: tf.concat([s, [x]], 0)
    ),
}  # fmt: skip

FLAT: dict[str, Program] = {
    "flat_map": lambda tf, D: D.range(4).flat_map(lambda x: D.range(x)),
    "flat_map of tensors": lambda tf, D: D.range(3).flat_map(lambda x: D.from_tensors([x, x * 2])),
    "flat_map of rows": lambda tf, D: D.range(6).batch(2).flat_map(lambda b: D.from_tensor_slices(b)),
    "flat_map of a tuple": lambda tf, D: D.range(3).enumerate(1).flat_map(lambda i, x: D.range(x, x + i)),
    "flat_map to nests": lambda tf, D: D.range(3).flat_map(
        lambda x: D.zip({"a": D.from_tensors(x), "b": D.range(2)})
    ),
    "flat_map of flat_maps": lambda tf, D: D.range(4).flat_map(
        lambda x: D.range(x).flat_map(lambda y: D.from_tensors(x * 10 + y).repeat(y))
    ),
    "flat_map of nothing": lambda tf, D: D.range(0).flat_map(lambda x: D.range(x)),
    "flat_map to nothing": lambda tf, D: D.range(3).flat_map(lambda x: D.range(0)),
    "flat_map without an end": lambda tf, D: D.range(3).flat_map(lambda x: D.from_tensors(x).repeat()),
    "flat_map to a tensor": lambda tf, D: D.range(3).flat_map(lambda x: x),
    "flat_map to batches": lambda tf, D: D.range(3).flat_map(lambda x: D.range(x + 3).batch(2)),
    **{
        f"interleave {cycle} by {block}": lambda tf, D, cycle=cycle, block=block: D.range(1, 5).interleave(
            lambda x: D.from_tensors(x).repeat(3), cycle_length=cycle, block_length=block
        )
        for cycle in (1, 2, 3, 9) for block in (1, 2, 4)
    },
    "interleave different lengths": lambda tf, D: D.range(5).interleave(
        lambda x: D.from_tensors(x).repeat(x), cycle_length=3
    ),
    "interleave in parallel": lambda tf, D: D.range(1, 5).interleave(
        lambda x: D.from_tensors(x).repeat(3), 2, 2, num_parallel_calls=2, deterministic=True
    ),
    "interleave by the experimental name": lambda tf, D: D.range(1, 5).apply(
        tf.data.experimental.parallel_interleave(lambda x: D.from_tensors(x).repeat(3), 2, 2)
    ),
    "interleave without a cycle": lambda tf, D: D.range(4).interleave(lambda x: D.range(x), cycle_length=0),
    "interleave without a block": lambda tf, D: D.range(4).interleave(lambda x: D.range(x), 2, 0),
    "interleave with too few calls": lambda tf, D: D.range(4).interleave(
        lambda x: D.range(x), 2, num_parallel_calls=-5
    ),
    "interleave to a tensor": lambda tf, D: D.range(4).interleave(lambda x: x, 2),
}  # fmt: skip

GROUPS: dict[str, Program] = {
    "windows of keys": lambda tf, D: D.range(10).group_by_window(
        lambda x: x % 3, lambda key, w: w.batch(2), window_size=2
    ),
    "the key reaches the reduction": lambda tf, D: D.range(7).group_by_window(
        lambda x: x % 2, lambda key, w: w.map(lambda x: x + key * 100), window_size=2
    ),
    "sizes by key": lambda tf, D: D.range(10).group_by_window(
        lambda x: x % 2, lambda key, w: w.batch(9), window_size_func=lambda key: (key + 1) * 2
    ),
    "rests come by key": lambda tf, D: D.from_tensor_slices(np.asarray([5, 2, 9, 2, 5])).group_by_window(
        lambda x: x, lambda key, w: w.batch(9), window_size=100
    ),
    "windows of a nest": lambda tf, D: D.range(5).enumerate(10).group_by_window(
        lambda i, x: x % 2, lambda key, w: w.batch(2), window_size=2
    ),
    "more out than in": lambda tf, D: D.range(3).group_by_window(
        lambda x: x % 2, lambda key, w: w.repeat(2), window_size=1
    ),
    "by the experimental name": lambda tf, D: D.range(5).apply(
        tf.data.experimental.group_by_window(lambda x: x % 2, lambda key, w: w.batch(2), 2)
    ),
    "no size": lambda tf, D: D.range(5).group_by_window(lambda x: x, lambda key, w: w),
    "both sizes": lambda tf, D: D.range(5).group_by_window(
        lambda x: x, lambda key, w: w, window_size=1, window_size_func=lambda k: 1
    ),
    "a size of none": lambda tf, D: D.range(5).group_by_window(lambda x: x, lambda key, w: w, window_size=0),
    "a key that is no number": lambda tf, D: D.range(5).group_by_window(
        lambda x: tf.cast(x, tf.float32), lambda key, w: w, window_size=1
    ),
    "a key that is int32": lambda tf, D: D.range(5).group_by_window(
        lambda x: tf.cast(x % 2, tf.int32), lambda key, w: w.batch(2), window_size=2
    ),
    "a key of rows": lambda tf, D: D.range(4).batch(2).group_by_window(
        lambda x: x, lambda key, w: w, window_size=1
    ),
    "a reduction to a tensor": lambda tf, D: D.range(5).group_by_window(lambda x: x, lambda key, w: key, window_size=1),
    "buckets": lambda tf, D: _words(tf, D).bucket_by_sequence_length(_size(tf), [3, 5], [2, 2, 2]),
    "buckets without the rest": lambda tf, D: _words(tf, D).bucket_by_sequence_length(
        _size(tf), [3, 5], [2, 2, 2], drop_remainder=True
    ),
    "buckets to their boundary": lambda tf, D: _words(tf, D).take(3).bucket_by_sequence_length(
        _size(tf), [3, 5], [2, 2, 2], pad_to_bucket_boundary=True
    ),
    "buckets to their boundary with what is too long": lambda tf, D: _words(tf, D).bucket_by_sequence_length(
        _size(tf), [3, 5], [2, 2, 2], pad_to_bucket_boundary=True
    ),
    "buckets to a shape": lambda tf, D: _words(tf, D).bucket_by_sequence_length(
        _size(tf), [3, 5], [2, 2, 2], padded_shapes=[10]
    ),
    "buckets to a shape that is too small": lambda tf, D: _words(tf, D).bucket_by_sequence_length(
        _size(tf), [3, 5], [2, 2, 2], padded_shapes=[4]
    ),
    "buckets with a value": lambda tf, D: _words(tf, D).bucket_by_sequence_length(
        _size(tf), [3, 5], [2, 2, 2], padding_values=-1
    ),
    "buckets without padding": lambda tf, D: D.from_tensor_slices(
        np.arange(12).reshape(6, 2)
    ).bucket_by_sequence_length(lambda r: tf.cast(r[0] // 4, tf.int32), [1, 2], [2, 2, 2], no_padding=True),
    "buckets without padding of different rows": lambda tf, D: _words(tf, D).bucket_by_sequence_length(
        _size(tf), [3, 5], [2, 2, 2], no_padding=True
    ),
    "buckets of a nest": lambda tf, D: _words(tf, D).enumerate().bucket_by_sequence_length(
        lambda i, row: _size(tf)(row), [3], [2, 3], padded_shapes=([], [None])
    ),
    "buckets of other sizes": lambda tf, D: _words(tf, D).bucket_by_sequence_length(_size(tf), [3], [1, 4]),
    "buckets without boundaries": lambda tf, D: _words(tf, D).bucket_by_sequence_length(_size(tf), [], [4]),
    "buckets by the experimental name": lambda tf, D: _words(tf, D).apply(
        tf.data.experimental.bucket_by_sequence_length(_size(tf), [3, 5], [2, 2, 2])
    ),
    "too few sizes of buckets": lambda tf, D: _words(tf, D).bucket_by_sequence_length(_size(tf), [3, 5], [2, 2]),
}  # fmt: skip


def _size(tf: Any) -> Any:
    return lambda row: tf.shape(row)[0]
