"""Thing: something that computes, with its inputs; and the numbers that a way to run it is compared by."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

Array = np.ndarray[Any, Any]


@final
@dataclass(frozen=True)
class Made:
    """What a thing is, made with a library.

    function(*tensors) returns a tensor or a nest of them. variables: those whose gradients are compared, too.
    """

    function: Callable[..., Any]
    inputs: Sequence[Array] = ()
    variables: Sequence[Any] = ()


@final
@dataclass(frozen=True, eq=False)
class Thing:
    """A thing by name, unique in all tables.

    make(tf) makes it. within: the relative tolerance of values and first derivatives. differ: why ours differs from
    TensorFlow's, by reference (`modes.REFERENCES`); with "*" in all of them. without: modes that it cannot be run in, with
    the reason.
    """

    name: str
    make: Callable[[Any], Made]
    within: float = 2e-5
    differ: dict[str, str] = field(default_factory=dict)
    without: dict[str, str] = field(default_factory=dict)


def thing(name: str, function: Callable[..., Any], *inputs: Any, **options: Any) -> Thing:
    """A thing that is a function of the library `tf` and of tensors with these values."""

    def make(tf: Any) -> Made:
        return Made(lambda *tensors: function(tf, *tensors), [_array(x) for x in inputs])

    return Thing(name, make, **options)


def of_variables(name: str, function: Callable[..., Any], values: Sequence[Any], *inputs: Any, **options: Any) -> Thing:
    """A thing that is a function of `tf`, of a list of variables with these first values, and of tensors."""

    def make(tf: Any) -> Made:
        variables = [tf.Variable(_array(value)) for value in values]
        return Made(lambda *tensors: function(tf, variables, *tensors), [_array(x) for x in inputs], variables)

    return Thing(name, make, **options)


def drawn(*shape: int, seed: int = 0) -> Array:
    """Normal numbers, the same in every process."""
    return np.random.default_rng([seed, *shape]).normal(size=shape).astype(np.float32)


def _array(value: Any) -> Array:
    array = np.asarray(value)
    if array.dtype == np.float64 and not isinstance(value, np.ndarray):
        return array.astype(np.float32)
    return array.astype(np.int32) if array.dtype == np.int64 and not isinstance(value, np.ndarray) else array
