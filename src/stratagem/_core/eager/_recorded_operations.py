"""RecordedOperation: one operation that was computed under a tape, as far as its reverse needs it."""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp

from stratagem._base.errors import TapeError
from stratagem._core.eager._rules import CompiledDerivative
from stratagem._private import AtTraceLevel, current_recording

Number = int  # of a value; no two values have had the same


@final
@dataclass(frozen=True, slots=True)
class RecordedOperation:
    """An operation with a rule.

    operands: the numbers of those with gradients. made: of the inexact results, None for the others. types: of the
    results. residuals: what the reverse needs. given: all operands, if another tape may differentiate the reverse.
    """

    rule: CompiledDerivative
    operands: tuple[Number, ...]
    made: tuple[Number | None, ...]
    types: tuple[Any, ...]
    residuals: Sequence[Any]
    given: Sequence[Any] | None

    def reached(self, live: Container[Number]) -> Sequence[Number | None]:
        """Returns the numbers of the results that depend on these values."""
        depends = self.rule.depends
        if depends is None:
            return self.made
        operands = [n in live for n in self.operands]
        return [n for n, on in zip(self.made, depends, strict=True) if any(operands[i] for i in on)]

    def pull(self, cotangents: Sequence[Any], rows: int | None) -> list[Any]:
        """Returns the cotangents of the operands for those of the results, of which some are None; None if unconnected."""
        rule = self.rule
        pairs = zip(cotangents, self.types, rule.inexact, strict=True)
        seeds = [_zeros(t, rows) if c is None else c for c, t, inexact in pairs if inexact]
        if (trace := current_recording()) is None:
            found = (rule.reverse if rows is None else rule.reverse_rows)(list(self.residuals), seeds)
            return self._connected(found, cotangents)
        if self.given is not None:  # from the operands, which the tape that is open knows
            found = (rule.reverse_anew if rows is None else rule.reverse_rows_anew)(list(self.given), seeds)
            return self._connected(found, cotangents)
        with AtTraceLevel(trace.parent_trace):
            found = (rule.reverse if rows is None else rule.reverse_rows)(list(self.residuals), seeds)
        refuse(found)
        return self._connected(found, cotangents)

    def _connected(self, found: list[Any], cotangents: Sequence[Any]) -> list[Any]:
        """Returns None for the operands that no result with a cotangent depends on."""
        depends = self.rule.depends
        if depends is None:
            return found
        on = frozenset[int]().union(*(d for d, c in zip(depends, cotangents, strict=True) if c is not None))
        return [g if i in on else None for i, g in enumerate(found)]


def refuse(values: Sequence[Any]) -> None:
    """Lets the open tapes refuse to differentiate what the reverse of an operation without its operands has computed."""
    trace = current_recording()
    assert trace is not None
    trace.recorder.refuse(
        values,
        "gradient: the target depends on the gradient of another tape that had recorded, alone, before this tape was opened, "
        "and kept only what its own gradient needs. Open this tape first, or make the other one persistent.",
    )


@final
@dataclass(frozen=True, slots=True)
class PythonReverseOperation:
    """An operation whose reverse is a Python function, such as moving values between devices.

    reverse: from the cotangents of the results, of which some are None, to those of the operands.
    """

    operands: tuple[Number, ...]
    made: tuple[Number | None, ...]
    reverse: Callable[[Sequence[Any]], Sequence[Any]]

    def reached(self, live: Container[Number]) -> Sequence[Number | None]:
        """Returns the numbers of the results, all of which depend on every operand."""
        return self.made

    def pull(self, cotangents: Sequence[Any], rows: int | None) -> list[Any]:
        """Returns the cotangents of the operands for those of the results, of which some are None."""
        if rows is None:
            return list(self.reverse(cotangents))
        each = [[None if c is None else c[i] for c in cotangents] for i in range(rows)]
        columns = zip(*map(self.reverse, each), strict=True)
        return [None if column[0] is None else jnp.stack(column) for column in columns]


@final
@dataclass(frozen=True, slots=True)
class NotDifferentiable:
    """Something that cannot be differentiated here, and whose results a target must not depend on."""

    made: tuple[Number | None, ...]
    message: str
    operands: tuple[Number, ...] = ()

    def reached(self, live: Container[Number]) -> Sequence[Number | None]:
        """Returns the numbers of the results, all of which depend on every operand."""
        return self.made

    def pull(self, cotangents: Sequence[Any], rows: int | None) -> list[Any]:
        """Raises TapeError."""
        raise TapeError(self.message)


def residuals_of(rule: CompiledDerivative, operands: Sequence[Any], made: Sequence[Any]) -> list[Any]:
    """Returns the residuals of an operation, from its operands and from what its forward program returned."""
    sources = {"operand": operands, "result": made, "additional": made[rule.results :]}
    return [sources[r.kind][r.index] for r in rule.residuals]


def _zeros(aval: Any, rows: int | None) -> jax.Array:
    return jnp.zeros(aval.shape if rows is None else (rows, *aval.shape), aval.dtype)
