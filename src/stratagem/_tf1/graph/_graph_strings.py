"""GraphStrings: a placeholder of strings, which a session gives to the datasets that are made of it."""

from typing import Any, NoReturn, final

import numpy as np

from stratagem._base.errors import UnimplementedError
from stratagem._base.types import TensorLike, Value
from stratagem._core.values import TensorShape


@final
class GraphStrings:
    """A placeholder of strings in a graph, such as the names of files that a dataset reads.

    A compiled step takes numbers alone: every other use raises UnimplementedError.
    """

    dtype = np.dtype(object)

    def __init__(self, graph: Value, shape: TensorShape, name: str) -> None:
        self.graph, self.shape, self.name = graph, shape, f"{name}:0"

    def checked(self, value: TensorLike) -> np.ndarray:
        """Returns what is fed as an array of bytes objects. Raises TypeError for numbers, ValueError for another shape."""
        given = np.asarray(value, object)
        found = np.empty(given.shape, object)
        for place, text in np.ndenumerate(given):
            if not isinstance(text, str | bytes):
                raise TypeError(f"{self.name} takes strings, got {text!r:.100} in what is fed.")
            found[place] = text.encode() if isinstance(text, str) else bytes(text)
        if not self.shape.is_compatible_with(found.shape):
            raise ValueError(
                f"Cannot feed value of shape {found.shape} for Tensor {self.name}, which has shape {self.shape}"
            )
        return found

    def get_shape(self) -> TensorShape:
        """Returns the shape."""
        return self.shape

    def _refuse(self, *arguments: Any, **named: Any) -> NoReturn:
        raise UnimplementedError(
            f"{self.name} is a placeholder of strings, which a compiled step does not take. Datasets may be made of it, "
            "tf.data.TFRecordDataset(filenames). Elsewhere look the strings up before they are fed, or let the function of "
            "Dataset.map take them."
        )

    __array__ = __jax_array__ = __iter__ = __len__ = __getitem__ = __bool__ = _refuse
    __add__ = __radd__ = eval = _refuse

    def __repr__(self) -> str:
        return f"<tf.Tensor {self.name!r} shape={self.shape} dtype=string>"
