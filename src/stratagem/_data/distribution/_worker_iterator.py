"""The pieces of one worker as a stream that any number of workers can resume."""

import logging
from collections.abc import Sequence
from typing import Any, final

from stratagem._base.errors import InvalidArgumentError
from stratagem._data.distribution._replica_batches import ReplicaBatchesIterator
from stratagem._data.distribution._shard import ShardingDecision
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import StageIterator

_log = logging.getLogger("stratagem.data")


@final
class WorkerIterator(StageIterator):
    """The pieces for worker `worker` of `workers`.

    If all workers iterate over the same batches, a state is a position in that one stream, from which any number of
    workers can continue. If each has batches of its own, a state is `joined` from those of all; with another number of
    workers the old streams are divided among the new workers, who iterate each to its end: every example still counts
    once.
    """

    def __init__(self, sharding: ShardingDecision, workers: int, worker: int) -> None:
        super().__init__()
        self._sharding = sharding
        self._workers, self._worker = workers, worker
        self._saved_workers = workers
        self._walks: dict[int, StageIterator] = {}
        self._walks[worker] = sharding.pieces(worker, workers).walk()

    def __next__(self) -> Any:
        for walk in self._walks.values():
            for piece in walk:
                return piece
        raise StopIteration

    def sizes(self) -> tuple[int, ...]:
        """The rows of every replica's piece of the last batch, if all workers iterate over the same batches."""
        walk = self._walks[self._worker]
        assert isinstance(walk, ReplicaBatchesIterator)
        return walk.sizes

    def get_state(self) -> State:
        states = {str(number): walk.get_state() for number, walk in self._walks.items()}
        return (
            {"common": states[str(self._worker)]}
            if self._sharding.common
            else {"of": self._saved_workers, "streams": states}
        )

    def set_state(self, state: State) -> None:
        if self._sharding.common != ("common" in state):
            raise InvalidArgumentError(
                f"The dataset is sharded by {self._sharding.policy.name}, and the saved position is of another policy."
            )
        if self._sharding.common:
            self._saved_workers, own = self._workers, {self._worker: state["common"]}
        else:
            self._saved_workers = state["of"]
            own = self._own_streams({int(number): stream for number, stream in state["streams"].items()})
        self._walks = {}
        for number, stream in own.items():
            self._walks[number] = walk = self._sharding.pieces(number, self._saved_workers).walk()
            walk.set_state(stream)

    def close(self) -> None:
        """Stops the threads of all streams."""
        for walk in self._walks.values():
            walk.close()
        super().close()

    def _own_streams(self, streams: dict[int, State]) -> dict[int, State]:
        """The streams of this worker: its own, or its share of those of another number of workers."""
        if self._saved_workers == self._workers and self._worker in streams:
            return {self._worker: streams[self._worker]}
        missing = [number for number in range(self._saved_workers) if number not in streams]
        if missing:
            raise InvalidArgumentError(
                f"An input position of {self._saved_workers} workers is to be taken up by worker {self._worker} of "
                f"{self._workers}, but the streams of workers {missing} are not in it. Join the states of all workers first."
            )
        return {number: streams[number] for number in range(self._worker, self._saved_workers, self._workers)}


@final
class OwnIterator(StageIterator):
    """An iteration over a dataset that worker `worker` of `workers` has for itself, from a function of the user's.

    A state is `joined` from those of all workers: each has shuffled, and counted its elements, by itself. With another number
    of workers the function makes other datasets, in which there is no such position: then each worker goes on from the
    position of an old one, with a warning.
    """

    def __init__(self, walk: StageIterator, workers: int, worker: int) -> None:
        super().__init__(walk)
        self._walk, self._workers, self._worker = walk, workers, worker

    def __next__(self) -> Any:
        return next(self._walk)

    def get_state(self) -> State:
        return {"of": self._workers, "streams": {str(self._worker): self._walk.get_state()}}

    def set_state(self, state: State) -> None:
        if "streams" not in state:  # of a version that saved worker 0's position for all
            self._walk.set_state(state)
            return
        streams, of = state["streams"], state["of"]
        chosen = str(self._worker % of)
        if chosen not in streams:
            raise InvalidArgumentError(
                f"The position of worker {chosen} is not in an input position of {of} workers, which has those of "
                f"{sorted(streams)}. Join the states of all workers first."
            )
        if of != self._workers:
            _log.warning(
                "The input was saved by %d workers, and there are %d. A dataset that a function makes for each worker cannot "
                "be divided anew: worker %d goes on where worker %s was. Examples of this epoch may be read twice or never.",
                of, self._workers, self._worker, chosen,
            )  # fmt: skip
        self._walk.set_state(streams[chosen])

    def close(self) -> None:
        """Stops the threads of the walk."""
        self._walk.close()
        super().close()


def joined(states: Sequence[Any]) -> Any:
    """Combines the states of all workers' iterators to one, from which any number of workers can continue."""
    first = states[0]
    if isinstance(first, list):
        return [joined(parts) for parts in zip(*states, strict=True)]
    if not isinstance(first, dict) or "common" in first:
        return first
    if "streams" in first:
        streams = {number: stream for state in states for number, stream in state["streams"].items()}
        return {"of": first["of"], "streams": streams}
    return {key: joined([state[key] for state in states]) for key in first}
