"""Weights that a layer has learned and that are no variables of Keras: words, and numbers whose count the data decides."""

from collections.abc import Callable, Sequence
from typing import Any, final

import keras
import numpy as np

from stratagem._checkpoints import HostArray


@final
class LearnedWeight(HostArray):
    """A weight that a layer has learned, on the host: an entry of `weights` that has a variable's members, and is none.

    Words cannot be arrays of JAX, and neither words nor bins have a size before `adapt`. So no compiled step has it as an
    input, `variables` does not list it, and no optimizer sees it.
    """

    trainable = False

    def __init__(
        self,
        owner: keras.Layer,
        name: str,
        read: Callable[[], np.ndarray],
        store: Callable[[np.ndarray], None],
        accepts: Callable[[], Sequence[int | None]],
    ) -> None:
        """read(): the value, a new array. store(value): makes it the value. accepts(): the sizes of values that it may get."""
        self._owner, self.name, self._read, self._store, self._accepts = owner, name, read, store, accepts

    @property
    def path(self) -> str:
        """The names of the layer and of the weight."""
        return f"{self._owner.path or self._owner.name}/{self.name}"

    @property
    def value(self) -> np.ndarray:
        """The present value: of dtype object with bytes objects for words, as tensors have them."""
        return self._read()

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the present value."""
        return self.value.shape

    @property
    def dtype(self) -> str:
        """The dtype's name: string for words."""
        kind = self.value.dtype
        return "string" if kind.hasobject else kind.name

    def numpy(self) -> np.ndarray:
        """Returns the value."""
        return self.value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.value, dtype)

    def check(self, value: Any) -> np.ndarray:
        """Returns a value as an array of this weight's dtype. Raises ValueError for a shape that does not fit."""
        found, wanted = np.asarray(value), tuple(self._accepts())
        if len(found.shape) != len(wanted) or any(w not in (None, n) for w, n in zip(wanted, found.shape, strict=True)):
            raise ValueError(f"The weight {self.path} has the shape {wanted}, got an array of shape {found.shape}.")
        dtype = self.value.dtype
        if not dtype.hasobject:
            return found.astype(dtype)
        words = np.empty(found.shape, object)
        words[:] = [word if isinstance(word, bytes) else str(word).encode() for word in found.tolist()]
        return words

    def assign(self, value: Any) -> None:
        """Makes an array the value; calls of the layer use it after `finalize_state`. Raises as `check`."""
        self._store(self.check(value))

    def restore(self, saved: np.ndarray, path: str) -> None:
        """Takes what a checkpoint has at this path. Raises as `check`."""
        self.assign(saved)

    def __repr__(self) -> str:
        return f"<LearnedWeight {self.path} shape={self.shape} dtype={self.dtype}>"


def is_parameter(weight: Any) -> bool:
    """Returns whether a weight's numbers are counted as parameters: those of weights without a fixed size are not."""
    return not isinstance(weight, LearnedWeight) or not weight.shape
