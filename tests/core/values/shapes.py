"""Shapes with unknown sizes and ranks, and everything that TensorFlow's TensorShape and DType answer about them."""

from collections.abc import Callable
from typing import Any

import numpy as np

SIZES: list[Any] = [None, [], [None], [3], [0], [2, 3], [2, None], [None, 3], [None, None], [1, 2, 3], [1, None, 3]]
SLICES = [
    slice(1),
    slice(1, None),
    slice(None),
    slice(-1, None),
    slice(0, 2),
    slice(1, 3),
    slice(0, -1),
    slice(None, None, 2),
]

# By name: a function of tf and a TensorShape.
OF_ONE: dict[str, Callable[[Any, Any], Any]] = {
    "str": lambda tf, s: str(s),
    "repr": lambda tf, s: repr(s),
    "as_list": lambda tf, s: s.as_list(),
    "rank": lambda tf, s: s.rank,
    "ndims": lambda tf, s: s.ndims,
    "len": lambda tf, s: len(s),
    "list": lambda tf, s: list(s),
    "dims": lambda tf, s: None if s.dims is None else [d.value for d in s.dims],
    "repr of dims": lambda tf, s: repr(s.dims),
    "num_elements": lambda tf, s: s.num_elements(),
    "is_fully_defined": lambda tf, s: s.is_fully_defined(),
    "assert_is_fully_defined": lambda tf, s: s.assert_is_fully_defined(),
    "first": lambda tf, s: s[0],
    "last": lambda tf, s: s[-1],
    "first dimension": lambda tf, s: tf.compat.v1.dimension_at_index(s, 0).value,
    "equals a list": lambda tf, s: s.rank is not None and s == s.as_list(),
    "equals a tuple": lambda tf, s: s.rank is not None and s == tuple(s.as_list()),
    "hash": lambda tf, s: s.rank is not None and hash(s) == hash(tuple(s.as_list())),
    "made again": lambda tf, s: tf.TensorShape(s) == s,
    **{f"slice {part}": lambda tf, s, part=part: s[part] for part in SLICES},
    **{f"with_rank {n}": lambda tf, s, n=n: s.with_rank(n) for n in (0, 1, 2)},
    **{f"with_rank_at_least {n}": lambda tf, s, n=n: s.with_rank_at_least(n) for n in (0, 1, 2)},
    **{f"with_rank_at_most {n}": lambda tf, s, n=n: s.with_rank_at_most(n) for n in (0, 1, 2)},
    **{f"assert_has_rank {n}": lambda tf, s, n=n: s.assert_has_rank(n) for n in (0, 1, 2)},
}

# By name: a function of tf and two TensorShapes.
OF_TWO: dict[str, Callable[[Any, Any, Any], Any]] = {
    "equal": lambda tf, a, b: a == b,
    "different": lambda tf, a, b: a != b,
    "concatenate": lambda tf, a, b: a.concatenate(b),
    "concatenate a list": lambda tf, a, b: a.concatenate(b.as_list()),
    "add": lambda tf, a, b: a + b,
    "add a list": lambda tf, a, b: a + b.as_list(),
    "add to a list": lambda tf, a, b: a.as_list() + b,
    "add a tuple": lambda tf, a, b: a + tuple(b.as_list()),
    "add to a tuple": lambda tf, a, b: tuple(a.as_list()) + b,
    "merge_with": lambda tf, a, b: a.merge_with(b),
    "merge_with a list": lambda tf, a, b: a.merge_with(b.as_list()),
    "is_compatible_with": lambda tf, a, b: a.is_compatible_with(b),
    "assert_is_compatible_with": lambda tf, a, b: a.assert_is_compatible_with(b),
    "is_subtype_of": lambda tf, a, b: a.is_subtype_of(b),
    "most_specific_common_supertype": lambda tf, a, b: a.most_specific_common_supertype([b]),
    "most_specific_compatible_shape": lambda tf, a, b: a.most_specific_compatible_shape(b),
    "assert_same_rank": lambda tf, a, b: a.assert_same_rank(b),
    "broadcast_static_shape": lambda tf, a, b: tf.broadcast_static_shape(a, b),
}

# What TensorShape is made of, also wrongly.
MADE: dict[str, Callable[[Any], Any]] = {
    "a number": lambda tf: tf.TensorShape(3),
    "a tuple": lambda tf: tf.TensorShape((2, None)),
    "a generator": lambda tf: tf.TensorShape(i for i in (2, 3)),
    "a NumPy array": lambda tf: tf.TensorShape(tf.constant([2, 3]).numpy()),
    "a tensor": lambda tf: tf.TensorShape(tf.constant([2, 3])),
    "a scalar tensor": lambda tf: tf.TensorShape(tf.constant(4)),
    "a tensor's shape": lambda tf: tf.TensorShape(tf.zeros([2, 3]).shape),
    "dimensions": lambda tf: tf.TensorShape(tf.TensorShape([2, None]).dims),
    "a negative size": lambda tf: tf.TensorShape([-1]),
    "a float": lambda tf: tf.TensorShape([2.5]),
    "text": lambda tf: tf.TensorShape(["a"]),
}

DTYPES = ["float16", "bfloat16", "float32", "float64", "complex64", "complex128", "bool", "string"]
DTYPES += [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
OF_DTYPE: dict[str, Callable[[Any, Any], Any]] = {
    **{
        name: lambda tf, t, name=name: getattr(t, name)
        for name in (
            *("name", "size", "is_floating", "is_integer", "is_unsigned", "is_complex", "is_bool", "is_numeric"),
            *("is_quantized", "is_numpy_compatible"),
        )
    },
    "min": lambda tf, t: float(t.min),
    "max": lambda tf, t: float(t.max),
    "limits": lambda tf, t: [float(limit) for limit in t.limits],
    "as_numpy_dtype": lambda tf, t: np.dtype(t.as_numpy_dtype).name,
    "base_dtype": lambda tf, t: t.base_dtype,
    "real_dtype": lambda tf, t: t.real_dtype,
    "repr": lambda tf, t: repr(t),
    "str": lambda tf, t: str(t),
    "by its name": lambda tf, t: tf.as_dtype(t.name) is t,
    "by NumPy's type": lambda tf, t: tf.as_dtype(t.as_numpy_dtype) is t,
    "equals its name": lambda tf, t: t == t.name,
    "equals NumPy's type": lambda tf, t: t == t.as_numpy_dtype,
    "compatible": lambda tf, t: [t.is_compatible_with(other) for other in ("float32", tf.int64)],
}


def answer(tf: Any, function: Callable[..., Any], *values: Any) -> Any:
    """What a function gives, in JSON: shapes and dtypes are marked as such, errors are their type."""
    try:
        given = function(tf, *values)
    except Exception as error:
        return {"error": type(error).__name__}
    if isinstance(given, tf.TensorShape):
        return {"shape": None if given.rank is None else given.as_list()}
    return {"dtype": given.name} if isinstance(given, tf.DType) else given


def answers(tf: Any) -> dict[str, Any]:
    """All answers, by the name of the function and what it was given."""
    shapes = {str(sizes): tf.TensorShape(sizes) for sizes in SIZES}
    found = {f"{n} of {a}": answer(tf, f, s) for n, f in OF_ONE.items() for a, s in shapes.items()}
    for name, function in OF_TWO.items():
        found |= {f"{name}: {a}, {b}": answer(tf, function, s, t) for a, s in shapes.items() for b, t in shapes.items()}
    found |= {f"TensorShape of {name}": answer(tf, function) for name, function in MADE.items()}
    kinds = {name: tf.as_dtype(name) for name in DTYPES}
    return found | {f"{n} of {kind}": answer(tf, f, t) for n, f in OF_DTYPE.items() for kind, t in kinds.items()}
