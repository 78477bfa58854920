"""Operations: functions at kinks, drawn calls of every function with gradients, complex numbers, ties and duplicates."""

import functools
import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.core.step import kinks
from tests.modes.layers import SECOND_OF_MOMENTS
from tests.modes.losses import SECOND_BY_LABELS
from tests.modes.modes import TRACED_REPLICAS
from tests.modes.thing import Made, Thing, drawn, thing
from tests.ops.drawn import tables
from tests.ops.drawn.draws import Draw, Function
from tests.ops.drawn.running import arrays_of, flat, named, with_tensors

NAN, INFINITY = float("nan"), float("inf")

_ORDERS = {"first": ("plain", "zeros"), "second": ("second",), "forward": ("forward",)}
_AGREED = [("log where positive", "second")]  # in float32, with other weights
# By function and reference: why the results differ from TensorFlow's, beyond the reasons in `kinks.DIFFERENT`.
_DIFFERENT = {
    "binary_crossentropy": {"plain": kinks.KERAS_3, "zeros": kinks.KERAS_3},
    "power 0, an operator": dict.fromkeys(("plain", "zeros", "second", "forward"), kinks.WITHOUT_POWER),
    "power 1, an operator": {"second": kinks.WITHOUT_POWER},
    "power of a constant": {
        "forward": "TensorFlow's tangent of a power of 0 takes the logarithm of 0; its gradient does not, nor do ours"
    },
    "xdivy": {"second": kinks.AFTER_POLES},
}
WITHOUT_PARAMETERS = "parameters, which have no first derivative, have no mixed second one"
TANGENT_OF_IDENTITY = "the tangent of an identity matrix is 0, and rounding noise in both libraries"
_DRAWN_DIFFERENT = {
    "linalg: linalg.qr": {"forward": TANGENT_OF_IDENTITY},
    "linalg: linalg.svd": {"forward": TANGENT_OF_IDENTITY},
    "nn: nn.moments": {"second": SECOND_OF_MOMENTS},
    "nn: nn.weighted_moments": {"second": SECOND_OF_MOMENTS},
    "nn: nn.softmax_cross_entropy_with_logits": {"second": SECOND_BY_LABELS},
    "special: math.special.bessel_i1": {"second": "TensorFlow's second derivative overflows near 0"},
    "special: math.betainc": {"second": WITHOUT_PARAMETERS},
    "special: math.zeta": {"second": WITHOUT_PARAMETERS},
    "arithmetic: operator.mod": {"second": "the second derivative by the dividend is zeros, not None"},
    "parts: math.unsorted_segment_prod": {"second": "TensorFlow divides the product by factors that are 0"},
    "reductions: math.segment_mean": {"forward": "TensorFlow's tangent of a segment without rows divides by 0"},
}
# A traced replica refuses these with an error.
_SHAPED_BY_VALUES = (
    *("ragged: RaggedTensor.__getitem__", "ragged: add", "ragged: concat", "ragged: gather"),
    *(f"reductions: math.segment_{name}" for name in ("sum", "max", "min", "mean")),
    *(f"ragged_rows: {name}" for name in ("nn.softmax", "cumsum", "matmul")),
    *("sparse: sparse.reorder", "sparse: sparse.retain", "sparse: sparse.segment_mean"),
)


def at_kinks() -> Iterator[Thing]:
    """The functions at points where their derivatives jump, are infinite or depend on ties."""
    for name, (function, points) in kinks.KINKS.items():
        differ = dict(_DIFFERENT.get(name, {}))
        for order, references in _ORDERS.items():
            if (name, order) in kinks.DIFFERENT and (name, order) not in _AGREED:
                differ |= dict.fromkeys(references, kinks.DIFFERENT[name, order])
        yield thing(f"kink: {name}", function, *points, differ=differ)


def of_drawn_calls() -> Iterator[Thing]:
    """One call of each function with gradients: the first drawn one that has numbers of float32, all finite."""
    seen: set[str] = set()
    for module in sorted(m.name for m in pkgutil.iter_modules(tables.__path__)):
        for function in importlib.import_module(f"{tables.__name__}.{module}").FUNCTIONS:
            if not function.gradients or f"{module}: {function.name}" in seen:
                continue
            number = next(filter(functools.partial(_is_simple, function), range(function.count)), None)
            if number is not None:
                name = f"{module}: {function.name}"
                seen.add(name)
                without = (
                    dict.fromkeys(TRACED_REPLICAS, "the shape depends on values") if name in _SHAPED_BY_VALUES else {}
                )
                differ = _DRAWN_DIFFERENT.get(name, {})
                make = functools.partial(_made, function, number)
                yield Thing(name, make, within=1e-4, differ=differ, without=without)


def _is_simple(function: Function, number: int) -> bool:
    args, kwargs = function.call(Draw(function.name, number))
    arrays = list(arrays_of(list(args)))
    floats = [a for a in arrays if a.dtype.kind == "f"]
    finite = all(np.isfinite(a).all() and (np.abs(a) < 1e6).all() for a in floats)
    return (
        bool(floats)
        and finite
        and all(a.size for a in arrays)
        and all(a.dtype == np.float32 for a in floats)
        and kwargs.get("dtype", "float32") == "float32"
        and number not in function.differ
    )


def _made(function: Function, number: int, tf: Any) -> Made:
    args, kwargs = function.call(Draw(function.name, number))
    kwargs = {key: tf.as_dtype(v) if key == "dtype" and isinstance(v, str) else v for key, v in kwargs.items()}
    called = functools.partial(function.called, tf) if function.called else named(tf, function.name)

    def run(*tensors: Any) -> Any:
        result = called(*with_tensors(tf, args, iter(tensors)), **kwargs)
        return flat(function.compared(tf, result, *tensors) if function.compared else result)

    return Made(run, list(arrays_of(list(args))))


_Z = np.array([1 + 2j, 0.5 - 1j, -1.5 + 0.25j], np.complex64)
_W = np.array([0.5 + 0.5j, 2 - 1j, 1 + 1j], np.complex64)
_M = (drawn(3, 3) + 1j * drawn(3, 3, seed=1)).astype(np.complex64)
_OF_ONE = (
    *("abs", "exp", "sin", "cos", "tan", "sinh", "cosh", "tanh", "sqrt", "square", "negative", "reciprocal", "log"),
    *("angle", "real", "imag", "conj", "sigmoid"),
)


def of_complex_numbers() -> Iterator[Thing]:
    """Functions of complex tensors, whose gradients are the conjugates of JAX's."""
    for name in _OF_ONE:
        yield thing(f"complex {name}", lambda tf, z, name=name: getattr(tf.math, name)(z), _Z)
    for name in ["add", "subtract", "multiply", "divide", "pow"]:
        yield thing(f"complex {name}", lambda tf, z, w, name=name: getattr(tf.math, name)(z, w), _Z, _W)
    for name in ["fft", "ifft", "fft2d"]:
        inputs = _M if name == "fft2d" else _Z
        yield thing(f"complex {name}", lambda tf, z, name=name: getattr(tf.signal, name)(z), inputs)
    yield thing("complex rfft", lambda tf, x: tf.signal.rfft(x), drawn(6))
    yield thing("complex irfft", lambda tf, z: tf.signal.irfft(z, [4]), _Z)
    yield thing("complex stft", lambda tf, x: tf.abs(tf.signal.stft(x, 8, 4)), drawn(24))
    yield thing("complex of parts", lambda tf, x, y: tf.complex(x, y) * tf.complex(y, x), drawn(3), drawn(3, seed=1))
    yield thing("complex cast", lambda tf, x, z: tf.cast(x, tf.complex64) * z, drawn(3), _Z)
    yield thing("complex matmul", lambda tf, z: tf.matmul(z, z, adjoint_a=True), _M)
    yield thing("complex einsum", lambda tf, z, w: tf.einsum("ij,j->i", z, w), _M, _Z)
    yield thing("complex sum and mean", lambda tf, z: tf.reduce_sum(z) * tf.reduce_mean(z), _Z)
    yield thing(
        "complex product",
        lambda tf, z: tf.reduce_prod(z),
        _Z,
        differ={"second": "TensorFlow's second derivative lacks a conjugate; ours is that of differences"},
    )
    yield thing("complex squared magnitude", lambda tf, z: tf.math.real(z * tf.math.conj(z)), _Z)
    yield thing("complex norm", lambda tf, z: tf.norm(z), _Z)
    yield thing("complex inverse", lambda tf, z: tf.linalg.inv(z), _M, within=1e-3)
    yield thing(
        "complex determinant",
        lambda tf, z: tf.linalg.det(z),
        _M,
        within=1e-3,
        differ={"*": "TensorFlow's gradient has the determinant for its conjugate; ours is that of differences"},
    )
    yield thing("complex solve", lambda tf, z, w: tf.linalg.solve(z, w[:, None]), _M, _W, within=1e-3)
    yield thing("complex gather", lambda tf, z: tf.gather(z, [0, 2, 2]) * z, _Z)
    yield thing("complex where", lambda tf, z, w: tf.where(tf.abs(z) > 1.5, z, w), _Z, _W)
    yield thing(
        "complex while", lambda tf, z: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * z), [0, z])[1], _Z
    )
    yield thing("complex map", lambda tf, z: tf.map_fn(lambda a: a * a, z), _Z)
    yield thing("complex custom gradient", _with_custom_gradient, _Z)


def _with_custom_gradient(tf: Any, z: Any) -> Any:
    @tf.custom_gradient
    def tripled(x: Any) -> Any:
        return x * 3.0, lambda upstream: upstream * tf.constant(2 + 1j, tf.complex64)

    return tripled(z * z)


def of_ties() -> Iterator[Thing]:
    """NaNs among numbers, several updates of one place, equal channels, roots of zero."""
    rows = [[1.0, NAN, 3.0], [5.0, 2.0, NAN], [NAN, NAN, -INFINITY], [-INFINITY, NAN, NAN]]
    yield thing("argmax and argmin of NaN", lambda tf, x: [tf.argmax(x, 1), tf.argmin(x, 1), tf.argmax(x, 0), x], rows)
    yield thing(
        "two updates of one row",
        lambda tf, x, u: tf.tensor_scatter_nd_update(x, [[1], [1], [3]], u),
        drawn(5, 2),
        drawn(3, 2, seed=1),
    )
    yield thing(
        "two rows of one place",
        lambda tf, x, y: tf.dynamic_stitch([[0, 1], [1, 2]], [x, y]),
        drawn(2, 3),
        drawn(2, 3, seed=1),
    )
    pixels = [
        [[0.5, 0.5, 0.25], [0.25, 0.25, 0.25], [0.0, 0.0, 0.0], [0.25, 0.5, 0.5], [1.0, 0.0, 0.0], [0.5, 0.25, 0.5]]
    ]
    yield thing(
        "equal channels",
        lambda tf, x: tf.image.rgb_to_hsv(x),
        pixels,
        differ={"second": "the derivative jumps where channels are equal"},
    )
    yield thing("gather of rows twice", lambda tf, x: tf.gather(x, [0, 2, 2, 0]) ** 2, drawn(3, 2))
    yield thing("a row that is scattered twice", lambda tf, x: tf.scatter_nd([[1], [1]], x, [3, 2]) ** 2, drawn(2, 2))
    yield thing("a segment without rows", lambda tf, x: tf.math.unsorted_segment_mean(x, [0, 0, 2], 4), drawn(3, 2))
    yield thing(
        "softmax of masked entries", lambda tf, x: tf.nn.softmax(tf.where(x > 0, x, -INFINITY)), [1.0, -1.0, 2.0]
    )
    yield thing(
        "log where it is defined",
        lambda tf, x: tf.where(x > 0, tf.math.log(tf.where(x > 0, x, 1.0)), 0.0),
        [-1.0, 0.0, 2.0],
    )


def things() -> list[Thing]:
    """All operations."""
    return [*at_kinks(), *of_drawn_calls(), *of_complex_numbers(), *of_ties()]
