"""Steps of the workers of a job: all of them make the same number, also when their input ends at different times."""

import abc
from collections.abc import Callable
from typing import final

import jax
import numpy as np

from stratagem.pipeline.elements._nest import Array, Nest
from stratagem.pipeline.elements._spec import TensorSpec
from stratagem.pipeline.stages._order import State
from stratagem.pipeline.stages._stage import Stage, Walk


class Peers(abc.ABC):
    """The workers of a job. All of them ask the same question for every step, and all get the same answer."""

    @abc.abstractmethod
    def anyone(self, mine: bool) -> bool:
        """True when some worker said True for this step: then there is one, and who has no rows takes part without."""


@final
class Alone(Peers):
    """A worker that needs no other one's answer."""

    def anyone(self, mine: bool) -> bool:
        return mine


@final
class LockstepWalk(Walk):
    """Takes one element for each of `replicas` local replicas, in turn from one walk or from one walk a replica.

    A step happens as long as some replica of some worker has an element; the others then get no rows. `partial`, asked
    when it comes to that, may say that such steps are dropped. The elements are lists, one nest a local replica.
    """

    def __init__(
        self, walks: list[Walk], stage: Stage, replicas: int, peers: Peers, *, partial: Callable[[], bool]
    ) -> None:
        super().__init__(walks)
        self._walks = walks
        self._stage = stage
        self._turns = walks if len(walks) == replicas else walks * replicas
        self._peers = peers
        self._partial = partial
        self._ended = False

    def __next__(self) -> list[Nest]:
        if self._ended:
            raise StopIteration
        drawn = [element for walk in self._turns for element in _up_to_one(walk)]
        missing = len(self._turns) - len(drawn)
        usable = bool(drawn) and (not missing or self._partial())
        self._ended = not self._peers.anyone(usable)
        if self._ended:
            raise StopIteration
        return drawn + [_without_rows(self._stage.spec, drawn[:1])] * missing if missing else drawn

    def get_state(self) -> State:
        return {"parents": [walk.get_state() for walk in self._walks]}

    def set_state(self, state: State) -> None:
        self._ended = False
        for walk, saved in zip(self._walks, state["parents"], strict=True):
            walk.set_state(saved)


def _up_to_one(walk: Walk) -> list[Nest]:
    try:
        return [next(walk)]
    except StopIteration:
        return []


def _without_rows(spec: Nest, like: list[Nest]) -> Nest:
    """An element whose unknown dimensions are 0; where not even their number is known, as in another element."""

    def empty(leaf: TensorSpec, *others: Array) -> Array:
        dims = leaf.shape if leaf.shape.rank is not None else (None, *(n for other in others for n in other.shape[1:]))
        return np.zeros([d or 0 for d in dims], leaf.dtype)

    return jax.tree.map(empty, spec, *like)
