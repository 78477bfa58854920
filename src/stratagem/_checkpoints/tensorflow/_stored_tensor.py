"""StoredTensor: a tensor that stays in its checkpoint's files until somebody asks for its values."""

from typing import final

import numpy as np

from stratagem._checkpoints.tensorflow._bundle import Bundle


@final
class StoredTensor:
    """A tensor in a bundle. `np.asarray(tensor)` reads it, and raises DataLossError where it is damaged."""

    def __init__(self, bundle: Bundle, name: str) -> None:
        self._bundle, self._name = bundle, name
        self.shape, self.dtype = bundle.facts[name].shape, bundle.facts[name].dtype

    def __array__(self, dtype: np.dtype | None = None, copy: bool | None = None) -> np.ndarray:
        """The values, read now."""
        if copy is False:
            raise ValueError("A tensor in a file cannot be given out without a copy.")
        array = self._bundle.read(self._name)
        return array if dtype is None else array.astype(dtype, copy=False)
