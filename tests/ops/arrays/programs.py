"""Programs with a `tf.TensorArray`, of a float32 tensor [3, 2], and how they run."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.drawn.running import flat, written

X = np.arange(1.0, 7.0, dtype=np.float32).reshape(3, 2)
Program = Callable[[Any, Any], Any]


def _new(tf: Any, size: Any = 3, **options: Any) -> Any:
    return tf.TensorArray(tf.float32, size=size, **options)


def _filled(tf: Any, x: Any, **options: Any) -> Any:
    array = _new(tf, **options)
    for i in range(3):
        array = array.write(i, x[i])
    return array


def _loop(tf: Any, x: Any, **options: Any) -> Any:
    """The products of every row and the one before."""

    def step(i: Any, array: Any) -> Any:
        return i + 1, array.write(i, x[i] * x[tf.maximum(i - 1, 0)])

    return tf.while_loop(lambda i, _: i < 3, step, [tf.constant(0), _new(tf, **options)])[1]


def _reads(array: Any, count: int) -> list[Any]:
    return [array.read(i) for i in range(count)]


WRITES: dict[str, Program] = {
    "write": lambda tf, x: _filled(tf, x).stack(),
    "write twice": lambda tf, x: _filled(tf, x).write(0, x[1]).stack(),
    "write some": lambda tf, x: _new(tf).write(1, x[0]).stack(),
    "read what is not written": lambda tf, x: _new(tf).write(1, x[0]).read(0),
    "write past the end": lambda tf, x: _filled(tf, x).write(3, x[0]).stack(),
    "write before the start": lambda tf, x: _filled(tf, x).write(-1, x[0]).stack(),
    "write past the end of a dynamic one": lambda tf, x: _filled(tf, x, dynamic_size=True).write(4, x[0]).stack(),
    "the size then": lambda tf, x: _filled(tf, x, dynamic_size=True).write(4, x[0]).size(),
    "write to an empty dynamic one": lambda tf, x: _new(tf, 0, dynamic_size=True).write(0, x).write(1, x * 2).stack(),
    "write another shape": lambda tf, x: _new(tf).write(0, x[0]).write(1, x).stack(),
    "write another shape on purpose": lambda tf, x: _reads(
        _new(tf, 2, infer_shape=False).write(0, x[0]).write(1, x), 2
    ),
    "stack several shapes": lambda tf, x: _new(tf, 2, infer_shape=False).write(0, x[0]).write(1, x).stack(),
    "write what is not the shape": lambda tf, x: _new(tf, element_shape=[3]).write(0, x[0]).stack(),
    "write a part of a shape": lambda tf, x: _new(tf, 2, element_shape=[None]).write(0, x[0]).write(1, x[1]).stack(),
    "write an integer": lambda tf, x: _new(tf, 1).write(0, 1).stack(),
    "write a float64 array": lambda tf, x: _new(tf, 1).write(0, np.array([1.5, 2.5])).stack(),
    "write a tensor of another type": lambda tf, x: _new(tf, 1).write(0, tf.constant(1)).stack(),
    "write a fraction to integers": lambda tf, x: tf.TensorArray(tf.int32, size=1).write(0, 1.5).stack(),
    "64 bits": lambda tf, x: [
        tf.TensorArray(tf.int64, size=1).write(0, 2**40).stack(), tf.TensorArray(tf.float64, size=1).write(0, 0.1).stack()
    ],
    "booleans": lambda tf, x: tf.TensorArray(tf.bool, size=2).write(0, True).write(1, False).stack(),
    "a tensor as index": lambda tf, x: _new(tf).write(tf.constant(1), x[0]).read(tf.constant(1)),
    "a NumPy index": lambda tf, x: _new(tf).write(np.int32(2), x[0]).read(np.int32(2)),
    "a float as index": lambda tf, x: _new(tf).write(1.0, x[0]).stack(),
    "all arguments by name": lambda tf, x: tf.TensorArray(
        dtype=tf.float32, size=1, name="n", tensor_array_name="m", colocate_with_first_write_call=False
    ).write(index=0, value=x, name="w").stack(name="s"),
    "a variable": lambda tf, x: _new(tf, 1).write(0, x + 0).stack(),
}  # fmt: skip

READS: dict[str, Program] = {
    "read": lambda tf, x: _filled(tf, x).read(1),
    "read twice": lambda tf, x: _reads(_filled(tf, x, clear_after_read=False), 2) * 2,
    "stack twice": lambda tf, x: (lambda array: [array.stack(), array.stack()])(_filled(tf, x)),
    "read past the end": lambda tf, x: _filled(tf, x).read(3),
    "read before the start": lambda tf, x: _filled(tf, x).read(-1),
    "stack nothing": lambda tf, x: _new(tf, 0, element_shape=[2]).stack(),
    "stack what is not written": lambda tf, x: _new(tf, 2).stack(),
    "stack what is not written, of a known shape": lambda tf, x: _new(tf, 2, element_shape=[2]).stack(),
    "gather": lambda tf, x: _filled(tf, x).gather([2, 0]),
    "gather one twice": lambda tf, x: _filled(tf, x).gather([1, 1]),
    "gather past the end": lambda tf, x: _filled(tf, x).gather([3]),
    "gather what is not written": lambda tf, x: _new(tf, element_shape=[2]).write(0, x[0]).gather([0, 1]),
    "concat": lambda tf, x: _filled(tf, x).concat(),
    "concat scalars": lambda tf, x: _new(tf, 1).write(0, x[0, 0]).concat(),
    "concat several lengths": lambda tf, x: _new(tf, 2, infer_shape=False).write(0, x).write(1, x[:1]).concat(),
    "concat several lengths of a shape": lambda tf, x: _new(tf, 2, infer_shape=False, element_shape=[None, 2])
    .write(0, x).write(1, x[:1]).concat(),
    "identity": lambda tf, x: _filled(tf, x).identity().stack(),
}  # fmt: skip

ROWS: dict[str, Program] = {
    "unstack": lambda tf, x: _new(tf).unstack(x).read(2),
    "unstack an array": lambda tf, x: _new(tf).unstack(np.float64([1, 2, 3])).stack(),
    "unstack more": lambda tf, x: _new(tf, 2).unstack(x).stack(),
    "unstack into a dynamic one": lambda tf, x: _new(tf, 0, dynamic_size=True).unstack(x).stack(),
    "unstack a scalar": lambda tf, x: _new(tf, 1).unstack(x[0, 0]).stack(),
    "scatter": lambda tf, x: _new(tf).scatter([2, 0, 1], x).stack(),
    "scatter some": lambda tf, x: _new(tf).scatter([2, 0], x[:2]).stack(),
    "scatter past the end": lambda tf, x: _new(tf, 2).scatter([2], x[:1]).stack(),
    "split": lambda tf, x: _reads(_new(tf, infer_shape=False).split(x, [1, 0, 2]), 3),
    "split equally": lambda tf, x: _new(tf).split(x, [1, 1, 1]).stack(),
    "split and concat": lambda tf, x: _new(tf, 2, infer_shape=False).split(x, [1, 2]).concat(),
    "split to another sum": lambda tf, x: _new(tf, 2, infer_shape=False).split(x, [1, 1]).concat(),
    "split a scalar": lambda tf, x: _new(tf, 1).split(x[0, 0], [1]).stack(),
    "split into more": lambda tf, x: _new(tf, 1, infer_shape=False).split(x, [1, 2]).concat(),
    "split into a dynamic one": lambda tf, x: (
        _new(tf, 0, dynamic_size=True, infer_shape=False).split(x, [1, 2]).concat()
    ),
}

LOOPS: dict[str, Program] = {
    "a loop": lambda tf, x: _loop(tf, x).stack(),
    "a loop, gathered": lambda tf, x: _loop(tf, x, element_shape=[2]).gather([2, 0]),
    "a loop, concatenated": lambda tf, x: _loop(tf, x, element_shape=[2]).concat(),
    "a loop over an unstacked one": lambda tf, x: (lambda rows: tf.while_loop(
        lambda i, _: i < 3, lambda i, s: (i + 1, s * rows.read(i)), [tf.constant(0), tf.ones([2])]
    )[1])(_new(tf).unstack(x)),
    "a fold of squares": lambda tf, x: tf.reduce_sum(_loop(tf, x * x).stack(), axis=0),
}  # fmt: skip

FACTS: dict[str, Program] = {
    "size": lambda tf, x: _filled(tf, x).size(),
    "no size": lambda tf, x: tf.TensorArray(tf.float32).size(),
    "no size of a dynamic one": lambda tf, x: tf.TensorArray(tf.float32, dynamic_size=True).size(),
    "a NumPy size": lambda tf, x: _new(tf, np.int32(2)).size(),
    "a float as size": lambda tf, x: _new(tf, 1.5).size(),
    "grad": lambda tf, x: _new(tf).grad("source"),
}  # fmt: skip

# Eagerly only: strings do not enter compiled steps, and what is known of shapes is no tensor.
EAGER: dict[str, Program] = {
    "strings": lambda tf, x: tf.TensorArray(tf.string, size=2).write(0, "a").write(1, b"b").stack(),
    "strings that are not written": lambda tf, x: tf.TensorArray(tf.string, size=2, element_shape=[]).write(0, "a").stack(),
    "strings, none of them written": lambda tf, x: tf.TensorArray(tf.string, size=2, element_shape=[]).stack(),
    "strings, gathered": lambda tf, x: tf.TensorArray(tf.string, size=2).unstack(["a", "b"]).gather([1, 0]),
    "strings, concatenated": lambda tf, x: tf.TensorArray(tf.string, size=2).unstack([["a"], ["b"]]).concat(),
    "dynamic or not": lambda tf, x: tf.constant([_new(tf).dynamic_size, _new(tf, dynamic_size=True).dynamic_size]),
    "handle and flow": lambda tf, x: [tf.constant(_new(tf).handle is None), _new(tf).flow],
    "element shapes": lambda tf, x: tf.constant([str(array.element_shape) for array in (
        _new(tf), _new(tf, element_shape=[2, None]), _filled(tf, x), _filled(tf, x, infer_shape=False)
    )]),
}  # fmt: skip
PROGRAMS: dict[str, Program] = {**WRITES, **READS, **ROWS, **LOOPS, **FACTS}

MODES = ("eager", "compiled")


def answer(tf: Any, program: Program, mode: str) -> Any:
    """What a program gives, with the gradient of the sum of its results of floating point; or the kind of its error."""

    def run(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            result = program(tf, x)
            total = sum(tf.reduce_sum(part) for part in flat(result) if part.dtype == tf.float32)
        return [result, tape.gradient(total, x) if tf.is_tensor(total) else None]

    try:
        result, gradient = (run if mode == "eager" else tf.function(run))(tf.constant(X))
        return written([result, gradient])
    except Exception as error:
        return {"error": type(error).__name__}
