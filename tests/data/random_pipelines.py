"""Transformations of datasets of int64 scalars into such datasets, to be composed at random, and how they are compared."""

import itertools
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
from hypothesis import strategies as st

import stratagem as tf
from stratagem._core.values import TensorSpec
from stratagem._data import Dataset

Step = tuple[str, int, int]
Change = Callable[[Dataset, int, int, Path], Dataset]

MOST = 60  # elements of an epoch that are looked at: some pipelines grow, or never end
LEAST = np.int64(0)


def generated(n: int) -> Dataset:
    """0..n-1 from user code."""
    return Dataset.from_generator(lambda: range(n), output_signature=TensorSpec((), np.int64))


SOURCES: dict[str, Callable[[int], Dataset]] = {
    "rows": Dataset.range,
    "generator": generated,
    "list": lambda n: tf.data.experimental.from_list([np.int64(i) for i in range(n + 1)]),
    "components": lambda n: Dataset.from_tensor_slices({"b": np.arange(n), "a": (np.arange(n) * 2,)}).map(
        lambda d: d["b"] + d["a"][0]
    ),
}


def _inner(x: Any, most: int) -> Dataset:
    """A dataset of up to `most` numbers, in random order."""
    return Dataset.range(int(x) % (most + 1)).shuffle(3).map(lambda y: y + 100)


def _ragged(d: Dataset, a: int, b: int) -> Dataset:
    rows = d.map(lambda x: np.full(int(x) % 3 + 1, int(x), np.int64))
    return rows.padded_batch(a + 1, padding_values=np.int64(b)).map(lambda m: tf.reduce_sum(m, axis=1)).unbatch()


def _saved(d: Dataset, folder: Path) -> Dataset:
    path = tempfile.mkdtemp(dir=folder)
    d.take(MOST).save(path, shard_func=lambda x: x % 3)
    return Dataset.load(path)


LAST_DIGITS = tf.data.experimental.Reducer(lambda key: key, lambda state, x: state + x % 10, lambda state: state)

CHANGES: dict[str, Change] = {
    "shuffle": lambda d, a, b, _: d.shuffle(a + 1, seed=b, reshuffle_each_iteration=b % 3 > 0),
    "shuffle without a seed": lambda d, a, b, _: d.shuffle(3 * a + 1),
    "repeat": lambda d, a, b, _: d.repeat(a % 4),
    "repeat for ever": lambda d, a, b, _: d.repeat(),
    "take": lambda d, a, b, _: d.take(3 * a),
    "skip": lambda d, a, b, _: d.skip(a),
    "shard": lambda d, a, b, _: d.shard(a % 3 + 1, b % (a % 3 + 1)),
    "batch": lambda d, a, b, _: d.batch(a + 1, drop_remainder=b % 2 == 0).unbatch(),
    "padded_batch": lambda d, a, b, _: _ragged(d, a, b),
    "rebatch": lambda d, a, b, _: d.batch(a + 1).rebatch([b + 1, 2], drop_remainder=b % 2 == 0).unbatch(),
    "map": lambda d, a, b, _: d.map(lambda x: x * 2 + a),
    "map in Python": lambda d, a, b, _: d.map(lambda x: np.int64(int(x) % 7 + a)),
    "map in threads": lambda d, a, b, _: d.map(lambda x: np.int64(int(x) % 5), num_parallel_calls=a % 3 + 1),
    "map at random": lambda d, a, b, _: d.map(lambda x: x + tf.random.uniform([], 0, 9, tf.int64)),
    "filter": lambda d, a, b, _: d.filter(lambda x: x % 3 != a % 3),
    "filter in Python": lambda d, a, b, _: d.filter(lambda x: int(x.numpy()) % 2 == a % 2),
    "prefetch": lambda d, a, b, _: d.prefetch(a % 3 + 1),
    "cache": lambda d, a, b, _: d.cache(),
    "cache in a file": lambda d, a, b, folder: d.cache(folder / f"{a}"),
    "enumerate": lambda d, a, b, _: d.enumerate(a).map(lambda i, x: i + x),
    "zip": lambda d, a, b, _: Dataset.zip((generated(3 * a).shuffle(2), d)).map(lambda x, y: x + y),
    "concatenate": lambda d, a, b, _: d.concatenate(Dataset.range(a).shuffle(b + 1)),
    "scan": lambda d, a, b, _: d.scan(np.int64(a), lambda s, x: ((s + x) % 11, s)),
    "take_while": lambda d, a, b, _: d.take_while(lambda x: x < 10 * a),
    "unique": lambda d, a, b, _: d.unique(),
    "window": lambda d, a, b, _: d.window(a + 1, b % 5 + 1, a % 2 + 1, b % 2 == 0).flat_map(lambda w: w),
    "window, batched": lambda d, a, b, _: d.window(a + 1, b % 3 + 1).flat_map(lambda w: w.batch(3)).unbatch(),
    "window, reduced": lambda d, a, b, _: d.window(a + 1).map(lambda w: w.reduce(LEAST, lambda s, x: s + x)),
    "windows in turn": lambda d, a, b, _: d.window(a + 1).interleave(lambda w: w.shuffle(2), b % 3 + 1),
    "flat_map": lambda d, a, b, _: d.flat_map(lambda x: _inner(x, a % 4)),
    "interleave": lambda d, a, b, _: d.interleave(lambda x: _inner(x, a % 4), b % 3 + 1, a % 3 + 1),
    "interleave in threads": lambda d, a, b, _: d.interleave(
        lambda x: _inner(x, a % 4), b % 3 + 2, a % 2 + 1, num_parallel_calls=2
    ),
    "group_by_window": lambda d, a, b, _: d.group_by_window(
        lambda x: x % 3, lambda key, w: w.shuffle(b + 1).map(lambda x: x + key), window_size=a + 1
    ),
    "group_by_reducer": lambda d, a, b, _: d.take(MOST).apply(
        tf.data.experimental.group_by_reducer(lambda x: x % (a + 1), LAST_DIGITS)
    ),
    "rejection_resample": lambda d, a, b, _: d.rejection_resample(lambda x: x % 2, [a + 1, b + 1], seed=a).map(
        lambda _, x: x
    ),
    "save and load": lambda d, a, b, folder: _saved(d, folder),
    "sample": lambda d, a, b, _: Dataset.sample_from_datasets(
        [d, Dataset.range(a).shuffle(3)], [0.5, 0.5], stop_on_empty_dataset=b % 2 == 0
    ),
    "choose": lambda d, a, b, _: Dataset.choose_from_datasets(
        [Dataset.range(a), d], Dataset.range(2).shuffle(2).repeat(), stop_on_empty_dataset=b % 2 == 0
    ),
    "ignore_errors": lambda d, a, b, _: d.map(lambda x: np.int64(12 // (int(x) % 4))).ignore_errors(),
}  # fmt: skip

STEPS = st.tuples(st.sampled_from(sorted(CHANGES)), st.integers(0, 4), st.integers(0, 5))


def built(source: str, size: int, steps: list[Step], folder: Path) -> Dataset:
    """The pipeline, made anew."""
    dataset = SOURCES[source](size)
    for name, a, b in steps:
        dataset = CHANGES[name](dataset, a, b, folder)
    return dataset


def some(elements: Any) -> list[Any]:
    """The first elements as Python values."""
    return [jax.tree.map(lambda leaf: (str(leaf.dtype), leaf.tolist()), e) for e in itertools.islice(elements, MOST)]


def through_json(state: Any) -> Any:
    """A state as another process would get it."""
    return json.loads(json.dumps(state))
