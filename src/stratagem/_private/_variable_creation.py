"""Making variables of Keras: who may give one that exists already instead, and how names are counted."""

import collections
import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import keras
from keras.src.backend.common import global_state

from stratagem._private._variables import KerasVariable


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
            init(self, *args, **kwargs)

    KerasVariable.__new__, KerasVariable.__init__ = staticmethod(finding), init_once


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
