"""Stages that call functions of the user's: map and filter."""

import functools
from typing import final

import jax
import numpy as np

from stratagem.pipeline._cardinality import UNKNOWN
from stratagem.pipeline._nest import Array, Nest, spec_of
from stratagem.pipeline._order import State
from stratagem.pipeline._spec import TensorSpec, merged
from stratagem.pipeline._stage import ParentWalk, Stage, Step, Walk
from stratagem.pipeline._user_code import Predicate, UserFunction


@final
class MapStage(Step):
    """A function applied to every element."""

    def __init__(self, parent: Stage, function: UserFunction) -> None:
        super().__init__(parent)
        self._function = function

    @functools.cached_property
    def spec(self) -> Nest:
        # Plain Python cannot be asked for its result's shape, so it is applied to an example; where the rows of the
        # input are unknown, to two numbers of rows: what then differs is unknown too.
        specs = self._parent.spec
        try:
            example = self._parent.example()
        except StopIteration:
            raise ValueError(
                "The element_spec of a mapped data set is found out by mapping an element, and there is none."
            ) from None
        if not any(_open_rows(s) for s in jax.tree.leaves(specs)):
            return spec_of(self._function(example))
        return jax.tree.map(merged, *(spec_of(self._function(_resized(specs, example, n))) for n in (2, 3)))

    @property
    def pure(self) -> bool:
        return False

    @property
    def cheap(self) -> bool:
        return False

    def walk(self) -> Walk:
        return _MapWalk(self._parent.walk(), self._function)

    def example(self) -> Nest:
        return self._function(self._parent.example())


@final
class _MapWalk(ParentWalk):
    def __init__(self, parent: Walk, function: UserFunction) -> None:
        super().__init__(parent)
        self._function = function

    def __next__(self) -> Nest:
        return self._function(next(self._source))

    def _facts(self) -> State:
        return {}

    def _set_facts(self, state: State) -> None:
        pass


@final
class FilterStep(Step):
    """The elements that a predicate accepts."""

    def __init__(self, parent: Stage, predicate: Predicate) -> None:
        super().__init__(parent)
        self._predicate = predicate

    @property
    def cardinality(self) -> int:
        return UNKNOWN

    @property
    def pure(self) -> bool:
        return False

    @property
    def cheap(self) -> bool:
        return False

    def walk(self) -> Walk:
        return _FilterWalk(self._parent.walk(), self._predicate)


@final
class _FilterWalk(ParentWalk):
    def __init__(self, parent: Walk, predicate: Predicate) -> None:
        super().__init__(parent)
        self._predicate = predicate

    def __next__(self) -> Nest:
        while True:
            element = next(self._source)
            if self._predicate(element):
                return element

    def _facts(self) -> State:
        return {}

    def _set_facts(self, state: State) -> None:
        pass


def _open_rows(spec: TensorSpec) -> bool:
    return bool(spec.shape.rank) and spec.shape[0] is None


def _resized(specs: Nest, example: Nest, rows: int) -> Nest:
    def resize(spec: TensorSpec, leaf: Array) -> Array:
        return np.resize(leaf, (rows, *leaf.shape[1:])) if _open_rows(spec) else leaf

    return jax.tree.map(resize, specs, example)
