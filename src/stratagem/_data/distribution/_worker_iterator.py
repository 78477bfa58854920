"""The pieces of one worker as a stream that any number of workers can resume."""

from collections.abc import Sequence
from typing import Any, final

from stratagem._base.errors import InvalidArgumentError
from stratagem._data.distribution._replica_batches import ReplicaBatchesIterator
from stratagem._data.distribution._shard import ShardingDecision
from stratagem._data.elements._nest import Nest
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import StageIterator


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

    def __next__(self) -> Nest:
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
