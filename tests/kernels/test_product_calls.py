"""Calls of matrix products that lead out of their operands are errors, and no signal."""

import random
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

# Private: only the library's own call can be described wrongly.
from stratagem._kernels import _library, has_kernels

pytestmark = pytest.mark.skipif(not has_kernels(), reason="there is no library of kernels here")

# (2, 3, 4) times (2, 4, 5): for each axis its size, and the elements from one to the next in x, y and the result.
RIGHT = {"batch": [2, 12, 20, 15], "rows": [3, 4, 0, 5], "columns": [5, 0, 1, 1], "shared": [4, 1, 5, 0]}


def product(attributes: dict[str, Any], dtype: str = "float32") -> jax.Array:
    x, y = jnp.arange(24, dtype=dtype).reshape(2, 3, 4), jnp.arange(40, dtype=dtype).reshape(2, 4, 5)
    call = jax.ffi.ffi_call(_library.PRODUCT, jax.ShapeDtypeStruct((2, 3, 5), dtype))
    return jax.block_until_ready(call(x, y, **{k: np.asarray(v, np.int64) for k, v in attributes.items()}))


def test_the_right_call_is_the_product() -> None:
    x, y = np.arange(24.0).reshape(2, 3, 4), np.arange(40.0).reshape(2, 4, 5)
    np.testing.assert_array_equal(product(RIGHT), x @ y)


@pytest.mark.parametrize(
    ("name", "axis", "message"),
    [
        ("batch", [3, 12, 20, 15], "lead out of"),
        ("batch", [2, 13, 20, 15], "lead out of"),
        ("rows", [4, 4, 0, 5], "lead out of"),
        ("rows", [3, 1 << 39, 0, 5], "lead out of"),
        ("columns", [5, 0, 2, 1], "lead out of|neighbours"),
        ("columns", [5, 0, 1, 0], "neighbours"),
        ("shared", [5, 1, 5, 0], "lead out of"),
        ("shared", [4, 1, 5, 1], "does not have|lead out of"),
        ("rows", [0, 4, 0, 5], "sizes must be positive"),
        ("rows", [-3, 4, 0, 5], "must not be negative"),
        ("rows", [3, -4, 0, 5], "must not be negative"),
        ("rows", [1 << 60, 4, 0, 5], "must not be negative|lead out"),
        ("rows", [3, 4, 0], "a size and three strides"),
        ("batch", [2, 12, 20], "a size and three strides"),
        ("batch", [1, 0, 0, 0] * 9, "a size and three strides"),
    ],
)
def test_a_wrong_call_is_an_error_of_that_call(name: str, axis: list[int], message: str) -> None:
    with pytest.raises(jax.errors.JaxRuntimeError, match=message):
        product(RIGHT | {name: axis})


@pytest.mark.parametrize("dtype", ["float16", "int32"])
def test_other_dtypes_are_errors(dtype: str) -> None:
    with pytest.raises(jax.errors.JaxRuntimeError, match="must be float32"):
        product(RIGHT, dtype)


def test_a_hundred_drawn_calls_end_in_a_result_or_an_error() -> None:
    numbers = random.Random(0)
    errors = []
    for _ in range(100):
        drawn = {name: list(axis) for name, axis in RIGHT.items()}
        for _ in range(numbers.randint(1, 3)):
            row = drawn[numbers.choice(list(drawn))]
            row[numbers.randrange(4)] = numbers.choice([0, 1, 2, 3, 4, 5, 7, 12, 20, 60, -1, 1 << 31, 1 << 45])
        try:
            product(drawn)
        except jax.errors.JaxRuntimeError as error:
            errors.append(str(error))
    assert len(errors) > 50
    assert all("product: " in error for error in errors)
