"""Keeps the workers of a job in step: all make the same number of steps, even if their input ends at different times."""

from collections.abc import Callable
from typing import Any, final

import jax
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.values import CompositeTensor, TensorSpec
from stratagem._data.distribution._shape_agreement import Shape, ShapeAgreement, Shapes
from stratagem._data.elements._composites import slice_of_composite
from stratagem._data.elements._parts import parts, zeros
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import Stage, StageIterator


@final
class LockstepIterator(StageIterator):
    """Takes one element for each of `replicas` local replicas, in turn from one iterator or from one iterator per replica.

    A step happens as long as some replica of some worker has an element; the others then get no rows. `partial`, called
    in that case, may decide that such steps are dropped. The elements are lists, one nest for each local replica.
    `replicas` are the indices of this worker's replicas among those of the job.
    """

    def __init__(
        self,
        walks: list[StageIterator],
        stage: Stage,
        replicas: range,
        agreement: ShapeAgreement,
        *,
        partial: Callable[[], bool],
    ) -> None:
        super().__init__(walks)
        self._walks = walks
        self._stage = stage
        self._replicas = replicas
        self._turns = walks if len(walks) == len(replicas) else walks * len(replicas)
        self._agreement = agreement
        self._partial = partial
        self._ended = False
        self.shapes: Shapes = []  # the shapes for all replicas of the job in the last step

    def __next__(self) -> list[Any]:
        if self._ended:
            raise StopIteration
        drawn = [element for walk in self._turns for element in _up_to_one(walk)]
        missing = len(self._turns) - len(drawn)
        if drawn and missing:
            drawn = drawn + [_without_rows(self._stage.spec, drawn[0])] * missing if self._partial() else []
        shapes = self._agreement.shapes([_shapes(element) for element in drawn] or None)
        if shapes is None:
            self._ended = True
            raise StopIteration
        self.shapes = shapes
        return drawn or [zeros(self._stage.spec, shapes[i]) for i in self._replicas]

    def get_state(self) -> State:
        return {"parents": [walk.get_state() for walk in self._walks]}

    def set_state(self, state: State) -> None:
        if len(state["parents"]) != len(self._walks):
            raise InvalidArgumentError(
                f"The saved position of the input has those of {len(state['parents'])} datasets, one for each replica, and "
                f"there are {len(self._walks)}: they cannot be divided anew. Go on with the same number of replicas, or begin "
                "the epoch anew: restore everything but the iterator."
            )
        self._ended = False
        self._agreement.restart()
        for walk, saved in zip(self._walks, state["parents"], strict=True):
            walk.set_state(saved)


def _up_to_one(walk: StageIterator) -> list[Any]:
    try:
        return [next(walk)]
    except StopIteration:
        return []


def _shapes(element: Any) -> list[Shape]:
    return [tuple(part.shape) for part in parts(element)]


def _without_rows(spec: Any, like: Any) -> Any:
    """An element whose unknown dimensions are 0; an unknown rank is taken from another element."""

    def empty(leaf: TensorSpec, other: Any) -> Any:
        if isinstance(other, CompositeTensor):
            return slice_of_composite(other, 0, 0)
        dims = leaf.shape if leaf.shape.rank is not None else (None, *other.shape[1:])
        return np.zeros([d or 0 for d in dims], leaf.dtype)

    return jax.tree.map(empty, spec, like)
