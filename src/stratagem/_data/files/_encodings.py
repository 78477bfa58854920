"""Encodings of strings: base64, compressed data, Examples as JSON."""

import base64
import functools
import json
import re
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from google.protobuf import json_format

from stratagem._base.errors import DataLossError, InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._core.step import entrywise, host_function
from stratagem._data.elements._nest import Array
from stratagem._data.files._bytes import WINDOW_BITS
from stratagem._data.files._host_tensor import numbers, text
from stratagem._data.files._messages import Example

_NO_BASE64 = re.compile(rb"[^A-Za-z0-9_-]")


def _each(function: Callable[[bytes], bytes], strings: Any, what: str) -> Array:
    """The results of a function of every string, in the strings' shape."""
    array = text(strings, what)
    result = np.empty(array.size, object)
    result[:] = [function(data) for data in array.ravel().tolist()]
    return numbers(result.reshape(array.shape))


@exported("io.encode_base64", v1=["encode_base64", "io.encode_base64"])
@host_function
@entrywise
def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Array:
    """Strings in base64 with `-` and `_`, as in web addresses, of the same shape. pad: fill up with `=` to groups of four."""

    def encoded(data: bytes) -> bytes:
        found = base64.urlsafe_b64encode(data)
        return found if pad else found.rstrip(b"=")

    return _each(encoded, input, "tf.io.encode_base64")


@exported("io.decode_base64", v1=["decode_base64", "io.decode_base64"])
@host_function
@entrywise
def decode_base64(input: Any, name: str | None = None) -> Array:
    """The strings that `encode_base64` has encoded, with and without padding.

    Raises:
        InvalidArgumentError: a string is not in base64.
    """

    def decoded(data: bytes) -> bytes:
        padding = re.search(rb"={0,2}$", data)
        bare = data[: padding.start()] if padding and len(data) % 4 == 0 else data
        wrong = _NO_BASE64.search(bare)
        if wrong is not None:
            raise InvalidArgumentError(
                f"Invalid character found in base64: {wrong[0]!r} at {wrong.start()} of {data!r:.100}."
            )
        if len(bare) % 4 == 1:
            raise InvalidArgumentError(f"Base64 string length cannot be 1 modulo 4, got {len(bare)}: {data!r:.100}.")
        return base64.urlsafe_b64decode(bare + b"=" * (-len(bare) % 4))

    return _each(decoded, input, "tf.io.decode_base64")


@exported("io.decode_compressed", v1=["decode_compressed", "io.decode_compressed"])
@host_function
def decode_compressed(bytes: Any, compression_type: str = "", name: str | None = None) -> Array:
    """Strings, decompressed, of the same shape. compression_type: "", "ZLIB" or "GZIP". What is cut off gives what is there.

    Raises:
        InvalidArgumentError: another compression_type.
        DataLossError: a string was not compressed in this way.
    """
    if compression_type not in ("", *WINDOW_BITS):
        raise InvalidArgumentError(f'Only "", "ZLIB" and "GZIP" are supported compressions, got {compression_type!r}.')

    if not compression_type:
        return _each(_unchanged, bytes, "tf.io.decode_compressed")
    return _each(functools.partial(_decompressed, compression_type), bytes, "tf.io.decode_compressed")


def _unchanged(data: bytes) -> bytes:
    return data


def _decompressed(compression_type: str, data: bytes) -> bytes:
    parts, left = [], data
    while left:
        reader = zlib.decompressobj(WINDOW_BITS[compression_type])
        try:
            parts.append(reader.decompress(left))
        except zlib.error as error:
            raise DataLossError(f"tf.io.decode_compressed: no {compression_type} data: {error}") from error
        left = reader.unused_data if compression_type == "GZIP" else b""  # gzip may have several members
    return b"".join(parts)


@exported("io.decode_json_example", v1=["decode_json_example", "io.decode_json_example"])
@host_function
def decode_json_example(json_examples: Any, name: str | None = None) -> Array:
    """Examples in protobuf's JSON as serialized ones, of the same shape.

    Raises:
        InvalidArgumentError: a string is no JSON, or no Example.
    """

    def serialized(data: bytes) -> bytes:
        try:
            parsed = json.loads(data)
            if not isinstance(parsed, dict):
                raise ValueError(f"an Example is an object, found {data!r:.100}.")
            found: bytes = json_format.ParseDict(parsed, Example()).SerializeToString(deterministic=True)
        except (json_format.ParseError, ValueError, RecursionError) as error:
            raise InvalidArgumentError(f"Error while parsing JSON: {error}") from error
        return found

    return _each(serialized, json_examples, "tf.io.decode_json_example")
