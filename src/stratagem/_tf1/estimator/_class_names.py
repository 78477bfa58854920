"""ClassNames: predictions that are strings, which a step gives as indices."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from stratagem._core.values import TensorShape
from stratagem._ops import constant, gather, is_traced


@final
@dataclass(frozen=True, eq=False)
class ClassNames:
    """A prediction of strings: those of `words` at indices that the step computes, since no step's program has strings.

    `Estimator.predict` yields the strings, and so do exported models. indices: integers of any shape.
    """

    indices: Any
    words: tuple[bytes, ...]

    dtype = np.dtype(object)

    @property
    def shape(self) -> TensorShape:
        """The shape of the strings."""
        return TensorShape(np.shape(self.indices))

    def strings(self) -> Any:
        """Returns the tensor of strings, where they may be made after a program: in a model that is being exported."""
        return gather(constant(list(self.words)), self.indices)

    def at(self, indices: np.ndarray) -> np.ndarray:
        """Returns the strings at indices that are known, an array of bytes."""
        return np.array(self.words, object)[indices]


def class_names(indices: Any, words: tuple[bytes, ...]) -> Any:
    """Returns the words at indices: a tensor of strings where they are known, else what stands for it in a step."""
    return ClassNames(indices, words) if is_traced(indices) else gather(constant(list(words)), indices)
