"""`tf.compat.v1.errors`: exceptions by their codes, and what they keep."""

import pickle
from collections.abc import Callable
from typing import Any

import pytest

import stratagem as tf

# What TensorFlow 2.15.1's exception_type_from_error_code gives for the codes from 1 on.
NAMES = [
    "CancelledError",
    "UnknownError",
    "InvalidArgumentError",
    "DeadlineExceededError",
    "NotFoundError",
    "AlreadyExistsError",
    "PermissionDeniedError",
    "ResourceExhaustedError",
    "FailedPreconditionError",
    "AbortedError",
    "OutOfRangeError",
    "UnimplementedError",
    "InternalError",
    "UnavailableError",
    "DataLossError",
    "UnauthenticatedError",
]

v1 = tf.compat.v1.errors


@pytest.mark.parametrize(("code", "name"), list(enumerate(NAMES, 1)))
def test_a_code_and_its_exception(code: int, name: str) -> None:
    kind = v1.exception_type_from_error_code(code)
    assert kind is getattr(tf.errors, name) is getattr(v1, name)
    assert v1.error_code_from_exception_type(kind) == code
    error = kind(None, None, "text", {b"a": b"b"})
    assert (error.error_code, error.message, error.op, error.node_def) == (code, "text", None, None)
    assert error.experimental_payloads == pickle.loads(pickle.dumps(error)).experimental_payloads == {b"a": b"b"}


E = tf.errors.NotFoundError
# Ways to make one, and its node_def, op, message, error_code and experimental_payloads, as in TensorFlow 2.15.1.
MADE = [
    (lambda: E(None, None, "m"), (None, None, "m", 5, {})),
    (lambda: E("n", None, "m", {b"a": b"b"}), ("n", None, "m", 5, {b"a": b"b"})),
    (lambda: E(node_def=None, op=None, message="m"), (None, None, "m", 5, {})),
    (lambda: E(None, None, message="m"), (None, None, "m", 5, {})),
    (lambda: E("n", op=None, message="m"), ("n", None, "m", 5, {})),
    (lambda: tf.errors.OpError(None, None, "m", 7), (None, None, "m", 7, {})),
    (lambda: tf.errors.OpError(None, None, "m", error_code=7), (None, None, "m", 7, {})),
    (lambda: tf.errors.OpError(None, None, "m", 7, {b"a": b"b"}), (None, None, "m", 7, {b"a": b"b"})),
    (lambda: E("m"), (None, None, "m", 5, {})),  # here only
    (lambda: E(message="m"), (None, None, "m", 5, {})),  # here only
]


@pytest.mark.parametrize(("make", "facts"), MADE)
def test_the_ways_to_make_one(make: Callable[[], tf.errors.OpError], facts: tuple[Any, ...]) -> None:
    error = make()
    assert (error.node_def, error.op, error.message, error.error_code, error.experimental_payloads) == facts
    assert str(error) == "m"


@pytest.mark.parametrize(("given", "named"), [((), {"text": "m"}), (("n", "o", "m"), {"message": "m"})])
def test_arguments_that_are_unknown_or_given_twice_are_told(given: Any, named: Any) -> None:
    with pytest.raises(TypeError, match="are unknown or given twice"):
        E(*given, **named)


@pytest.mark.parametrize("code", [0, 17, -1])
def test_what_is_no_code_is_a_key_error(code: int) -> None:
    with pytest.raises(KeyError):
        v1.exception_type_from_error_code(code)


@pytest.mark.parametrize("kind", [ValueError, tf.errors.OpError, 3])
def test_what_has_no_code_is_told(kind: type[Exception]) -> None:
    with pytest.raises(TypeError, match="has no code"):
        v1.error_code_from_exception_type(kind)


def test_a_status_says_what_to_do_instead() -> None:
    with pytest.raises(AttributeError, match="raise_exception_on_not_ok_status is not provided; use try"):
        _ = v1.raise_exception_on_not_ok_status
