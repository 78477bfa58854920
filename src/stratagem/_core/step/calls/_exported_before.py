"""Programs that this process has exported: exporting one again, of the same function or of another, takes its trace alone.

Most of an export's time goes into lowering a program and its gradient for three platforms. Exporters of Estimators export one
model after each evaluation, and a Keras model's default signature is the program of its call.
"""

import collections
import hashlib
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._core.step.programs._trace import Trace
from stratagem._private import rules_of

_MOST_BYTES: Final = 64 << 20


@final
@dataclass(frozen=True)
class LoweredProgram:
    """A program as bytes. platforms: on which it runs. differentiable: whether it has gradients. results: their types."""

    code: bytes = field(repr=False)
    platforms: tuple[str, ...]
    differentiable: bool
    results: tuple[jax.core.ShapedArray, ...]


@final
@dataclass(frozen=True, eq=False)
class ProgramKey:
    """The parts of a trace that a lowered program is made of.

    digest: of the equations and constants.
    rules: functions that the equations hold, such as rules for derivatives; no text shows them.
    """

    digest: bytes
    rules: Sequence[Any]

    @classmethod
    def of(cls, traced: Trace, told: Sequence[str], shaped: int) -> "ProgramKey | None":
        """Returns the key of a trace; None for one that has no exact one. told, shaped: as in an export."""
        closed = traced.closed
        text = str(closed.jaxpr)
        if "..." in text or any(jnp.issubdtype(v.dtype, jax.dtypes.extended) for v in closed.consts):
            return None  # an array that is not shown in full, or keys of random numbers
        rules = rules_of(closed)
        found = hashlib.sha256(text.encode())
        checks = traced.results.checks.results
        texts = [rule for rule in rules if isinstance(rule, str)]
        counts = (len(traced.results.per_replica), len(traced.written), checks, shaped)
        found.update(repr((counts, [*told], texts)).encode())
        for constant in map(np.asarray, closed.consts):
            found.update(f"{constant.dtype}{constant.shape}".encode() + constant.tobytes())
        return cls(found.digest(), [rule for rule in rules if not isinstance(rule, str)])


@final
class _LoweredBefore:
    """The programs that were exported last, as many as have some megabytes together."""

    def __init__(self) -> None:
        self._programs: collections.OrderedDict[bytes, tuple[list[Callable[[], Any | None]], LoweredProgram]] = (
            collections.OrderedDict()
        )
        self._lock = threading.Lock()

    def get(self, key: ProgramKey) -> LoweredProgram | None:
        """Returns the program with these equations and these very rules."""
        with self._lock:
            rules, program = self._programs.get(key.digest, ((), None))
            if program is None or len(rules) != len(key.rules):
                return None
            for held, rule in zip(rules, key.rules, strict=True):
                known = held()
                if known is None or not (known is rule or known == rule):
                    return None
            self._programs.move_to_end(key.digest)
            return program

    def keep(self, key: ProgramKey, program: LoweredProgram) -> None:
        """Keeps a program, and none of its rules: those of the user's hold his objects."""
        try:
            rules: list[Callable[[], Any | None]] = [weakref.ref(rule) for rule in key.rules]
        except TypeError:
            return
        with self._lock:
            self._programs[key.digest] = (rules, program)
            while sum(len(each.code) for _, each in self._programs.values()) > _MOST_BYTES:
                self._programs.popitem(last=False)


_known = _LoweredBefore()


def lowered(key: ProgramKey | None, lower: Callable[[], LoweredProgram]) -> LoweredProgram:
    """Returns the program with this key: the one that was made before, or a new one.

    One that lacks gradients or a platform is made again each time, so that whoever exports it is told.
    """
    found = None if key is None else _known.get(key)
    if found is None:
        found = lower()
        if key is not None and found.differentiable and len(found.platforms) > 1:
            _known.keep(key, found)
    return found
