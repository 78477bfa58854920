"""ReplicaThreads: replicas that run as Python, one at a time, each in a thread, and meet for collectives."""

import contextvars
import threading
from collections.abc import Callable, Sequence
from typing import Any, final

import jax
import numpy as np

from stratagem._base.errors import ContextError
from stratagem._core.mesh import AXIS, exact
from stratagem._private import OutsideOfTraces, keras_settings, set_keras_settings


class _OtherFailedError(BaseException):
    """Ends a replica because another one has failed; BaseException, so that no user's code takes it for an error."""


@final
class ReplicaThreads:
    """Runs a function for every replica: one at a time, each until it needs the others, or to its end, as TF's replicas do."""

    def __init__(self, replicas: int) -> None:
        self._replicas = replicas
        self._changed = threading.Condition()
        self._turn = 0
        self._meeting = 0
        self._brought: dict[int, Any] = {}
        self._results: Sequence[Any] = ()
        self._ended: set[int] = set()
        self._error: BaseException | None = None

    def run(self, function: Callable[[int], Any]) -> list[Any]:
        """Returns `function(replica)` for every replica. Raises the first error of one."""
        if self._replicas == 1:
            return [function(0)]
        results: list[Any] = [None] * self._replicas
        settings = keras_settings()

        def replica_thread(replica: int) -> None:
            set_keras_settings(settings)
            try:
                self._wait_for_turn(replica, -1)
                results[replica] = function(replica)
            except _OtherFailedError:
                pass
            except BaseException as error:  # handed to the thread that has called `run`
                self._fail(error)
            self._end(replica)

        threads = [
            threading.Thread(target=contextvars.copy_context().run, args=(replica_thread, i), name=f"replica {i}")
            for i in range(self._replicas)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._error is not None:
            raise self._error
        return results

    def exchange(self, replica: int, value: Any, together: Callable[[list[Any]], Sequence[Any]]) -> Any:
        """Returns the replica's part of `together(values of all replicas)`, which the last of them to come computes."""
        if self._replicas == 1:
            return together([value])[0]
        meeting = self._meeting
        self._brought[replica] = value
        if len(self._brought) == self._replicas:
            self._results = together([self._brought[i] for i in range(self._replicas)])
            self._brought = {}
            self._meeting += 1
        self._pass_on()
        self._wait_for_turn(replica, meeting)
        return self._results[replica]

    def computed(self, replica: int, program: Callable[..., Any], operands: Sequence[Any]) -> Any:
        """Returns the replica's results of a program that uses the axis of replicas."""

        def together(rows: list[Any]) -> list[Any]:
            stacked = [exact(np.stack([np.asarray(row[i]) for row in rows])) for i in range(len(operands))]
            with OutsideOfTraces():
                found = jax.vmap(program, axis_name=AXIS, axis_size=self._replicas)(*stacked)
                return [jax.tree.map(lambda x, i=i: x[i], found) for i in range(self._replicas)]

        return self.exchange(replica, list(operands), together)

    def _wait_for_turn(self, replica: int, meeting: int) -> None:
        """Waits until it is the replica's turn, and this meeting has ended."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._error is not None or (self._turn == replica and self._meeting > meeting)
            )
        if self._error is not None:
            raise _OtherFailedError

    def _pass_on(self) -> None:
        """Gives the turn to the first replica that does not wait for others."""
        with self._changed:
            free = [i for i in range(self._replicas) if i not in self._brought and i not in self._ended]
            self._turn = free[0] if free else -1
            self._changed.notify_all()

    def _end(self, replica: int) -> None:
        self._ended.add(replica)
        if self._brought and len(self._brought) + len(self._ended) == self._replicas:
            self._fail(
                ContextError(
                    f"Replica {replica} has ended while replicas {sorted(self._brought)} wait for it in a collective: all "
                    "replicas have to call the same collectives (all_reduce, apply_gradients, assignments that aggregate)."
                )
            )
        self._pass_on()

    def _fail(self, error: BaseException) -> None:
        with self._changed:
            self._error = self._error or error
            self._changed.notify_all()
