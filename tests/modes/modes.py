"""The modes of execution: ways to run a thing, and to differentiate it, each compared with one of TensorFlow's results."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.modes.thing import Made

Found = list[Any]  # of tensors, or None for what is not connected


def flat(tf: Any, nest: Any) -> list[Any]:
    """The tensors of a result."""
    return list(tf.nest.flatten(nest))


def is_floating(tf: Any, tensor: Any) -> bool:
    """Whether a tensor has gradients."""
    dtype = tf.as_dtype(tensor.dtype)
    return bool(dtype.is_floating or dtype.is_complex)


def weighed(tf: Any, tensors: list[Any]) -> Any:
    """A number in which every entry of the tensors has a weight of its own."""
    total = tf.constant(0.0)
    for tensor in tensors:
        if not is_floating(tf, tensor):
            continue
        real = tensor
        if tf.as_dtype(tensor.dtype).is_complex:
            real = tf.math.real(tensor) + 0.5 * tf.math.imag(tensor)
        numbers = tf.reshape(tf.cast(real, tf.float32), [-1])
        total += tf.reduce_sum(numbers * tf.cos(tf.range(tf.cast(tf.size(numbers), tf.float32)) + 1.0))
    return total


def _dense(tf: Any, gradients: Any) -> Found:
    return [None if g is None else tf.convert_to_tensor(g) for g in gradients]


# --- Ways to differentiate: each is a step (tf, made, *tensors) -> results --------------------------------------------


def _sources(tf: Any, made: Made, tensors: Any) -> list[Any]:
    return [*(t for t in tensors if is_floating(tf, t)), *made.variables]


def plain(tf: Any, made: Made, *tensors: Any, **options: Any) -> Found:
    """The results, and the gradients of their weighted sum by inputs and variables."""
    with tf.GradientTape() as tape:
        tape.watch([t for t in tensors if is_floating(tf, t)])
        results = flat(tf, made.function(*tensors))
        total = weighed(tf, results)
    return [*results, *_dense(tf, tape.gradient(total, _sources(tf, made, tensors), **options))]


def with_zeros(tf: Any, made: Made, *tensors: Any) -> Found:
    """The same with zeros for what is not connected."""
    return plain(tf, made, *tensors, unconnected_gradients=tf.UnconnectedGradients.ZERO)


def only_watched(tf: Any, made: Made, *tensors: Any) -> Found:
    """The same by a tape that watches what it is told to."""
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch([t for t in tensors if is_floating(tf, t)])
        tape.watch(list(made.variables))
        results = flat(tf, made.function(*tensors))
        total = weighed(tf, results)
    return [*results, *_dense(tf, tape.gradient(total, _sources(tf, made, tensors)))]


def persistent(tf: Any, made: Made, *tensors: Any) -> Found:
    """The same by a persistent tape, which is asked for other gradients before."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([t for t in tensors if is_floating(tf, t)])
        results = flat(tf, made.function(*tensors))
        total = weighed(tf, results)
        other = total * 2.0
    sources = _sources(tf, made, tensors)
    tape.gradient(other, sources)
    return [*results, *_dense(tf, tape.gradient(total, sources))]


def second(tf: Any, made: Made, *tensors: Any) -> Found:
    """The gradients of the squared first ones."""
    sources = _sources(tf, made, tensors)
    with tf.GradientTape() as outer:
        outer.watch(sources)
        with tf.GradientTape() as tape:
            tape.watch(sources)
            total = weighed(tf, flat(tf, made.function(*tensors)))
        squares = [tf.square(g) for g in _dense(tf, tape.gradient(total, sources)) if g is not None]
        again = weighed(tf, squares)
    return _dense(tf, outer.gradient(again, sources)) if squares else []


def forward(tf: Any, made: Made, *tensors: Any) -> Found:
    """The tangents of the results."""
    sources = _sources(tf, made, tensors)
    if not sources:
        return []
    directions = [
        tf.reshape(tf.cast(tf.cos(tf.range(tf.cast(tf.size(s), tf.float32))), s.dtype), s.shape) for s in sources
    ]
    with tf.autodiff.ForwardAccumulator(sources, directions) as accumulator:
        results = flat(tf, made.function(*tensors))
    return [accumulator.jvp(r) for r in results if is_floating(tf, r)]


def jacobian(tf: Any, made: Made, *tensors: Any) -> Found:
    """The Jacobian of the first entries of every result."""
    sources = _sources(tf, made, tensors)
    with tf.GradientTape() as tape:
        tape.watch(sources)
        results = [r for r in flat(tf, made.function(*tensors)) if is_floating(tf, r)]
        if not results:
            return []
        entries = tf.concat([tf.reshape(tf.cast(r, tf.float32), [-1])[:3] for r in results], 0)
    return _dense(tf, tape.jacobian(entries, sources, experimental_use_pfor=False))


# --- Modes ----------------------------------------------------------------------------------------------------------------

Step = Callable[..., Found]
Way = Callable[[Any, Made, Step], Found]


def _tensors(tf: Any, made: Made) -> list[Any]:
    return [tf.constant(x) for x in made.inputs]


def eagerly(tf: Any, made: Made, step: Step) -> Found:
    """Outside of functions."""
    return step(tf, made, *_tensors(tf, made))


def compiled(tf: Any, made: Made, step: Step) -> Found:
    """In one function."""
    return list(tf.function(lambda *tensors: step(tf, made, *tensors))(*_tensors(tf, made)))


def around_a_function(tf: Any, made: Made, step: Step) -> Found:
    """The tape outside, what it records in a function."""
    inner = Made(tf.function(made.function), made.inputs, made.variables)
    return step(tf, inner, *_tensors(tf, made))


def of_any_batch(tf: Any, made: Made, step: Step) -> Found:
    """In a function whose first dimensions are not known."""
    specs = [tf.TensorSpec([None, *x.shape[1:]] if x.ndim else [], tf.as_dtype(x.dtype)) for x in made.inputs]
    return list(tf.function(lambda *tensors: step(tf, made, *tensors), input_signature=specs)(*_tensors(tf, made)))


def as_python(tf: Any, made: Made, step: Step) -> Found:
    """In a function that runs as Python."""
    with _run_eagerly(tf):
        return compiled(tf, made, step)


def in_a_replica(tf: Any, made: Made, step: Step) -> Found:
    """In a step of two replicas, of which one's results are returned."""
    strategy = tf.distribute.get_strategy()
    return _of_one(tf, strategy, strategy.run(lambda *tensors: step(tf, made, *tensors), args=_tensors(tf, made)))


def in_a_function_of_replicas(tf: Any, made: Made, step: Step) -> Found:
    """In a function that calls such a step."""
    strategy = tf.distribute.get_strategy()
    function = tf.function(lambda *tensors: strategy.run(lambda *own: step(tf, made, *own), args=tensors))
    return _of_one(tf, strategy, function(*_tensors(tf, made)))


def in_a_replica_as_python(tf: Any, made: Made, step: Step) -> Found:
    """In a step that runs as Python."""
    with _run_eagerly(tf):
        return in_a_replica(tf, made, step)


@contextlib.contextmanager
def _run_eagerly(tf: Any) -> Iterator[None]:
    tf.config.run_functions_eagerly(True)
    try:
        yield
    finally:
        tf.config.run_functions_eagerly(False)


def _of_one(tf: Any, strategy: Any, results: Any) -> Found:
    return [None if r is None else strategy.experimental_local_results(r)[0] for r in results]


# By name: the reference that it is compared with, how it runs and how it differentiates; those of replicas need a scope.
MODES: dict[str, tuple[str, Way, Step]] = {
    "eager": ("plain", eagerly, plain),
    "function": ("plain", compiled, plain),
    "tape around a function": ("plain", around_a_function, plain),
    "any batch": ("plain", of_any_batch, plain),
    "functions as Python": ("plain", as_python, plain),
    "watched variables": ("plain", eagerly, only_watched),
    "persistent": ("plain", eagerly, persistent),
    "persistent, in a function": ("plain", compiled, persistent),
    "unconnected zeros": ("zeros", eagerly, with_zeros),
    "unconnected zeros, in a function": ("zeros", compiled, with_zeros),
    "replica": ("plain", in_a_replica, plain),
    "function of replicas": ("plain", in_a_function_of_replicas, plain),
    "replica as Python": ("plain", in_a_replica_as_python, plain),
    "second": ("second", eagerly, second),
    "second, in a function": ("second", compiled, second),
    "forward": ("forward", eagerly, forward),
    "forward, in a function": ("forward", compiled, forward),
    "Jacobian": ("jacobian", eagerly, jacobian),
    "Jacobian, in a function": ("jacobian", compiled, jacobian),
}
TRACED_REPLICAS = ("replica", "function of replicas")
OF_REPLICAS = (*TRACED_REPLICAS, "replica as Python")
REFERENCES: dict[str, Step] = {
    "plain": plain,
    "zeros": with_zeros,
    "second": second,
    "forward": forward,
    "jacobian": jacobian,
}


def run(tf: Any, make: Callable[[Any], Made], mode: str) -> Found:
    """The results of a thing in a mode."""
    _, way, step = MODES[mode]
    if mode not in OF_REPLICAS:
        return way(tf, make(tf), step)
    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        return way(tf, make(tf), step)


def numbers(found: Any) -> np.ndarray[Any, Any] | None:
    """A result as an array; None for what is not connected."""
    if found is None:
        return None
    return np.asarray(found.to_tensor() if hasattr(found, "to_tensor") else found)
