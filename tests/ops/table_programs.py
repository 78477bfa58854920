"""Programs whose compiled functions use tables that change: the same for TensorFlow, whose results are recorded, and for us.

Each returns tensors, and the class of an error by its name.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

Program = Callable[[Any], list[Any]]


def counting(tf: Any) -> list[Any]:
    """Each call counts its keys: what is inserted is computed of what was there. Values have two entries."""
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, 1.0])

    @tf.function
    def count(keys: Any) -> Any:
        table.insert(keys, table.lookup(keys) * 2.0 + 1.0)
        return table.size(), table.lookup(keys)

    found = [part for keys in ([1, 2, 1], [2, -5, 2**40], [], [7]) for part in count(tf.constant(keys, tf.int64))]
    return [*found, table.lookup(tf.constant([1, 2, 3], tf.int64)), *exported(table)]


def removing(tf: Any) -> list[Any]:
    """Insertions, removals and look-ups in turns, in one call, of integers by integers of both widths."""
    found = []
    for keys_of, values_of in (("int64", "int64"), ("int32", "int32"), ("int64", "int32"), ("int32", "float32")):
        table = tf.lookup.experimental.MutableHashTable(keys_of, values_of, -1)

        @tf.function
        def change(keys: Any, values: Any, table: Any = table) -> list[Any]:
            made = [table.size()]
            table.insert(keys, values)
            made += [table.lookup(keys), table.size()]
            table.remove(keys[1:])
            made += [table[keys], table.size()]
            table.insert(keys[1:], values[:-1])
            return [*made, table.lookup(keys), table.size()]

        for keys in ([3, 4, 5], [5, 6, 7]):
            found += change(tf.constant(keys, keys_of), tf.constant([10, 20, 30], values_of))
        found += exported(table)
    return found


def defaults(tf: Any) -> list[Any]:
    """Values of keys that are not there: of the table, and of the call, which the function computes."""
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float64, 0.1)
    table.insert(tf.constant([2], tf.int64), tf.constant([5.0], tf.float64))

    @tf.function
    def look_up(keys: Any) -> Any:
        computed = tf.cast(keys, tf.float64) / 3.0
        return table.lookup(keys), table.lookup(keys, computed)

    return [*look_up(tf.constant([1, 2, 4], tf.int64)), *look_up(tf.constant([[2], [9]], tf.int64))]


def dense(tf: Any) -> list[Any]:
    """A table with keys of two numbers, and one whose key is refused: the call fails, and the table goes on."""
    pairs = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, empty_key=[0, 0], deleted_key=[-1, -1])
    numbers = tf.lookup.experimental.DenseHashTable(tf.int32, tf.float32, -1.0, empty_key=0, deleted_key=-7)

    @tf.function
    def of_pairs(keys: Any, values: Any) -> Any:
        pairs.insert_or_assign(keys, values)
        pairs.erase(keys[:1])
        return pairs.size(), pairs.lookup(keys)

    @tf.function
    def of_numbers(keys: Any) -> Any:
        numbers.insert(keys, tf.cast(keys, tf.float32) / 4.0)
        return numbers.size(), numbers.lookup(keys)

    found = list(of_pairs(tf.constant([[1, 2], [2, 1], [1, 1]], tf.int64), tf.constant([5, 6, 7], tf.int64)))
    for keys in ([1, 2], [3, 0], [5], [-7]):
        try:
            found += of_numbers(tf.constant(keys))
        except tf.errors.InvalidArgumentError as error:
            found.append(type(error).__name__)
    return [*found, numbers.lookup(tf.constant([1, 2, 5, 9]))]


def under_a_tape(tf: Any) -> list[Any]:
    """What goes into a table and comes out of it has no gradients; what is computed of it does."""
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, 0.0)
    weights = tf.Variable([1.0, 2.0])
    keys = tf.constant([1, 2], tf.int64)

    @tf.function
    def step(factor: Any) -> Any:
        with tf.GradientTape() as tape:
            table.insert(keys, weights * factor)
            loss = tf.reduce_sum(table.lookup(keys) * weights)
        gradient = tape.gradient(loss, weights)
        weights.assign_sub(0.1 * gradient)
        return loss, gradient

    return [*step(tf.constant(2.0)), *step(tf.constant(3.0)), table.lookup(keys), weights]


def in_replicas(tf: Any) -> list[Any]:
    """Two replicas, each with its own keys, as all use one table: only what does not depend on which comes first."""
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, -1.0)
    dataset = tf.data.Dataset.range(12).batch(4)
    batches = strategy.experimental_distribute_dataset(dataset)

    @tf.function
    def step(keys: Any) -> Any:
        def replica(keys: Any) -> Any:
            before = table.lookup(keys)
            table.insert(keys, tf.cast(keys, tf.float32) * 2.0)
            table.remove(keys[:1])
            return tf.reduce_sum(before), tf.reduce_sum(table.lookup(keys))

        return [strategy.reduce("SUM", each, axis=None) for each in strategy.run(replica, (keys,))]

    found = [part for keys in batches for part in step(keys)]
    return [*found, *exported(table)]


def exported(table: Any) -> list[Any]:
    """The keys and values of a table, in the order of the keys."""
    keys, values = (each.numpy() for each in table.export())
    order = np.argsort(keys)
    return [keys[order], values[order]]


PROGRAMS: dict[str, Program] = {
    program.__name__: program for program in (counting, removing, defaults, dense, under_a_tape, in_replicas)
}


def results(program: Program, tf: Any) -> list[Any]:
    """What a program returns, as arrays."""
    return [each if isinstance(each, str) else np.asarray(each) for each in program(tf)]
