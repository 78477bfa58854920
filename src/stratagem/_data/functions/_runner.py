"""The interface of a function's modes of execution."""

import abc

from stratagem._data.elements._nest import Nest
from stratagem._data.functions._draws import Places, Words
from stratagem._data.stages._stage import Stage


class FunctionRunner(abc.ABC):
    """Applies a function to elements of a stage."""

    @property
    @abc.abstractmethod
    def draws(self) -> bool:
        """True if the function may draw random numbers."""

    @abc.abstractmethod
    def spec(self, parent: Stage) -> Nest:
        """The specs of its results for the elements of `parent`."""

    @abc.abstractmethod
    def __call__(self, element: Nest, seed: Words | None = None, place: Places | None = None) -> Nest:
        """The result for one element; see `UserFunction`."""
