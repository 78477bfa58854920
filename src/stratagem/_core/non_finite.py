"""NonFiniteWatch: detects a NaN or an infinity in the variables after a step, without waiting for the step."""

import os
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError, NonFiniteError
from stratagem._base.job import Job

POLICIES = ("warn", "stop", "ignore")
_VARIABLE = "STRATAGEM_NON_FINITE"
_SHOWN = 3


@dataclass(frozen=True)
class _PendingCheck:
    """The checks of one step, being computed: whether each named value is finite, and each replica's slots are."""

    step: int
    names: Sequence[str]
    finite: jax.Array
    replicas: Mapping[int, jax.Array]


@final
class NonFiniteWatch:
    """The checks of one strategy. policy: `stop` raises, one step later; with the others, steps compute nothing extra."""

    def __init__(self) -> None:
        self._policy = checked_policy(os.environ.get(_VARIABLE, "warn"), f"{_VARIABLE}=")
        self._steps = 0
        self._pending: deque[_PendingCheck] = deque()

    @property
    def policy(self) -> str:
        """The policy, one of POLICIES."""
        return self._policy

    @policy.setter
    def policy(self, policy: str) -> None:
        self._policy = checked_policy(policy, "strategy.non_finite = ")
        self._pending.clear()

    @property
    def stops(self) -> bool:
        """True if steps have to be checked."""
        return self._policy == "stop"

    def note(self, steps: int, values: Mapping[str, jax.Array], own: Mapping[int, Sequence[jax.Array]]) -> None:
        """Starts the checks after some steps. values: variables by path. own: each replica's slots."""
        self._steps += steps
        replicas = {replica: _all_finite(list(arrays)) for replica, arrays in own.items() if arrays}
        self._pending.append(_PendingCheck(self._steps, tuple(values), _all_finite(list(values.values())), replicas))

    def check(self, job: Job, *, in_flight: int = 1) -> None:
        """Looks at the checks of all steps but the last ones. job: its workers exchange the facts that each alone knows.

        All workers find the same.

        Raises:
            NonFiniteError: a variable is not finite.
        """
        while len(self._pending) > in_flight:
            found = self._pending.popleft()
            bad = [name for name, finite in zip(found.names, np.asarray(found.finite), strict=True) if not finite]
            if bad:
                self._pending.clear()
                mine = [[replica, np.asarray(finite).tolist()] for replica, finite in found.replicas.items()]
                reports = job.agree("which replicas' values are not finite", mine)
                raise _error(found.step, bad, {job.task(worker): report for worker, report in enumerate(reports)})


def checked_policy(policy: str, asked: str) -> str:
    """Returns the policy. Raises InvalidArgumentError for another word."""
    if policy not in POLICIES:
        raise InvalidArgumentError(f"{asked}{policy!r}: it has to be one of {', '.join(POLICIES)}.")
    return policy


@jax.jit
def _all_finite(arrays: list[jax.Array]) -> jax.Array:
    return jnp.stack([jnp.isfinite(array).all() for array in arrays])


def _culprits(reports: Mapping[str, list[Any]]) -> list[str]:
    """Returns the replicas whose slots are not finite where others' are. reports: by task, (replica, finite) pairs."""
    replicas = [(task, replica, finite) for task, mine in reports.items() for replica, finite in mine]
    partly = [
        i for i, column in enumerate(zip(*(f for *_, f in replicas), strict=True)) if any(column) and not all(column)
    ]
    return [f"replica {r} of {task}" for task, r, finite in replicas if not all(finite[i] for i in partly)]


def _error(step: int, bad: list[str], reports: Mapping[str, list[Any]]) -> NonFiniteError:
    where = "Which worker's data it comes from is not known. "
    if culprits := _culprits(reports):
        where = f"In that step only metrics of {', '.join(culprits)} are not finite: look at its part of the data. "
    more = f" and {len(bad) - _SHOWN} more" if len(bad) > _SHOWN else ""
    return NonFiniteError(
        f"After step {step} of this strategy variables are not finite (NaN or infinite): {', '.join(bad[:_SHOWN])}{more}. "
        f"{where}Restore the last finite checkpoint, and lower the learning rate, clip gradients, or look for log(0) and "
        "division by 0; tf.debugging.enable_check_numerics() finds the operation. "
        '(strategy.non_finite = "stop" asked for this error.)',
        step=step,
        variables=tuple(bad),
    )
