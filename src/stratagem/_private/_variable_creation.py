"""Making variables of Keras: who may give one that exists already instead, and how names are counted."""

import collections
import contextlib
import functools
import math
import threading
from collections.abc import Callable, Iterator
from typing import Any

import jax
import keras
import numpy as np
from keras.src.backend.common import global_state

from stratagem._base.errors import DataLossError
from stratagem._base.memory import available_memory, refuse_more_than
from stratagem._private._variables import KerasVariable

_ALWAYS_ALLOWED = 1 << 26  # elements: a layer may have constants that its file does not have
_limits = threading.local()


def intercept_creation(
    find: Callable[[type, tuple[keras.Variable, ...], dict[str, keras.Variable]], keras.Variable],
) -> None:
    """Ask find(class, args, kwargs) before a variable is made: what it returns takes the new one's place, unless it is None."""
    new, init = KerasVariable.__new__, KerasVariable.__init__

    def finding(cls: type, *args: Any, **kwargs: Any) -> Any:
        found = find(cls, args, kwargs) if args or kwargs else None  # no arguments: a copy is being made
        return new(cls, *args, **kwargs) if found is None else found

    @functools.wraps(init)
    def init_once(self: Any, *args: Any, **kwargs: Any) -> None:
        if "_creation_number" not in vars(self):  # Python calls it for what `finding` returned, too
            _check_size(*args, **kwargs)
            init(self, *args, **kwargs)

    KerasVariable.__new__, KerasVariable.__init__ = staticmethod(finding), init_once


@contextlib.contextmanager
def variables_up_to(most: int, path: str) -> Iterator[None]:
    """In the body, which reads the model in the file `path`, variables may have so many elements.

    A configuration can ask for any number of them, and they are allocated before the values of the file are read. Raises
    DataLossError for a larger one, before anything is allocated.
    """
    before = getattr(_limits, "of_file", None)
    _limits.of_file = (most, path)
    try:
        yield
    finally:
        _limits.of_file = before


def _check_size(initializer: Any = None, shape: Any = None, dtype: Any = None, *args: Any, **kwargs: Any) -> None:
    """Raises for the variable of a shape that is larger than the file which is read, or than the memory of a CPU."""
    sizes = (shape,) if isinstance(shape, int) else shape
    if not isinstance(sizes, tuple | list) or not all(isinstance(size, int) for size in sizes):
        return
    count = math.prod(sizes)
    most, path = getattr(_limits, "of_file", None) or (count, "")
    if count > max(most, _ALWAYS_ALLOWED):
        raise DataLossError(
            f"{path!r} is damaged: its configuration asks for a variable of the shape {list(sizes)}, and the values in the "
            f"file are at most {most}. Nothing was allocated."
        )
    if count > _ALWAYS_ALLOWED and jax.default_backend() == "cpu":
        bytes_needed = count * np.dtype(keras.backend.standardize_dtype(dtype)).itemsize
        refuse_more_than(available_memory(), bytes_needed, f"A variable of the shape {list(sizes)}")


def fresh_names() -> contextlib.AbstractContextManager[None]:
    """In the body Keras counts from the start: the first dense layer is `dense`, the next `dense_1`."""
    return named_by(collections.defaultdict(int))


@contextlib.contextmanager
def named_by(counts: dict[str, int]) -> Iterator[None]:
    """In the body Keras goes on counting with these: how many layers there are of each name. A `defaultdict`."""
    before = global_state.get_global_attribute("object_name_uids")
    global_state.set_global_attribute("object_name_uids", counts)
    try:
        yield
    finally:
        global_state.set_global_attribute("object_name_uids", before)
