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

_MANY = 1 << 24  # elements, from which on the memory is asked for
_VERY_MANY = 1 << 28  # from which on a model's file is: models may have metrics and constants that are not in it
# Of this thread, which builds one model at a time; below the context.
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
def variables_up_to(count_values: Callable[[], int], path: str) -> Iterator[None]:
    """In the body, which reads the model in the file `path`, very large variables are no larger than the values in the file.

    A configuration can ask for any number of them, and they are allocated before the values of the file are read.
    count_values: returns how many values there are. Raises DataLossError for a larger one, before anything is allocated.
    """
    before = getattr(_limits, "of_file", None)
    _limits.of_file = (count_values, path)
    try:
        yield
    finally:
        _limits.of_file = before


def _check_size(initializer: Any = None, shape: Any = None, dtype: Any = None, *args: Any, **kwargs: Any) -> None:
    """Raises for a variable of a shape that is very large, and larger than the file that is read or the memory of a CPU."""
    sizes = (shape,) if isinstance(shape, int) else shape
    if not isinstance(sizes, tuple | list) or not all(isinstance(size, int) for size in sizes):
        return
    count = math.prod(sizes)
    if count > _VERY_MANY and (of_file := getattr(_limits, "of_file", None)) is not None:
        count_values, path = of_file
        if count > (most := count_values()):
            raise DataLossError(
                f"{path!r} is damaged: its configuration asks for a variable of the shape {list(sizes)}, and the file has "
                f"{most} values in all. Nothing was allocated. safe_mode=False allows it."
            )
    if count > _MANY and jax.default_backend() == "cpu":
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
