"""Every place of a program at which a variable may be read or assigned, as programs for TensorFlow and for this library."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

AGGREGATIONS = ("SUM", "MEAN", "ONLY_FIRST_REPLICA")
SYNCHRONIZATIONS = ("ON_READ", "ON_WRITE")
DTYPES = (
    *("float32", "float64", "float16", "bfloat16", "complex64", "complex128"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"),
)
Operation = Callable[[Any, Any, Any], Any]
Place = Callable[[Any, Any, Any, Callable[[], Any]], Any]


def _assigned(tf: Any, strategy: Any, v: Any) -> Any:
    v.assign(6.0)
    return tf.identity(v)


def _added(tf: Any, strategy: Any, v: Any) -> Any:
    v.assign_add(5.0)
    return tf.identity(v)


OPERATIONS: dict[str, Operation] = {
    "read_value": lambda tf, strategy, v: v.read_value(),
    "identity": lambda tf, strategy, v: tf.identity(v),
    "arithmetic": lambda tf, strategy, v: v + 0.0,
    "reduce sum": lambda tf, strategy, v: strategy.reduce("SUM", v, axis=None),
    "reduce mean": lambda tf, strategy, v: strategy.reduce("MEAN", v, axis=None),
    "local results": lambda tf, strategy, v: tf.stack([tf.identity(x) for x in strategy.experimental_local_results(v)]),
    "assign": _assigned,
    "assign_add": _added,
}


def _replica(tf: Any) -> Any:
    return tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)


def _stepped(tf: Any, strategy: Any, v: Any) -> None:
    strategy.run(lambda: (v.assign(v + 10.0 * _replica(tf) + 1.0), 0)[1])


def _before(tf: Any, strategy: Any, v: Any, operation: Callable[[], Any]) -> Any:
    def program() -> Any:
        result = operation()
        _stepped(tf, strategy, v)
        return result

    return tf.function(program)()


def _between(tf: Any, strategy: Any, v: Any, operation: Callable[[], Any]) -> Any:
    def program() -> Any:
        _stepped(tf, strategy, v)
        result = operation()
        _stepped(tf, strategy, v)
        return result

    return tf.function(program)()


def _after(tf: Any, strategy: Any, v: Any, operation: Callable[[], Any]) -> Any:
    def program() -> Any:
        _stepped(tf, strategy, v)
        return operation(), v.read_value()

    return tf.function(program)()


def _in_branch(tf: Any, strategy: Any, v: Any, operation: Callable[[], Any]) -> Any:
    def program() -> Any:
        _stepped(tf, strategy, v)
        result = tf.cond(v > 0.0, operation, lambda: operation() * 0.0)
        return result, v.read_value()

    return tf.function(program)()


def _twice_in_branch(tf: Any, strategy: Any, v: Any, operation: Callable[[], Any]) -> Any:
    """What a branch has assigned is read and assigned there once more."""

    def branch() -> Any:
        v.assign(v * 2.0)
        first = operation()
        return tf.stack([tf.reduce_sum(first), tf.reduce_sum(operation())])

    def program() -> Any:
        _stepped(tf, strategy, v)
        return tf.cond(v > 0.0, branch, lambda: tf.zeros(2)), v.read_value()

    return tf.function(program)()


def _in_loop(tf: Any, strategy: Any, v: Any, operation: Callable[[], Any]) -> Any:
    def body(i: Any, total: Any) -> Any:
        return i + 1, total + tf.reduce_sum(operation())

    def program() -> Any:
        _stepped(tf, strategy, v)
        start = (tf.constant(0), tf.constant(0.0))
        return tf.while_loop(lambda i, total: i < 3, body, start)[1], v.read_value()

    return tf.function(program)()


def _runs_in_branch(tf: Any, strategy: Any, v: Any, operation: Callable[[], Any]) -> Any:
    """Replicas run in a branch of cross-replica code, so what they assign is aggregated there."""

    def branch() -> Any:
        _stepped(tf, strategy, v)
        result = operation()
        _stepped(tf, strategy, v)
        return result

    def program() -> Any:
        return tf.cond(v > 0.0, branch, lambda: operation() * 0.0), v.read_value()

    return tf.function(program)()


def _runs_in_loop(tf: Any, strategy: Any, v: Any, operation: Callable[[], Any]) -> Any:
    def body(i: Any, total: Any) -> Any:
        _stepped(tf, strategy, v)
        return i + 1, total + tf.reduce_sum(operation())

    def program() -> Any:
        start = (tf.constant(0), tf.constant(0.0))
        return tf.while_loop(lambda i, total: i < 3, body, start)[1], v.read_value()

    return tf.function(program)()


def _adding_runs_in_loop(tf: Any, strategy: Any, v: Any, operation: Callable[[], Any]) -> Any:
    def add() -> Any:
        v.assign_add(10.0 * _replica(tf) + 1.0)
        return 0

    def body(i: Any) -> Any:
        strategy.run(add)
        return (i + 1,)

    def program() -> Any:
        tf.while_loop(lambda i: i < 3, body, (tf.constant(0),))
        return operation(), v.read_value()

    return tf.function(program)()


def _in_python_loop(tf: Any, strategy: Any, v: Any, operation: Callable[[], Any]) -> Any:
    def program() -> Any:
        results = []
        for _ in range(3):
            _stepped(tf, strategy, v)
            results.append(operation())
        return results

    return tf.function(program)()


def _in_scope(tf: Any, strategy: Any, v: Any, operation: Callable[[], Any]) -> Any:
    def program() -> Any:
        _stepped(tf, strategy, v)
        return operation()

    with strategy.scope():
        return tf.function(program)()


def _alone(tf: Any, strategy: Any, v: Any, operation: Callable[[], Any]) -> Any:
    """In a compiled function without replicas."""
    _stepped(tf, strategy, v)
    return tf.function(operation)(), v.read_value()


def _outside(tf: Any, strategy: Any, v: Any, operation: Callable[[], Any]) -> Any:
    _stepped(tf, strategy, v)
    return operation(), v.read_value()


PLACES: dict[str, Place] = {
    "before a run": _before,
    "between runs": _between,
    "after a run": _after,
    "in a branch": _in_branch,
    "twice in a branch": _twice_in_branch,
    "in a loop": _in_loop,
    "after runs in a branch": _runs_in_branch,
    "after runs in a loop": _runs_in_loop,
    "after additions in a loop": _adding_runs_in_loop,
    "in a Python loop": _in_python_loop,
    "in a function within the scope": _in_scope,
    "in a function without runs": _alone,
    "outside": _outside,
}


def _variable(tf: Any, strategy: Any, value: Any, synchronization: str, aggregation: str, dtype: str) -> Any:
    with strategy.scope():
        return tf.Variable(
            value,
            dtype=dtype,
            synchronization=getattr(tf.VariableSynchronization, synchronization),
            aggregation=getattr(tf.VariableAggregation, aggregation),
        )


def _plain(tf: Any, result: Any) -> Any:
    """Numbers with the name of their type; `None` for "raises"."""
    if isinstance(result, list | tuple):
        return [_plain(tf, r) for r in result]
    array = result.numpy()
    return [array.dtype.name, np.asarray(array, np.complex128).real.tolist()]


def _answer(tf: Any, compute: Callable[[], Any]) -> Any:
    try:
        return _plain(tf, compute())
    except (ValueError, TypeError, AssertionError, tf.errors.InvalidArgumentError):
        return "raises"


def _at(tf: Any, strategy: Any, place: str, operation: str, synchronization: str, aggregation: str) -> Any:
    v = _variable(tf, strategy, 1.0, synchronization, aggregation, "float32")

    def compute() -> Any:
        return PLACES[place](tf, strategy, v, lambda: OPERATIONS[operation](tf, strategy, v))

    answer = _answer(tf, compute)
    return answer if answer == "raises" else [answer, _plain(tf, strategy.experimental_local_results(v))]


def _of_type(tf: Any, strategy: Any, dtype: str, synchronization: str, aggregation: str) -> Any:
    """A variable of this type that every replica assigns, read by replicas, by cross-replica code and outside."""

    def step() -> Any:
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        v.assign(tf.cast(replica + 1, tf.int32) > 1 if dtype == "bool" else tf.cast(replica + 2, dtype))
        return tf.identity(v)

    def program() -> Any:
        return strategy.experimental_local_results(strategy.run(step)), v.read_value()

    try:
        v = _variable(tf, strategy, dtype == "bool" or 1, synchronization, aggregation, dtype)
    except ValueError:
        return "raises"
    return _answer(tf, lambda: (tf.function(program)(), v.read_value(), strategy.experimental_local_results(v)))


def cases(tf: Any, strategy: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """A name and the program's answer, for every case."""
    for synchronization in SYNCHRONIZATIONS:
        for aggregation in AGGREGATIONS:
            kind = f"{synchronization} {aggregation}"
            for place in PLACES:
                for operation in OPERATIONS:
                    if synchronization == "ON_WRITE" and operation.startswith("reduce"):
                        continue  # the sum of copies is an assertion of TensorFlow's, and has no meaning
                    given = (place, operation, synchronization, aggregation)
                    yield f"{kind}, {operation} {place}", lambda given=given: _at(tf, strategy, *given)
            for dtype in DTYPES:
                if aggregation == "MEAN" and dtype.startswith("complex"):
                    continue  # TensorFlow refuses it; here complex numbers have a mean as well
                of = (dtype, synchronization, aggregation)
                yield f"{kind}, {dtype}", lambda of=of: _of_type(tf, strategy, *of)
