"""Elements from a Python generator, checked against the user's signature."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, final

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.values import TensorSpec
from stratagem._data.elements._nest import Array, frozen, leaves, map_leaves, to_numpy
from stratagem._data.stages._cardinality import UNKNOWN
from stratagem._data.stages._order import State
from stratagem._data.stages._replay import name_position, replay
from stratagem._data.stages._stage import Stage, StageIterator

_SOURCE_NAME = "the generator of from_generator"


@final
class GeneratorStage(Stage):
    """Calls a function for a new iterable in every iteration."""

    def __init__(self, start: Callable[[], Iterable[Any]], signature: Any) -> None:
        for spec in leaves(signature):
            if not isinstance(spec, TensorSpec):
                raise TypeError(
                    "`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found "
                    f"{type(spec)} which is not. It is a nest of tuples and dicts of `tf.TensorSpec`."
                )
        self._start = start
        self._signature = signature

    @property
    def spec(self) -> Any:
        return self._signature

    @property
    def cardinality(self) -> int:
        return UNKNOWN

    @property
    def batch_size(self) -> int | None:
        return None

    @property
    def pure(self) -> bool:
        return False

    def walk(self) -> StageIterator:
        return _GeneratorIterator(self._start, self._signature)

    def example(self) -> Any:
        return next(self.walk())


@final
class _GeneratorIterator(StageIterator):
    def __init__(self, start: Callable[[], Iterable[Any]], signature: Any) -> None:
        super().__init__()
        self._start = start
        self._signature = signature
        self._values: Iterator[Any] | None = None
        self._position = 0

    def __next__(self) -> Any:
        value = self._draw()
        try:
            return self._as_signed(value)
        except InvalidArgumentError as error:
            name_position(error, self._position - 1, _SOURCE_NAME)
            raise

    def _as_signed(self, value: Any) -> Any:
        try:
            return map_leaves(_checked, self._signature, value)
        except InvalidArgumentError:
            raise
        except ValueError as error:
            raise InvalidArgumentError(
                f"`generator` yielded an element that does not have the structure of its signature {self._signature}: "
                f"{value!r:.200}"
            ) from error

    def _draw(self) -> Any:
        try:
            if self._values is None:
                self._values = iter(self._start())
            value = next(self._values)
        except StopIteration:
            raise
        except Exception as error:
            name_position(error, self._position, _SOURCE_NAME)
            raise
        self._position += 1
        return value

    def get_state(self) -> State:
        return {"position": self._position}

    def set_state(self, state: State) -> None:
        self._values, self._position = None, 0
        replay(self._draw, state["position"], _SOURCE_NAME)


def signature_of(types: Any, shapes: Any) -> Any:
    """The signature from TensorFlow's older form: a nest of dtypes, and a nest of shapes or None."""
    if shapes is None:
        return map_leaves(lambda dtype: TensorSpec(None, dtype), types)
    return map_leaves(lambda dtype, shape: TensorSpec(shape, dtype), types, shapes)


def _checked(spec: TensorSpec, part: Any) -> Array:
    array = _as_dtype(part, spec.dtype)
    if not spec.shape.is_compatible_with(array.shape):
        raise InvalidArgumentError(
            f"`generator` yielded an element of shape {array.shape} where an element of shape {spec.shape} was "
            "expected."
        )
    return frozen(array)


def _as_dtype(part: Any, dtype: np.dtype[Any]) -> Array:
    try:
        array = np.asarray(part)
        if dtype.kind == "O" and array.dtype.kind in "USO":
            return to_numpy(part)
        # Numbers are converted to the dtype, as in TF, unless it cannot hold them: imaginary parts, NaN, infinity.
        lost = (array.dtype.kind == "c" and dtype.kind != "c") or (
            array.dtype.kind == "f" and dtype.kind in "iu" and not np.isfinite(array).all()
        )
        if not lost and array.dtype.kind not in "USO" and dtype.kind != "O":
            return array.astype(dtype, copy=False)
    except (TypeError, ValueError) as error:
        raise _wrong_type(part, dtype) from error
    raise _wrong_type(part, dtype)


def _wrong_type(part: Any, dtype: np.dtype[Any]) -> InvalidArgumentError:
    return InvalidArgumentError(
        "`generator` yielded an element that could not be converted to the expected type. "
        f"The expected type was {'string' if dtype.kind == 'O' else dtype.name}, but the yielded element was {part!r:.200}."
    )
