"""The scripts, as Latin or Greek, to which characters belong, by ICU's numbers as TensorFlow 2.15.1 has them."""

import functools
import importlib.resources
from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, is_tensor, is_traced, on_device, tensor
from stratagem._ops._symbolic import accept_symbols

_FILE = "scripts.txt"  # see scripts/record_unicode_scripts.py
_CODE_POINTS = 0x110000
_INVALID = -1


@exported("strings.unicode_script")
def unicode_script(input: Any, name: str | None = None) -> Tensor:
    """Returns the number of the script of each code point, int32, of its shape; -1 for what is no code point.

    input: int32, also in compiled steps. Raises InvalidArgumentError for a tensor of another dtype.
    """
    array = tensor(input) if is_tensor(input) else tensor(input, np.int32)
    if array.dtype != np.int32:
        raise InvalidArgumentError(f"tf.strings.unicode_script takes int32 tensors, got {array.dtype}. Use tf.cast.")
    starts, scripts = _table()
    if is_traced(array):
        return _looked_up(jnp, array, starts, scripts)
    return on_device(_looked_up(np, np.asarray(array), starts, scripts))


def _looked_up(numpy: Any, array: Any, starts: np.ndarray, scripts: np.ndarray) -> Any:
    place = numpy.searchsorted(numpy.asarray(starts), array, side="right") - 1
    known = (array >= 0) & (array < _CODE_POINTS)
    return numpy.where(known, numpy.asarray(scripts)[numpy.maximum(place, 0)], np.int32(_INVALID))


@functools.cache
def _table() -> tuple[np.ndarray, np.ndarray]:
    """The first code point of each range, and its script."""
    lines = importlib.resources.files(__package__).joinpath(_FILE).read_text(encoding="ascii").splitlines()
    rows = [line.split() for line in lines]
    return np.array([int(start, 16) for start, _ in rows], np.int32), np.array([s for _, s in rows], np.int32)


accept_symbols(globals(), "strings.")
