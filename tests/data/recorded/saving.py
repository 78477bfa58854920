"""Programs about datasets in folders."""

import collections
from typing import Any

import numpy as np

from .answers import Program, items

Point = collections.namedtuple("Point", "x y")


def _saved(tf: Any, dataset: Any, folder: str, **options: Any) -> Any:
    dataset.save(folder, **options)
    return tf.data.Dataset.load(folder)


def _flat(shards: Any) -> Any:
    return shards.flat_map(lambda shard: shard)


def _twice(dataset: Any) -> list[Any]:
    return [items(dataset), items(dataset)]


def _interrupted(D: Any, folder: str) -> Any:
    dataset = D.range(4).snapshot(folder)
    next(iter(dataset))
    return _twice(dataset)


def _saved_again(tf: Any, D: Any, folder: str) -> Any:
    D.range(3).save(folder)
    return _saved(tf, D.range(10, 14), folder)


def _sharded(tf: Any, D: Any, folder: str, shard: Any, **options: Any) -> Any:
    D.range(6).save(folder, shard_func=shard)
    return D.load(folder, **options)


SAVED: dict[str, Program] = {
    "numbers": lambda tf, D, at: _saved(tf, D.range(5), at),
    "a nest": lambda tf, D, at: _saved(
        tf, D.from_tensor_slices({"b": [1, 2], "a": ([1.5, 2.5], ["x", "é"])}), at
    ),
    "a named tuple": lambda tf, D, at: _saved(tf, D.from_tensor_slices(Point([1], [2])), at),
    "an ordered dict": lambda tf, D, at: _saved(
        tf, D.from_tensor_slices(collections.OrderedDict(b=[1], a=[2])), at
    ),
    "batches": lambda tf, D, at: _saved(tf, D.range(5).batch(2), at),
    "of unknown length": lambda tf, D, at: _saved(tf, D.range(5).filter(lambda x: x > 1), at),
    "nothing": lambda tf, D, at: _saved(tf, D.range(0), at),
    "returns nothing": lambda tf, D, at: [D.range(3).save(at)],
    "by the experimental names": lambda tf, D, at: [
        tf.data.experimental.save(D.range(3), at), items(tf.data.experimental.load(at))
    ],
    "again": lambda tf, D, at: _saved_again(tf, D, at),
    "and mapped": lambda tf, D, at: _saved(tf, D.range(3).map(lambda x: x * 2), at).map(lambda x: x + 1).batch(2),
    "compressed": lambda tf, D, at: [D.range(3).save(at, compression="GZIP"), items(D.load(at, compression="GZIP"))],
    "compressed by SNAPPY": lambda tf, D, at: [
        D.range(3).save(at, compression="SNAPPY"), items(D.load(at, compression="SNAPPY"))
    ],
    "in two shards": lambda tf, D, at: _sharded(tf, D, at, lambda x: x % 2),
    "in two shards, one after the other": lambda tf, D, at: _sharded(tf, D, at, lambda x: x % 2, reader_func=_flat),
    "in shards with negative numbers": lambda tf, D, at: _sharded(tf, D, at, lambda x: x - 3, reader_func=_flat),
    "in shards with gaps": lambda tf, D, at: _sharded(tf, D, at, lambda x: x % 2 * 5, reader_func=_flat),
    "in shards of pairs": lambda tf, D, at: [
        D.range(6).enumerate().save(at, shard_func=lambda i, x: (i + x) % 3), items(D.load(at, reader_func=_flat))
    ],
    "in a shard that is int32": lambda tf, D, at: _sharded(tf, D, at, lambda x: tf.constant(1)),
    "read by what gives no dataset": lambda tf, D, at: _sharded(tf, D, at, lambda x: x, reader_func=lambda shards: 5),
    "with its spec": lambda tf, D, at: [
        D.range(3).save(at), items(D.load(at, element_spec=tf.TensorSpec((), tf.int64)))
    ],
    "with another spec": lambda tf, D, at: [
        D.range(3).save(at), items(D.load(at, element_spec=tf.TensorSpec((), tf.int32)))
    ],
    "nowhere": lambda tf, D, at: D.load(at + "/nothing"),
}  # fmt: skip

SNAPSHOTS: dict[str, Program] = {
    "facts": lambda tf, D, at: D.range(5).snapshot(at),
    "twice": lambda tf, D, at: _twice(D.range(5).snapshot(at)),
    "of a nest": lambda tf, D, at: _twice(D.from_tensor_slices({"b": [1, 2], "a": (["x", "y"],)}).snapshot(at)),
    "in shards": lambda tf, D, at: _twice(
        D.range(6).snapshot(at, shard_func=lambda x: x % 2, reader_func=_flat)
    ),
    "of a random order": lambda tf, D, at: [
        (lambda a, b: a == b and sorted(a) == list(range(50)))(*_twice(D.range(50).shuffle(50).snapshot(at)))
    ],
    "compressed": lambda tf, D, at: _twice(D.range(3).snapshot(at, compression="GZIP")),
    "not compressed": lambda tf, D, at: _twice(D.range(3).snapshot(at, compression=None)),
    "by the experimental name": lambda tf, D, at: _twice(D.range(3).apply(tf.data.experimental.snapshot(at))),
    "after an iteration that was left": lambda tf, D, at: _interrupted(D, at),
    "repeated": lambda tf, D, at: items(D.range(3).snapshot(at).repeat(2).batch(2)),
    "of nothing": lambda tf, D, at: _twice(D.range(0).snapshot(at)),
    "by another pipeline": lambda tf, D, at: [
        items(D.range(4).snapshot(at)), items(D.range(2).map(lambda x: x + np.int64(7)).snapshot(at))
    ],
}  # fmt: skip
