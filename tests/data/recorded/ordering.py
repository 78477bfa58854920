"""Programs about which elements come, and when."""

from typing import Any

import numpy as np

from .answers import Program, items, numbers, order, outcome

ORDER: dict[str, Program] = {
    "repeat": lambda tf, D: D.range(2).repeat(3),
    "repeat never": lambda tf, D: D.range(2).repeat(0),
    "repeat for ever": lambda tf, D: D.range(2).repeat(-1),
    "repeat without a count": lambda tf, D: D.range(2).repeat(),
    "repeat a negative number": lambda tf, D: D.range(2).repeat(-3),
    "repeat nothing": lambda tf, D: D.range(0).repeat(),
    "repeat what is not known": lambda tf, D: D.range(4).filter(lambda x: x > 2).repeat(2),
    "repeat a tensor of times": lambda tf, D: D.range(2).repeat(tf.constant(2, tf.int64)),
    "repeat a fraction": lambda tf, D: D.range(2).repeat(1.5),
    "take": lambda tf, D: D.range(5).take(2),
    "take none": lambda tf, D: D.range(5).take(0),
    "take all": lambda tf, D: D.range(5).take(-1),
    "take a negative number": lambda tf, D: D.range(5).take(-3),
    "take more than there is": lambda tf, D: D.range(2).take(5),
    "take of what never ends": lambda tf, D: D.range(2).repeat().take(5),
    "take all of what never ends": lambda tf, D: D.range(2).repeat().take(-1),
    "take of what is not known": lambda tf, D: D.range(9).filter(lambda x: x > 5).take(2),
    "take a string": lambda tf, D: D.range(5).take("2"),
    "skip": lambda tf, D: D.range(5).skip(2),
    "skip none": lambda tf, D: D.range(5).skip(0),
    "skip all": lambda tf, D: D.range(5).skip(-1),
    "skip more than there is": lambda tf, D: D.range(2).skip(5),
    "skip all of what never ends": lambda tf, D: D.range(2).repeat().skip(-1),
    "skip of what never ends": lambda tf, D: D.range(3).repeat().skip(2),
    "skip a negative number": lambda tf, D: D.range(5).skip(-3),
    "shard": lambda tf, D: D.range(7).shard(3, 1),
    "shard of an int32": lambda tf, D: D.range(7).shard(np.int32(3), np.int32(0)),
    "shard with more shards than elements": lambda tf, D: D.range(2).shard(5, 4),
    "shard of what never ends": lambda tf, D: D.range(3).repeat().shard(2, 1),
    "shard of batches": lambda tf, D: D.range(9).batch(2).shard(2, 1),
    "shard with an index that is too large": lambda tf, D: D.range(7).shard(3, 3),
    "shard with a negative index": lambda tf, D: D.range(7).shard(3, -1),
    "shard into none": lambda tf, D: D.range(7).shard(0, 0),
    "shard into a negative number": lambda tf, D: D.range(7).shard(-2, 0),
    "shard without a strategy": lambda tf, D: D.range(7).shard(tf.data.experimental.SHARD_HINT, 0),
    "enumerate": lambda tf, D: D.from_tensor_slices(["a", "b"]).enumerate(),
    "enumerate from": lambda tf, D: D.range(2).enumerate(start=5),
    "enumerate from below": lambda tf, D: D.range(2).enumerate(-1),
    "enumerate for ever": lambda tf, D: D.range(2).repeat().enumerate(),
    "enumerate tuples": lambda tf, D: D.range(2).enumerate().enumerate(),
    "the experimental enumerate": lambda tf, D: D.range(2).apply(tf.data.experimental.enumerate_dataset(3)),
    "prefetch": lambda tf, D: D.range(3).prefetch(1),
    "prefetch none": lambda tf, D: D.range(3).prefetch(0),
    "prefetch what is best": lambda tf, D: D.range(3).prefetch(tf.data.AUTOTUNE),
    "prefetch too little": lambda tf, D: D.range(3).prefetch(-2),
    "unique": lambda tf, D: D.from_tensor_slices([1, 3, 1, 2, 3]).unique(),
    "unique strings": lambda tf, D: D.from_tensor_slices(["a", "b", "a", ""]).unique(),
    "unique rows": lambda tf, D: D.from_tensor_slices([[1, 2], [3, 4], [1, 2]]).unique(),
    "unique floats": lambda tf, D: D.from_tensor_slices([1.5, 1.5]).unique(),
    "unique pairs": lambda tf, D: D.from_tensor_slices(([1, 1], [2, 2])).unique(),
    "unique bools": lambda tf, D: D.from_tensor_slices([True, True]).unique(),
    "unique bytes": lambda tf, D: D.from_tensor_slices(np.zeros(2, np.uint8)).unique(),
    "unique in a tuple of one": lambda tf, D: D.from_tensor_slices(([1, 1, 2],)).unique(),
    "the experimental unique": lambda tf, D: D.from_tensor_slices([1, 1]).apply(tf.data.experimental.unique()),
    "ignore errors": lambda tf, D: D.from_tensor_slices([1.0, 0.0, 2.0])
    .map(lambda x: tf.debugging.check_numerics(1.0 / x, "bad"))
    .ignore_errors(),
    "ignore no errors": lambda tf, D: D.range(3).ignore_errors(log_warning=True),
    "cache": lambda tf, D: D.range(3).cache().repeat(2),
    "cache nothing": lambda tf, D: D.range(0).cache(),
    "cache of a nest": lambda tf, D: D.from_tensor_slices({"a": [1, 2], "b": ["x", "y"]}).cache(),
    "cache and take": lambda tf, D: D.range(5).cache().take(2),
    "cache what never ends": lambda tf, D: D.range(2).repeat().cache().take(3),
    "cache asks once": lambda tf, D: _asked(tf, D, lambda d: d.cache(), 2),
    "cache that was not finished asks again": lambda tf, D: _asked(tf, D, lambda d: d.cache().take(1), 2),
    "nothing is asked before the first element": lambda tf, D: _asked(tf, D, lambda d: d.cache().map(lambda x: x), 0),
    "everything about nothing": lambda tf, D: [
        outcome(lambda f=f: len(list(f(D.range(0)))))
        for f in (
            lambda d: d.repeat(3), lambda d: d.take(2), lambda d: d.skip(1), lambda d: d.shard(2, 1),
            lambda d: d.shuffle(3), lambda d: d.shuffle(3).repeat(), lambda d: d.batch(2), lambda d: d.batch(2, True),
            lambda d: d.batch(2).unbatch(), lambda d: d.batch(2).rebatch(3), lambda d: d.padded_batch(2),
            lambda d: d.window(2), lambda d: d.map(lambda x: x + 1), lambda d: d.filter(lambda x: x > 1),
            lambda d: d.flat_map(lambda x: D.range(x)), lambda d: d.interleave(lambda x: D.range(x)),
            lambda d: d.scan(np.int64(0), lambda s, x: (s + x, s)), lambda d: d.take_while(lambda x: x > 1),
            lambda d: d.unique(), lambda d: d.enumerate(), lambda d: d.prefetch(2), lambda d: d.cache(),
            lambda d: d.ignore_errors(), lambda d: d.concatenate(d),
            lambda d: d.group_by_window(lambda x: x, lambda k, w: w.batch(2), window_size=2),
            lambda d: d.batch(2).bucket_by_sequence_length(lambda x: tf.shape(x)[0], [2], [2, 2]),
            lambda d: D.sample_from_datasets([d, d]), lambda d: D.choose_from_datasets([d], D.range(3)),
            lambda d: d.apply(tf.data.experimental.assert_cardinality(0)),
        )
    ],
}  # fmt: skip

SHUFFLED: dict[str, Program] = {
    "with a buffer of one": lambda tf, D: D.range(6).shuffle(1),
    **{
        f"with a buffer of {size}": lambda tf, D, size=size: order(D.range(40).shuffle(size, seed=7), 40, size)
        for size in (2, 10, 39, 40, 41, 1000)
    },
    "with a buffer for all": lambda tf, D: order(D.range(40).shuffle(D.range(40).cardinality(), seed=7), 40, 40),
    "with a buffer of unknown size": lambda tf, D: outcome(
        lambda: order(D.range(40).shuffle(tf.data.UNKNOWN_CARDINALITY, seed=7), 40, 40)
    ),
    "the same order again": lambda tf, D: order(
        D.range(40).shuffle(40, seed=7, reshuffle_each_iteration=False), 40, 40
    ),
    "another order again": lambda tf, D: order(D.range(40).shuffle(40, seed=7, reshuffle_each_iteration=True), 40, 40),
    "epochs do not mix": lambda tf, D: [sorted(e) for e in _epochs(D.range(20).shuffle(20, seed=7).repeat(2))],
    "epochs differ": lambda tf, D: _equal(D.range(20).shuffle(20, seed=7).repeat(2)),
    "epochs are equal": lambda tf, D: _equal(D.range(20).shuffle(20, seed=7, reshuffle_each_iteration=False).repeat(2)),
    "epochs mix when repeated before": lambda tf, D: [
        sorted(e) == sorted(set(e)) for e in _epochs(D.range(20).repeat(2).shuffle(40, seed=7))
    ],
    "cache keeps an order": lambda tf, D: order(D.range(40).shuffle(40, seed=7).cache(), 40, 40),
    "shuffle after a cache": lambda tf, D: order(D.range(40).cache().shuffle(40, seed=7), 40, 40),
    "a cached order, repeated": lambda tf, D: _equal(D.range(20).shuffle(20, seed=7).cache().repeat(2)),
    "two datasets with one seed": lambda tf, D: (
        numbers(D.range(40).shuffle(40, seed=7)) == numbers(D.range(40).shuffle(40, seed=7))
    ),
    "two datasets with two seeds": lambda tf, D: (
        numbers(D.range(40).shuffle(40, seed=7)) == numbers(D.range(40).shuffle(40, seed=8))
    ),
    "two datasets without a seed": lambda tf, D: numbers(D.range(40).shuffle(40)) == numbers(D.range(40).shuffle(40)),
    "the program's seed": lambda tf, D: [
        _seeded(tf, D, 3) == _seeded(tf, D, 3),
        _seeded(tf, D, 3) == _seeded(tf, D, 4),
    ],
    "two datasets under the program's seed": lambda tf, D: len(set(map(tuple, _seeded(tf, D, 3)))),
    "a nest stays together": lambda tf, D: sorted(
        (int(a), b) for a, b in items(D.from_tensor_slices(([1, 2, 3], ["a", "b", "c"])).shuffle(3, seed=1))
    ),
    "batches": lambda tf, D: sorted(b.tolist() for b in items(D.range(10).batch(2).shuffle(5, seed=1))),
    "facts": lambda tf, D: [D.range(10).shuffle(3).cardinality(), D.range(10).repeat().shuffle(3).cardinality()],
    "what never ends": lambda tf, D: max(numbers(D.counter().shuffle(5, seed=1).take(50))) < 55,
    "nothing": lambda tf, D: D.range(0).shuffle(5),
    "with a buffer of none": lambda tf, D: D.range(6).shuffle(0),
    "with a negative buffer": lambda tf, D: D.range(6).shuffle(-3),
    "shuffle and repeat": lambda tf, D: sorted(
        numbers(D.range(6).apply(tf.data.experimental.shuffle_and_repeat(6, 2, seed=1)))
    ),
}


def _epochs(dataset: Any) -> Any:
    found = numbers(dataset)
    return found[:20], found[20:]


def _equal(dataset: Any) -> Any:
    first, second = _epochs(dataset)
    return first == second


def _seeded(tf: Any, D: Any, seed: int) -> Any:
    """Two datasets without a seed of their own, two epochs each, under a program's seed."""
    tf.random.set_seed(seed)
    datasets = [D.range(30).shuffle(30) for _ in range(2)]
    return [numbers(dataset) for dataset in datasets for _ in range(2)]


def _asked(tf: Any, D: Any, change: Any, epochs: int) -> Any:
    """How often a generator is started."""
    starts = []

    def generate() -> Any:
        starts.append(1)
        yield from range(3)

    dataset = change(D.from_generator(generate, output_signature=tf.TensorSpec([], tf.int64)))
    for _ in range(epochs):
        list(dataset)
    return len(starts)
