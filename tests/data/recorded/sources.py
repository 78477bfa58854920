"""Programs about datasets from nothing, their facts, and several of them at once."""

import collections
from typing import Any

import numpy as np

from .answers import Program, items, numbers, outcome

Point = collections.namedtuple("Point", "x y")


def _generated(tf: Any, D: Any, *values: Any, shape: Any = (), dtype: str = "int64") -> Any:
    return D.from_generator(lambda: iter(values), output_signature=tf.TensorSpec(shape, getattr(tf, dtype)))


SOURCES: dict[str, Program] = {
    "slices of a nest": lambda tf, D: D.from_tensor_slices({"b": [1, 2], "a": (Point([1.5, 2.5], ["p", "q"]),)}),
    "slices of nothing": lambda tf, D: D.from_tensor_slices([]),
    "slices of an array without columns": lambda tf, D: D.from_tensor_slices(np.zeros((2, 0), np.float32)),
    "slices of a scalar": lambda tf, D: D.from_tensor_slices(3),
    "slices of different lengths": lambda tf, D: D.from_tensor_slices(([1, 2], [3])),
    "slices of an empty tuple": lambda tf, D: D.from_tensor_slices(()),
    "slices of rows of different lengths": lambda tf, D: D.from_tensor_slices([[1, 2], [3]]),
    "slices of booleans": lambda tf, D: D.from_tensor_slices([True, False]),
    "slices of what is no tensor": lambda tf, D: D.from_tensor_slices(object()),
    "one tensor": lambda tf, D: D.from_tensors([[1, 2], [3, 4]]),
    "a tensor without rows": lambda tf, D: D.from_tensors(np.zeros((0, 3))),
    "one nest": lambda tf, D: D.from_tensors((1, {"x": 2.5, "y": "é"})),
    "a named tuple": lambda tf, D: D.from_tensors(Point(1, 2.5)),
    "an ordered dict": lambda tf, D: D.from_tensors(collections.OrderedDict([("b", 1), ("a", 2)])),
    "a dataset in a tensor's place": lambda tf, D: D.from_tensors((1, D.range(3))),
    "slices of a dataset": lambda tf, D: D.from_tensor_slices(D.range(3)),
    "a list of elements": lambda tf, D: tf.data.experimental.from_list([(1, [2.5]), (3, [4.5, 5.5])]),
    "a list of nothing": lambda tf, D: tf.data.experimental.from_list([]),
    "a list of different kinds": lambda tf, D: tf.data.experimental.from_list([1, 2.5]),
    "a generator": lambda tf, D: _generated(tf, D, 3, 1, 2),
    "a generator of rows": lambda tf, D: _generated(tf, D, [1], [2, 3], [], shape=(None,)),
    "a generator of unknown rank": lambda tf, D: _generated(tf, D, [1], [[2, 3]], 4, shape=None),
    "a generator of nothing": lambda tf, D: _generated(tf, D),
    "a generator of strings": lambda tf, D: _generated(tf, D, "p", b"q", dtype="string"),
    "a generator of floats for integers": lambda tf, D: _generated(tf, D, 1, 2.5),
    "a generator of a wrong shape": lambda tf, D: _generated(tf, D, 1, [2]),
    "a generator of a wrong rank": lambda tf, D: _generated(tf, D, [1], [[2]], shape=(None,)),
    "a generator of a wrong structure": lambda tf, D: _generated(tf, D, 1, (2, 3)),
    "a generator of strings for numbers": lambda tf, D: _generated(tf, D, 1, "2"),
    "a generator with arguments": lambda tf, D: D.from_generator(range, args=(2, 5), output_types=tf.int32),
    "a generator with a nest's signature": lambda tf, D: D.from_generator(
        lambda: [{"a": 1, "b": (2.5, "x")}],
        output_signature={"a": tf.TensorSpec([], tf.int32), "b": (tf.TensorSpec([]), tf.TensorSpec([], tf.string))},
    ),
    "a generator without a signature": lambda tf, D: D.from_generator(lambda: [1]),
    "a generator that is none": lambda tf, D: D.from_generator([1], output_types=tf.int32),
    "a generator that gives no iterable": lambda tf, D: D.from_generator(lambda: 5, output_types=tf.int32),
    "a generator with both signatures": lambda tf, D: D.from_generator(
        lambda: [1], tf.int32, output_signature=tf.TensorSpec([], tf.int32)
    ),
    "range to a number": lambda tf, D: D.range(4),
    "range of floats": lambda tf, D: D.range(2.5),
    "range with a step": lambda tf, D: D.range(1, 8, 3),
    "range downwards": lambda tf, D: D.range(5, 0, -2),
    "range of nothing": lambda tf, D: D.range(3, 3),
    "range in the wrong direction": lambda tf, D: D.range(5, 1),
    "range of another type": lambda tf, D: D.range(3, output_type=tf.float32),
    "range without a step": lambda tf, D: D.range(1, 5, 0),
    "range of nothing given": lambda tf, D: D.range(),
    "range of too much": lambda tf, D: D.range(1, 2, 3, 4),
    "range of a string": lambda tf, D: D.range("3"),
    "a counter": lambda tf, D: D.counter(5, 2).take(3),
    "a counter downwards": lambda tf, D: D.counter(1, -3).take(3),
    "a counter of floats": lambda tf, D: D.counter(0.5, 0.25, tf.float32).take(3),
    "a counter without an end": lambda tf, D: D.counter(),
    "the experimental counter": lambda tf, D: tf.data.experimental.Counter(2).take(2),
    "random numbers": lambda tf, D: (D.random(1).element_spec, D.random(1).cardinality()),
    "random numbers with a seed": lambda tf, D: items(D.random(4).take(5)) == items(D.random(4).take(5)),
    "random numbers again": lambda tf, D: [
        (lambda d: numbers(d) == numbers(d))(D.random(4, rerandomize_each_iteration=again).take(5))
        for again in (None, False, True)
    ],
}

SEVERAL: dict[str, Program] = {
    "zip of a tuple": lambda tf, D: D.zip((D.range(2), D.range(3, 6))),
    "zip of arguments": lambda tf, D: D.zip(D.range(2), D.range(3, 6)),
    "zip of one": lambda tf, D: D.zip(D.range(2)),
    "zip of a tuple of one": lambda tf, D: D.zip((D.range(2),)),
    "zip by name": lambda tf, D: D.zip(datasets=(D.range(2), D.range(2))),
    "zip of a dict": lambda tf, D: D.zip({"b": D.range(2), "a": (D.range(3).batch(2), D.range(5))}),
    "zip of elements that are tuples": lambda tf, D: D.zip((D.range(2), D.range(2).enumerate())),
    "zip with an endless one": lambda tf, D: D.zip((D.range(2), D.range(1).repeat())),
    "zip of endless ones": lambda tf, D: D.zip((D.range(2).repeat(), D.range(1).repeat())),
    "zip with nothing": lambda tf, D: D.zip((D.range(2), D.range(0))),
    "zip of none": lambda tf, D: D.zip(),
    "zip twice": lambda tf, D: D.zip(D.range(2), datasets=(D.range(2),)),
    "zip of a list": lambda tf, D: D.zip([D.range(2), D.range(2)]),
    "zip of tensors": lambda tf, D: D.zip((D.range(2), np.arange(2))),
    "concatenate": lambda tf, D: D.range(2).concatenate(D.range(5, 7)),
    "concatenate nests": lambda tf, D: D.range(2).enumerate().concatenate(D.range(5, 7).enumerate(7)),
    "concatenate nothing": lambda tf, D: D.range(0).concatenate(D.range(5, 7)).concatenate(D.range(0)),
    "concatenate to what never ends": lambda tf, D: D.range(2).repeat().concatenate(D.range(5)).skip(1),
    "concatenate shapes": lambda tf, D: D.range(4).batch(2, True).concatenate(D.range(3).batch(3, True)),
    "concatenate ranks": lambda tf, D: D.range(2).concatenate(D.range(2).batch(2)),
    "concatenate dtypes": lambda tf, D: D.range(2).concatenate(D.from_tensors(1.5)),
    "concatenate structures": lambda tf, D: D.range(2).concatenate(D.range(2).enumerate()),
    "concatenate names": lambda tf, D: D.from_tensors({"a": 1}).concatenate(D.from_tensors({"b": 1})),
    "concatenate a list": lambda tf, D: D.range(2).concatenate([1, 2]),
    "choose": lambda tf, D: D.choose_from_datasets(
        [D.range(2), D.range(10, 15)], D.from_tensor_slices(np.asarray([0, 1, 1, 0, 1, 0, 1]))
    ),
    "choose and go on": lambda tf, D: D.choose_from_datasets(
        [D.range(2), D.range(10, 15)], D.from_tensor_slices(np.asarray([0, 1, 1, 0, 1, 0, 1])), False
    ),
    "choose with the experimental default": lambda tf, D: tf.data.experimental.choose_from_datasets(
        [D.range(1), D.range(10, 13)], D.range(2).repeat(3)
    ),
    "choose out of range": lambda tf, D: D.choose_from_datasets([D.range(2)], D.range(2)),
    "choose with int32": lambda tf, D: D.choose_from_datasets([D.range(2)], D.from_tensor_slices([0, 0])),
    "choose from none": lambda tf, D: D.choose_from_datasets([], D.range(2)),
    "choose from different ones": lambda tf, D: D.choose_from_datasets([D.range(2), D.from_tensors("a")], D.range(2)),
    "choose from different shapes": lambda tf, D: D.choose_from_datasets(
        [D.range(4).batch(2, True), D.range(6).batch(3, True)], D.range(2).repeat(2)
    ),
    "sample one": lambda tf, D: D.sample_from_datasets([D.range(3)]),
    "sample all": lambda tf, D: sorted(numbers(D.sample_from_datasets([D.range(3), D.range(10, 14)], seed=1))),
    "sample with weights that leave one out": lambda tf, D: D.sample_from_datasets(
        [D.range(3), D.range(10, 14)], [0.0, 1.0], seed=1
    ),
    "sample with a dataset of weights": lambda tf, D: D.sample_from_datasets(
        [D.range(3), D.range(10, 14)], D.from_tensor_slices([[1.0, 0.0], [0.0, 1.0]]).repeat(), seed=1
    ).take(6),
    "sample facts": lambda tf, D: [
        int(D.sample_from_datasets([a, D.range(4)], stop_on_empty_dataset=stop).cardinality())
        for a in (D.range(3), D.range(3).repeat(), D.range(3).filter(lambda x: x > 0))
        for stop in (False, True)
    ],
    "sample until one ends": lambda tf, D: set(
        numbers(D.sample_from_datasets([D.range(1), D.range(10, 60)], seed=3, stop_on_empty_dataset=True))
    ).issuperset({0}),
    "sample with too few weights": lambda tf, D: D.sample_from_datasets([D.range(3), D.range(3)], [1.0]),
    "sample with whole weights": lambda tf, D: D.sample_from_datasets([D.range(3), D.range(3)], [1, 2]),
    "sample from none": lambda tf, D: D.sample_from_datasets([]),
}

FACTS: dict[str, Program] = {
    "lengths": lambda tf, D: [
        outcome(lambda d=d: len(d))
        for d in (D.range(5), D.range(0), D.range(5).repeat(), D.range(5).filter(lambda x: x > 1), D.range(5).batch(2))
    ],
    "truth": lambda tf, D: [bool(D.range(5)), bool(D.range(0)), bool(D.range(3).repeat())],
    "cardinality": lambda tf, D: [D.range(5).cardinality(), tf.data.experimental.cardinality(D.range(3).repeat())],
    "constants": lambda tf, D: [
        tf.data.AUTOTUNE, int(tf.data.INFINITE_CARDINALITY), int(tf.data.UNKNOWN_CARDINALITY),
    ],
    "as NumPy": lambda tf, D: items(D.range(2)),
    "nests as NumPy": lambda tf, D: items(D.from_tensor_slices({"b": [1, 2], "a": (["p", "q"], [[1.5], [2.5]])})),
    "named tuples as NumPy": lambda tf, D: items(D.from_tensors(Point(1, [2.5]))),
    "windows as NumPy": lambda tf, D: items(D.range(4).window(2)),
    "an only element": lambda tf, D: D.from_tensors((1, "a")).get_single_element(),
    "an only element of none": lambda tf, D: D.range(0).get_single_element(),
    "an only element of two": lambda tf, D: D.range(2).get_single_element(),
    "the experimental only element": lambda tf, D: tf.data.experimental.get_single_element(D.range(1)),
    "structure": lambda tf, D: tf.data.experimental.get_structure(D.range(2).enumerate()),
    "apply": lambda tf, D: D.range(5).apply(lambda d: d.take(2)),
    "apply what gives none": lambda tf, D: D.range(5).apply(lambda d: 5),
    "assert a cardinality": lambda tf, D: D.range(5).filter(lambda x: x < 3).apply(
        tf.data.experimental.assert_cardinality(3)
    ),
    "assert too many": lambda tf, D: D.range(5).apply(tf.data.experimental.assert_cardinality(7)),
    "assert too few": lambda tf, D: D.range(5).apply(tf.data.experimental.assert_cardinality(2)),
    "an option": lambda tf, D: _with_options(tf, D).options().deterministic,
    "elements with options": lambda tf, D: _with_options(tf, D),
    "the end of an iterator": lambda tf, D: outcome(lambda: [next(it) for it in [iter(D.range(1))] for _ in range(2)]),
    "the end by get_next": lambda tf, D: outcome(
        lambda: [it.get_next() for it in [iter(D.range(1))] for _ in range(2)]
    ),
    "optional elements": lambda tf, D: [
        bool(it.get_next_as_optional().has_value()) for it in [iter(D.range(1))] for _ in range(2)
    ],
}  # fmt: skip


def _with_options(tf: Any, D: Any) -> Any:
    options = tf.data.Options()
    options.deterministic = False
    return D.range(3).with_options(options)
