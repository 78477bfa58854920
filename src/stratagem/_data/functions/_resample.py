"""`rejection_resample`: leaves out elements at random, so that classes get other shares."""

from collections.abc import Callable
from typing import Any, final

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.values import TensorSpec
from stratagem._data.elements._nest import Array, spec_of, to_numpy
from stratagem._data.functions._map_filter import mapped
from stratagem._data.stages._cardinality import UNKNOWN
from stratagem._data.stages._choose import RandomStage
from stratagem._data.stages._order import State
from stratagem._data.stages._seeds import EpochSeeds
from stratagem._data.stages._stage import ParentIterator, Stage, StageIterator, UnaryStage

_SMOOTHING = 10.0  # elements of each class that are taken as seen before the first one, as in TensorFlow
_RANDOM_NUMBERS = 2.0**32


def resampled(stage: Stage, class_func: Callable[..., Any], target: Any, initial: Any, seeds: EpochSeeds) -> Stage:
    """Pairs of a class and an element; `target` has the shares of the classes, `initial` those in `stage`, or is None.

    Raises:
        TypeError: a class is no integer, if that is known before it is made.
        ValueError: a class is no scalar, or the shares are of different numbers of classes.
    """

    def classified(*element: Any) -> Any:
        return class_func(*element), element if len(element) > 1 else element[0]

    pairs = mapped(stage, classified)
    if stage.pure:
        _check_class(pairs.spec[0])
    wanted, found = _shares(target, "target_dist"), None if initial is None else _shares(initial, "initial_dist")
    if found is not None and len(found) != len(wanted):
        raise ValueError(f"`target_dist` has {len(wanted)} classes, and `initial_dist` {len(found)}.")
    if found is not None and np.allclose(found, wanted):
        return pairs
    return ResampleStage(pairs, wanted, found, seeds)


def _shares(given: Any, name: str) -> Array:
    shares = to_numpy(given).astype(np.float64)
    if shares.ndim != 1 or not len(shares) or (shares < 0).any() or not shares.sum() > 0:
        raise ValueError(f"`{name}` must be the shares of the classes, got {given!r:.100}.")
    return shares / shares.sum()


@final
class ResampleStage(UnaryStage):
    """The pairs of a class and an element that are not rejected.

    An element stays with a probability proportional to the wanted share of its class over the one found: in `initial`, or
    among the elements so far. TensorFlow mixes in some that it rejected, and so keeps somewhat more.
    """

    def __init__(self, parent: Stage, target: Array, initial: Array | None, seeds: EpochSeeds) -> None:
        super().__init__(parent)
        self.target, self.initial = target, initial
        self._numbers = RandomStage(seeds)

    @property
    def cardinality(self) -> int:
        return UNKNOWN

    @property
    def cheap(self) -> bool:
        return False

    def walk(self) -> StageIterator:
        return _ResampleIterator(self._parent.walk(), self, self._numbers.walk())


@final
class _ResampleIterator(ParentIterator):
    def __init__(self, parent: StageIterator, stage: ResampleStage, numbers: StageIterator) -> None:
        super().__init__(parent)
        self._stage = stage
        self._numbers = numbers
        self._counts = np.full(len(stage.target), _SMOOTHING)

    def __next__(self) -> Any:
        while True:
            element = next(self._source)
            _check_class(spec_of(element[0]))
            number = int(element[0])
            if not 0 <= number < len(self._counts):
                raise InvalidArgumentError(
                    f"`class_func` returned {number}, and there are {len(self._counts)} classes."
                )
            self._counts[number] += 1
            if int(next(self._numbers)) < self._probability(number) * _RANDOM_NUMBERS:
                return element

    def _probability(self, number: int) -> float:
        """The probability with which an element of a class stays: 1 for the class of which there is least."""
        found = self._counts / self._counts.sum() if self._stage.initial is None else self._stage.initial
        there = found > 0
        ratios = np.divide(self._stage.target, found, out=np.zeros_like(found), where=there)
        most = ratios.max(initial=0.0, where=there)
        return float(ratios[number] / most) if most > 0 else 0.0

    def _own_state(self) -> State:
        return {"counts": self._counts.tolist(), "numbers": self._numbers.get_state()}

    def _set_own_state(self, state: State) -> None:
        self._counts = np.asarray(state["counts"])
        self._numbers.set_state(state["numbers"])


def _check_class(spec: Any) -> None:
    if not isinstance(spec, TensorSpec) or spec.dtype.kind not in "iu":
        raise TypeError(f"Invalid `class_func`. It must return the number of a class, an integer; it returned {spec}.")
    if spec.shape.rank != 0:
        raise ValueError(f"Invalid `class_func`. It must return the number of a class, a scalar; it returned {spec}.")
