"""The names of the files that match patterns, as tensors."""

import os
from typing import Any

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._core.step import host_function
from stratagem._data.elements._nest import Array, to_numpy
from stratagem._data.files._host_tensor import numbers
from stratagem._data.stages._file_names import found_files, names_in


@exported("io.matching_files", v1=["matching_files", "io.matching_files"])
@host_function
def matching_files(pattern: Any, name: str | None = None) -> Array:
    """The names of the files that match one pattern or a vector of them, sorted; empty if there are none.

    Raises:
        ValueError: there is no pattern, but None.
        TypeError: the patterns are not strings.
        InvalidArgumentError: they have more than one dimension.
    """
    if pattern is None:
        raise ValueError("tf.io.matching_files takes a pattern or a vector of them, got None.")
    patterns = names_in(pattern, "pattern")
    if not isinstance(pattern, os.PathLike) and to_numpy(pattern).ndim > 1:
        raise InvalidArgumentError(f"Input patterns must be a scalar or a vector, got {pattern!r:.100}.")
    found = found_files(patterns)
    names = np.empty(len(found), object)
    names[:] = [os.fsencode(file) for file in found]
    return numbers(names)


@exported("io.match_filenames_once")
def match_filenames_once(pattern: Any, name: str | None = None) -> Array:
    """`matching_files`. TensorFlow keeps the names in a variable of strings; here they are a tensor."""
    return matching_files(pattern)
