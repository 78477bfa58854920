"""Assertions of `tf.debugging` in a compiled step: the program returns their results, and the caller gets the error."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core as xc

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.mesh import AXIS
from stratagem._core.roles import RaisedError
from stratagem._core.values import PerReplica, as_text
from stratagem._private import add_check, checked, of_host_words, revealed, to_words


@final
@dataclass(frozen=True)
class Check:
    """One check of a trace. name: the key of its values among the results; names sort in the order of the checks.

    raised: returns the exception that the check stands for, if it does.
    """

    text: str
    labels: tuple[str, ...]
    dtypes: tuple[np.dtype, ...]
    name: Any
    raised: RaisedError | None = None


def note_check(
    checks: list[Check],
    fails: jax.Array,
    text: str,
    values: Mapping[str, jax.Array],
    raised: RaisedError | None = None,
) -> None:
    """Adds a check to the program being traced and to the list of its checks."""
    dtypes = tuple(np.dtype(v.dtype) for v in values.values())
    words = [to_words(v) for v in values.values()]
    checks.append(Check(text, tuple(values), dtypes, add_check(fails, len(checks) + 1, words), raised))


@final
@dataclass(frozen=True)
class ProgramAssertions:
    """The checks of a program, and where their results are among the program's last results.

    The first of these results is, for each replica, the number of the check that failed first (from 1; 0 for none). The
    others are the values of the checks. starts: for each check, the index of its first value among those.
    """

    texts: tuple[str, ...] = ()
    labels: tuple[tuple[str, ...], ...] = ()
    dtypes: tuple[tuple[np.dtype, ...], ...] = ()
    starts: tuple[int, ...] = ()
    values: int = 0
    raised: tuple[RaisedError | None, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.texts)

    @property
    def results(self) -> int:
        """The number of the program's results that are the checks'."""
        return 1 + self.values if self else 0

    def verify(self, results: Sequence[Any], replicas: Sequence[int]) -> None:
        """Waits for the program with these results; raises InvalidArgumentError if one of its checks failed.

        A check that stands for an exception of the user's code raises that, where it was raised.

        replicas: those whose values are in this process. All workers raise at the same step; those that have the values
        show them.
        """
        if not self:
            return
        numbers, *values = results[-self.results :]
        failed = np.flatnonzero(found := np.asarray(numbers))
        if not failed.size:
            return
        here = [r for r in failed if r in replicas]
        replica = int(here[0] if here else failed[0])
        check = int(found[replica]) - 1
        text = self.texts[check] + (f" (replica {replica})" if len(found) > 1 else "")
        if not here:
            raise InvalidArgumentError(f"{text}\nIt is a replica of another worker, whose error has the values.")
        error = raised() if (raised := self.raised[check]) is not None else None
        if error is not None:
            raise error
        position = list(replicas).index(replica)
        own = values[self.starts[check] :][: len(self.labels[check])]
        read = (np.asarray(v.values[position] if isinstance(v, PerReplica) else v) for v in own)
        arrays = (of_host_words(v, t) for v, t in zip(read, self.dtypes[check], strict=True))
        shown = (f"\n{label} = {as_text(a)}" for label, a in zip(self.labels[check], arrays, strict=True))
        raise InvalidArgumentError(text + "".join(shown))


NO_CHECKS = ProgramAssertions()


def with_checks(
    closed: xc.ClosedJaxpr, checks: Sequence[Check], written: Sequence[int] | None, new: int, replicas: int
) -> tuple[xc.ClosedJaxpr, ProgramAssertions]:
    """Returns the program with the results of its checks, which come before the `new` values of variables.

    written: the inputs whose new values those are; if a check fails, on any replica, they keep their old values. None: the
    caller takes care of that.
    """
    starts: dict[Any, int] = {}

    def run(*args: Any) -> list[Any]:
        outs, found = checked(closed, *args)
        numbers = found.number[None] if replicas == 1 else jax.lax.all_gather(found.number, AXIS)
        results, after = outs[: len(outs) - new], outs[len(outs) - new :]
        if written is not None:
            fine = jnp.all(numbers == 0)
            after = [
                jax.lax.select(jnp.broadcast_to(fine, v.shape), v, args[i]) for v, i in zip(after, written, strict=True)
            ]
        names = sorted(found.values)
        sizes = [len(found.values[name]) for name in names]
        starts.update(zip(names, itertools.accumulate(sizes, initial=0), strict=False))
        return [*results, numbers, *itertools.chain(*(found.values[name] for name in names)), *after]

    made = revealed(jax.make_jaxpr(run, axis_env=[(AXIS, replicas)])(*(v.aval for v in closed.jaxpr.invars)))
    return made, ProgramAssertions(
        tuple(c.text for c in checks),
        tuple(c.labels for c in checks),
        tuple(c.dtypes for c in checks),
        # (A check in code that never runs, such as a loop without steps, has no values.)
        tuple(starts.get(c.name, 0) for c in checks),
        len(made.jaxpr.outvars) - len(closed.jaxpr.outvars) - 1,
        tuple(c.raised for c in checks),
    )
