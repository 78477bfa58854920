"""Arrays in place of those that a worker in another process has, as steps of the coordinator pass them on."""

from typing import Any

import numpy as np

from stratagem._ops import StringTensor


class StandIn(np.ndarray):
    """An array in place of one whose numbers count only at a worker; shape and dtype are right.

    reference: names the worker's. iterator: of whose next element it is a leaf; None if the worker computes it.
    """

    reference: Any
    iterator: Any = None


def stand_in_for(like: Any, reference: Any, iterator: Any = None) -> np.ndarray:
    """Returns the stand-in for an array like this one: a StandIn or, of strings, a StringTensor with its attributes."""
    array = np.asarray(like)
    made = array.view(StringTensor if array.dtype == object else StandIn)
    vars(made).update(reference=reference, iterator=iterator)
    return made


def reference_of(value: Any) -> Any:
    """Returns what names a stand-in's array at the worker; None for any other value."""
    return vars(value).get("reference") if isinstance(value, StandIn | StringTensor) else None


def iterator_of(value: Any) -> Any:
    """Returns the iterator of whose next element a stand-in is a leaf; None for any other value."""
    return vars(value).get("iterator") if isinstance(value, StandIn | StringTensor) else None
