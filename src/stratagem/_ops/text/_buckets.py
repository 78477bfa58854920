"""Strings as numbers of buckets, and fingerprints of tensors, by hashes with TensorFlow's numbers."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._core.step import entrywise, pure_host_function
from stratagem._ops._convert import Tensor, on_device, static_int
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.text._hash_functions import Words, fingerprint64, hashed, murmur64, siphash
from stratagem._ops.text._host_strings import numbers_of, strings_of
from stratagem._ops.text._known_fingerprints import buckets_of_strings, fingerprints_of


def _bucket(name: str, input: Any, num_buckets: Any, buckets: Callable[[list[bytes], int], np.ndarray]) -> Tensor:
    count = static_int(num_buckets, "a tensor is the number of buckets")
    if count < 1:
        raise InvalidArgumentError(f"tf.strings.{name} takes one bucket or more, got {count}.")
    array = strings_of(input)
    return on_device(buckets(array.ravel().tolist(), count).reshape(array.shape))


def _buckets_by(function: Callable[[np.ndarray], Words]) -> Callable[[list[bytes], int], np.ndarray]:
    return lambda texts, count: (hashed(texts, function) % np.uint64(count)).astype(np.int64)


@exported("strings.to_hash_bucket", v1=())
@pure_host_function
@entrywise
def to_hash_bucket(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """Returns a bucket for each string, by its MurmurHash64A, int64. Raises InvalidArgumentError for no buckets."""
    return _bucket("to_hash_bucket", input, num_buckets, _buckets_by(murmur64))


@exported("strings.to_hash_bucket_fast", v1=["string_to_hash_bucket_fast", "strings.to_hash_bucket_fast"])
@pure_host_function
@entrywise
def to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """Returns a bucket for each string, by its FarmHash, int64. Raises InvalidArgumentError for no buckets."""
    return _bucket("to_hash_bucket_fast", input, num_buckets, buckets_of_strings)


@exported("strings.to_hash_bucket_strong", v1=["string_to_hash_bucket_strong", "strings.to_hash_bucket_strong"])
@pure_host_function
@entrywise
def to_hash_bucket_strong(input: Any, num_buckets: int, key: Any, name: str | None = None) -> Tensor:
    """Returns a bucket for each string, by its SipHash-2-4 with a key of two numbers, int64.

    Who does not know the key finds no strings that share a bucket. Raises InvalidArgumentError for no buckets, or another key.
    """
    numbers = [int(part) for part in key]
    if len(numbers) != 2:
        raise InvalidArgumentError(f"tf.strings.to_hash_bucket_strong takes a key of two numbers, got {len(numbers)}.")
    secret = (numbers[0] % 2**64, numbers[1] % 2**64)
    return _bucket("to_hash_bucket_strong", input, num_buckets, _buckets_by(functools.partial(siphash, key=secret)))


@exported("fingerprint")
@pure_host_function
def fingerprint(data: Any, method: str = "farmhash64", name: str | None = None) -> Tensor:
    """Returns FarmHash's fingerprint of each row, 8 bytes, the least first: uint8, (rows, 8).

    A row of several strings has the fingerprint of their fingerprints. Raises InvalidArgumentError for a scalar, and for
    another method than farmhash64.
    """
    array = numbers_of("fingerprint", data)
    if not array.ndim or _text(method) != "farmhash64":
        raise InvalidArgumentError(
            f"tf.fingerprint takes rows and the method farmhash64, got shape {list(array.shape)} and {method!r}."
        )
    if array.dtype == object:
        parts = fingerprints_of(array.ravel().tolist()).astype("<u8")
        if array.ndim == 1:
            return on_device(parts.view(np.uint8).reshape(len(array), 8))
        array = parts.reshape(array.shape)
    size = int(np.prod(array.shape[1:], dtype=int)) * array.dtype.itemsize
    rows = np.ascontiguousarray(array).reshape(-1).view(np.uint8).reshape(len(array), size)
    return on_device(fingerprint64(rows).astype("<u8").view(np.uint8).reshape(len(array), 8))


def _text(method: str | bytes) -> str:
    return method.decode() if isinstance(method, bytes) else method


accept_symbols(globals(), "strings.")
