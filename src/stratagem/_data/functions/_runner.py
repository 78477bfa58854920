"""The interface of a function's modes of execution."""

import abc
from typing import Any

from stratagem._data.functions._draws import Places, Words
from stratagem._data.stages._stage import Stage


class FunctionRunner(abc.ABC):
    """Applies a function to elements of a stage."""

    @property
    @abc.abstractmethod
    def draws(self) -> bool:
        """True if the function may draw random numbers."""

    @abc.abstractmethod
    def spec(self, parent: Stage) -> Any:
        """The specs of its results for the elements of `parent`."""

    @abc.abstractmethod
    def __call__(self, element: Any, seed: Words | None = None, place: Places | None = None) -> Any:
        """The result for one element; see `UserFunction`."""
