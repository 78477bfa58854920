"""Compares what a mode has found with TensorFlow's results."""

import functools
import gzip
import json
from typing import Any

import numpy as np

import stratagem as tf
from tests.modes import modes
from tests.modes.tables import RECORDED
from tests.modes.thing import Thing

SECOND = 10  # times the tolerance, for second derivatives


@functools.cache
def recorded() -> dict[str, Any]:
    """TensorFlow's results by name."""
    known: dict[str, Any] = json.loads(gzip.decompress(RECORDED.read_bytes()))
    return known


def difference(thing: Thing, mode: str) -> str | None:
    """In words how a thing in a mode differs from TensorFlow's results; None if it does not."""
    reference = modes.MODES[mode][0]
    if "*" in thing.without or mode in thing.without:
        return None
    wanted = recorded()[thing.name][reference]
    if isinstance(wanted, dict):  # where TensorFlow has none, all modes agree with the eager one
        wanted = _eager(thing, reference)
        if wanted is None:
            return None
    found = [modes.numbers(r) for r in modes.run(tf, thing.make, mode)]
    return compared(found, wanted, thing.within * (SECOND if reference == "second" else 1))


@functools.cache
def _eager(thing: Thing, reference: str) -> list[Any] | None:
    """The results of the eager mode in the form of recorded ones; None if the thing is refused here as well."""
    try:
        found = modes.eagerly(tf, thing.make(tf), modes.REFERENCES[reference])
    except (NotImplementedError, TypeError, ValueError, LookupError, tf.errors.OpError):
        return None
    return [_as_recorded(modes.numbers(result)) for result in found]


def _as_recorded(array: Any) -> Any:
    if array is None:
        return None
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag], -1)
    return {"shape": list(array.shape), "numbers": np.asarray(array, np.float64).ravel().tolist()}


def compared(found: list[Any], wanted: list[Any], within: float) -> str | None:
    """In words what differs between results and recorded ones."""
    if len(found) != len(wanted):
        return f"{len(found)} results, TensorFlow has {len(wanted)}"
    for number, (ours, theirs) in enumerate(zip(found, wanted, strict=True)):
        if ours is None or theirs is None:
            if ours is not theirs:
                return f"result {number} is {_short(ours)}, TensorFlow's {_short(theirs)}"
            continue
        array, expected = _real(ours), _array(theirs)
        if array.shape != expected.shape:
            return f"result {number} has the shape {array.shape}, TensorFlow's {expected.shape}"
        largest = np.max(np.abs(expected[np.isfinite(expected)]), initial=0.0)
        near = np.isclose(array, expected, rtol=within, atol=within * max(largest, 1e-3), equal_nan=True)
        if not near.all():
            return (
                f"result {number} is {array[~near][:4].tolist()} in places, TensorFlow's {expected[~near][:4].tolist()}"
            )
    return None


def _real(array: Any) -> Any:
    if array.dtype.kind == "c":
        return np.stack([array.real, array.imag], -1).astype(np.float64)
    return np.asarray(array, np.float64)


def _array(written: Any) -> Any:
    return np.asarray([float(v) for v in written["numbers"]]).reshape(written["shape"])


def _short(result: Any) -> str:
    if result is None:
        return "None"
    array = result if isinstance(result, np.ndarray) else _array(result)
    return "zeros" if not np.any(array) else f"{array.ravel()[:4].tolist()}"
