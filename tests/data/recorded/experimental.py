"""Programs about functions of `tf.data.experimental` that are not in other tables, and about options."""

from typing import Any

import numpy as np

from .answers import Program, items, outcome

ZERO = np.int64(0)


def _reduced(tf: Any, D: Any, first: Any, step: Any, last: Any = lambda s: s, dataset: Any = None) -> Any:
    reducer = tf.data.experimental.Reducer(first, step, last)
    dataset = D.range(6) if dataset is None else dataset
    return dataset.apply(tf.data.experimental.group_by_reducer(lambda *x: x[0] % 2, reducer))


def _by_key(tf: Any, dataset: Any, key: Any) -> Any:
    count = tf.data.experimental.Reducer(
        lambda k: (k, ZERO), lambda s, x: (s[0], s[1] + 1), lambda k, n: {"k": k, "n": n}
    )
    return dataset.apply(tf.data.experimental.group_by_reducer(key, count))


REDUCED: dict[str, Program] = {
    "sums": lambda tf, D: _reduced(tf, D, lambda k: ZERO, lambda s, x: s + x),
    "in the order of keys": lambda tf, D: _by_key(
        tf, D.from_tensor_slices(np.array([5, -1, 5, 3, 1], np.int64)), lambda x: x
    ),
    "tuples": lambda tf, D: _reduced(
        tf, D, lambda k: ZERO, lambda s, e: s + e[0] * e[1], dataset=D.range(6).enumerate(1)
    ),
    "a state that grows": lambda tf, D: _reduced(
        tf, D, lambda k: np.zeros(0, np.int64), lambda s, x: tf.concat([s, [x]], 0)
    ),
    "nothing": lambda tf, D: _reduced(tf, D, lambda k: ZERO, lambda s, x: s + x, dataset=D.range(0)),
    "the first state has the key": lambda tf, D: _reduced(tf, D, lambda k: k * 100, lambda s, x: s + x),
    "the result is of another type": lambda tf, D: _reduced(
        tf, D, lambda k: ZERO, lambda s, x: s + x, lambda s: (tf.cast(s, tf.float32) / 2, s)
    ),
    "a state that becomes a float": lambda tf, D: _reduced(
        tf, D, lambda k: ZERO, lambda s, x: tf.cast(x, tf.float32)
    ),
    "a state that becomes a pair": lambda tf, D: _reduced(tf, D, lambda k: ZERO, lambda s, x: (s, s)),
    "a key that is int32": lambda tf, D: _by_key(tf, D.range(3), lambda x: tf.constant(0)),
    "a key that is a row": lambda tf, D: _by_key(tf, D.range(3), lambda x: tf.stack([x])),
    "a reducer that is none": lambda tf, D: D.range(3).apply(
        tf.data.experimental.group_by_reducer(lambda x: x % 2, 5)
    ),
}  # fmt: skip


def _at(tf: Any, dataset: Any, index: Any) -> Any:
    return outcome(lambda: tf.data.experimental.at(dataset, index))


ELEMENTS: dict[str, Program] = {
    "the first and the last": lambda tf, D: [_at(tf, D.range(5), i) for i in (0, 4)],
    "outside": lambda tf, D: [_at(tf, D.range(5), i) for i in (5, -1, 99)],
    "of nothing": lambda tf, D: _at(tf, D.range(0), 0),
    "by no integer": lambda tf, D: [_at(tf, D.range(5), i) for i in (1.5, "a")],
    "mapped": lambda tf, D: _at(tf, D.range(5).map(lambda x: x * 2), 3),
    "of batches": lambda tf, D: _at(tf, D.range(5).batch(2), 2),
    "a tuple": lambda tf, D: _at(tf, D.range(5).enumerate(1), 2),
    "taken and skipped": lambda tf, D: _at(tf, D.range(9).skip(3).take(4), 2),
    "of what has no known length": lambda tf, D: _at(tf, D.range(5).filter(lambda x: x > 1), 1),
    "of what never ends": lambda tf, D: _at(tf, D.range(5).repeat(), 7),
}

_PAIRS = {"a": [1, 2], "b": [[1.0, 2.0], [3.0, 4.0]]}


def _padded(tf: Any, dataset: Any, count: int, **options: Any) -> Any:
    return dataset.apply(tf.data.experimental.pad_to_cardinality(count, **options))


FILLED: dict[str, Program] = {
    "rows": lambda tf, D: _padded(tf, D.from_tensor_slices(_PAIRS), 4),
    "under another key": lambda tf, D: _padded(tf, D.from_tensor_slices({"a": ["x"]}), 3, mask_key="m"),
    "a nest": lambda tf, D: _padded(tf, D.from_tensor_slices({"a": ([1, 2], {"c": [3, 4]})}), 3),
    "to as many": lambda tf, D: _padded(tf, D.from_tensor_slices(_PAIRS), 2),
    "to fewer": lambda tf, D: _padded(tf, D.from_tensor_slices(_PAIRS), 1),
    "nothing": lambda tf, D: _padded(tf, D.from_tensor_slices({"a": np.zeros((0, 2), np.int32)}), 2),
    "a key that is there": lambda tf, D: _padded(tf, D.from_tensor_slices({"valid": [1, 2]}), 3),
    "tuples": lambda tf, D: _padded(tf, D.from_tensor_slices(([1, 2],)), 4),
    "scalars": lambda tf, D: _padded(tf, D.range(3), 4),
    "of unknown length": lambda tf, D: _padded(tf, D.from_tensor_slices(_PAIRS).filter(lambda x: x["a"] > 1), 4),
    "without end": lambda tf, D: _padded(tf, D.from_tensor_slices(_PAIRS).repeat(), 4),
    "batches": lambda tf, D: _padded(tf, D.from_tensor_slices(_PAIRS).batch(2), 4),
}

_HALVES = [0.5, 0.5]


def _share(tf: Any, D: Any, initial: Any) -> Any:
    """The share of a class that is a tenth of the input and half of the output, in twentieths."""
    dataset = (
        D.range(20000)
        .map(lambda x: x % 10)
        .rejection_resample(lambda x: tf.cast(x > 0, tf.int32), _HALVES, initial, seed=3)
    )
    classes = [int(found) for found, _ in dataset.take(3000).as_numpy_iterator()]
    return [len(classes), round(20 * float(np.mean(classes)))]


RESAMPLED: dict[str, Program] = {
    "to what it is": lambda tf, D: D.range(6).rejection_resample(lambda x: x % 2, _HALVES, _HALVES),
    "to what it is, in float64": lambda tf, D: D.range(6).rejection_resample(
        lambda x: x % 2, np.array(_HALVES), np.array(_HALVES)
    ),
    "to one class": lambda tf, D: D.range(6).rejection_resample(
        lambda x: tf.cast(x % 2, tf.int32), [0.0, 1.0], _HALVES
    ),
    "to one class, by counting": lambda tf, D: D.range(20).rejection_resample(lambda x: x % 2, [0.0, 1.0]),
    "tuples": lambda tf, D: D.range(6).enumerate(1).rejection_resample(lambda i, x: x % 2, [0.0, 1.0], _HALVES),
    "dicts": lambda tf, D: D.from_tensor_slices({"a": [0, 1, 0, 1]}).rejection_resample(
        lambda d: d["a"], [0.0, 1.0], _HALVES
    ),
    "by a class that is a float": lambda tf, D: D.range(6).rejection_resample(lambda x: 1.5, [0.0, 1.0], _HALVES),
    "by a class that is a row": lambda tf, D: D.range(6).rejection_resample(
        lambda x: tf.stack([x % 2]), [0.0, 1.0], _HALVES
    ),
    "the experimental one": lambda tf, D: D.range(4).apply(
        tf.data.experimental.rejection_resample(lambda x: x % 2, _HALVES, _HALVES)
    ),
    "to halves": lambda tf, D: _share(tf, D, [0.1, 0.9]),
    "to halves, by counting": lambda tf, D: _share(tf, D, None),
}  # fmt: skip


def _changed(tf: Any, *names: str) -> Any:
    options = tf.data.Options()
    for name in names:
        setattr(options, name, True)
    return options


def _set(thing: Any, name: str, value: Any) -> Any:
    return outcome(lambda: setattr(thing, name, value))


def _all(settings: Any) -> dict[str, Any]:
    """The settings that are no settings themselves, by name."""
    found = {name: getattr(settings, name) for name in dir(settings) if not name.startswith("_")}
    return {name: repr(v) for name, v in found.items() if v is None or isinstance(v, bool | int)}


_KINDS = ("AutotuneOptions", "DistributeOptions", "OptimizationOptions", "ThreadingOptions")

OPTIONS: dict[str, Program] = {
    "names": lambda tf, D: [n for n in dir(tf.data.Options()) if not n.startswith("_")],
    "defaults": lambda tf, D: _all(tf.data.Options()),
    "defaults of the parts": lambda tf, D: [_all(getattr(tf.data.experimental, kind)()) for kind in _KINDS],
    "values": lambda tf, D: [
        {m.name: m.value for m in getattr(tf.data.experimental, kind)}
        for kind in ("AutotuneAlgorithm", "ExternalStatePolicy", "AutoShardPolicy")
    ],
    "earlier names": lambda tf, D: [
        (lambda o: [o.deterministic, o.experimental_deterministic])(_changed(tf, "experimental_deterministic")),
        (lambda o: [setattr(o.experimental_threading, "private_threadpool_size", 3), o.threading.private_threadpool_size])(
            tf.data.Options()
        ),
    ],
    "merged": lambda tf, D: _all(
        _changed(tf, "experimental_slack", "deterministic").merge(_changed(tf, "experimental_warm_start"))
    ),
    "merged parts": lambda tf, D: (lambda a, b: [
        setattr(a.autotune, "ram_budget", 5), setattr(b.autotune, "enabled", False),
        setattr(b.experimental_optimization, "map_fusion", True), _all(a.merge(b).autotune),
        a.merge(b).experimental_optimization.map_fusion,
    ])(tf.data.Options(), tf.data.Options()),
    "merged with a number": lambda tf, D: outcome(lambda: tf.data.Options().merge(5)),
    "equal": lambda tf, D: [
        tf.data.Options() == tf.data.Options(), tf.data.Options() != _changed(tf, "experimental_slack"),
        _changed(tf, "deterministic") == _changed(tf, "experimental_deterministic"),
    ],
    "hashed": lambda tf, D: outcome(lambda: hash(tf.data.Options())),
    "unknown names": lambda tf, D: _set(tf.data.Options(), "foo", 1),
    "values of other types": lambda tf, D: [
        _set(tf.data.Options(), name, 1.5) for name in dir(tf.data.Options()) if not name.startswith(("_", "merge"))
    ],
    "what a dataset has": lambda tf, D: (lambda o: [
        _all(o), _set(o, "deterministic", False), _set(o.autotune, "enabled", True),
    ])(D.range(3).with_options(_changed(tf, "deterministic", "experimental_slack")).options()),
}  # fmt: skip

DEVICES: dict[str, Program] = {
    "prefetch": lambda tf, D: items(D.range(3).apply(tf.data.experimental.prefetch_to_device("/cpu:0"))),
    "prefetch two": lambda tf, D: items(D.range(3).apply(tf.data.experimental.prefetch_to_device("/cpu:0", 2))),
    "copy": lambda tf, D: items(D.range(3).apply(tf.data.experimental.copy_to_device("/cpu:0")).batch(2)),
    "random": lambda tf, D: [
        int(tf.data.experimental.RandomDataset(seed=1).cardinality()),
        tf.data.experimental.RandomDataset(seed=1).element_spec,
        len({int(n) for n in tf.data.experimental.RandomDataset(3).take(9).as_numpy_iterator()}),
    ],
    "specs of iterators": lambda tf, D: [
        repr(tf.data.IteratorSpec(tf.TensorSpec((), tf.int64))),
        tf.data.IteratorSpec(tf.TensorSpec((), tf.int64)).is_compatible_with(iter(D.range(3))),
        tf.data.IteratorSpec(tf.TensorSpec((), tf.int32)).is_compatible_with(iter(D.range(3))),
        repr(tf.data.IteratorSpec.from_value(iter(D.range(3)))),
    ],
    "specs of optional elements": lambda tf, D: [
        iter(D.range(1)).get_next_as_optional().element_spec, iter(D.range(0)).get_next_as_optional().element_spec,
        tf.data.experimental.Optional.empty(tf.TensorSpec((), tf.int32)).element_spec,
        tf.data.experimental.Optional.from_value(np.float64(2)).element_spec,
    ],
    "optional values": lambda tf, D: [
        tf.data.experimental.Optional.from_value((1, 2.5, "a")).get_value(name="n"),
        bool(tf.data.experimental.Optional.from_value(np.zeros(2)).has_value(name="n")),
        tf.data.experimental.Optional.from_value({"a": [1, 2]}).get_value(),
        outcome(lambda: tf.data.experimental.Optional.empty(tf.TensorSpec((), tf.int32)).get_value()),
        outcome(lambda: tf.data.experimental.Optional.empty()),
    ],
    "specs of datasets": lambda tf, D: [
        tf.data.DatasetSpec(tf.TensorSpec((), tf.int64)).is_compatible_with(D.range(3)),
        tf.data.DatasetSpec.from_value(D.range(3).batch(2)),
    ],
}  # fmt: skip
