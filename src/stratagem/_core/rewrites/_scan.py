"""A `scan` taken apart: the parts of its body, and a loop that carries, reads and gives other values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

from jax.extend import core as xc

from stratagem._core.rewrites._memory import size
from stratagem._private import needed_equations


@final
@dataclass(frozen=True)
class Scan:
    """A `scan` equation. Its body takes constants, carries and slices of arrays, and gives carries and slices of results."""

    loop: Any

    @cached_property
    def body(self) -> Any:
        return self.loop.params["jaxpr"].jaxpr

    @property
    def constants(self) -> Sequence[Any]:
        return self.body.invars[: self._first_carry]

    @property
    def carries(self) -> Sequence[Any]:
        return self.body.invars[self._first_carry : self._first_slice]

    @property
    def slices(self) -> Sequence[Any]:
        return self.body.invars[self._first_slice :]

    @property
    def next_carries(self) -> Sequence[Any]:
        return self.body.outvars[: len(self.carries)]

    @property
    def results(self) -> Sequence[Any]:
        """The variables of the body that become arrays of all steps."""
        return self.body.outvars[len(self.carries) :]

    @cached_property
    def outside(self) -> Mapping[Any, Any]:
        """The loop's operand for each of the body's variables: of a slice the whole array, of a carry its first value."""
        return dict(zip(self.body.invars, self.loop.invars, strict=True))

    @property
    def ends(self) -> Sequence[Any]:
        """The last carries, outside."""
        return self.loop.outvars[: len(self.carries)]

    @property
    def arrays(self) -> Sequence[Any]:
        """The arrays of results, outside."""
        return self.loop.outvars[len(self.carries) :]

    @property
    def bytes_of_a_step(self) -> int:
        """The memory that a step reads and writes in arrays of all steps."""
        return size([*self.slices, *self.results])

    @property
    def _first_carry(self) -> int:
        return int(self.loop.params["num_consts"])

    @property
    def _first_slice(self) -> int:
        return self._first_carry + int(self.loop.params["num_carry"])

    def reading(self, arrays: Mapping[Any, Any]) -> Any:
        """Returns the loop with slices of arrays, by the variable of its body that they take the place of."""
        body = self.body.replace(
            invars=[*self.body.invars, *arrays],
            eqns=[eqn for eqn in self.body.eqns if not any(v in arrays for v in eqn.outvars)],
        )
        return self._with(body, [*self.loop.invars, *arrays.values()], self.loop.outvars, len(self.carries))

    def giving(self, carries: Iterable[int], arrays: Iterable[int], more: Mapping[Any, Any]) -> Any:
        """Returns the loop with some carries and arrays of results left, by position, and more arrays, by the body's variable.

        What nothing needs any more is not computed.
        """
        carries, arrays = list(carries), list(arrays)
        outs = [*(self.next_carries[i] for i in carries), *(self.results[i] for i in arrays), *more]
        kept = [*self.constants, *(self.carries[i] for i in carries), *self.slices]
        body = self.body.replace(invars=kept, outvars=outs, eqns=needed_equations(self.body.eqns, outs))
        results = [*(self.ends[i] for i in carries), *(self.arrays[i] for i in arrays), *more.values()]
        return self._with(body, [self.outside[v] for v in kept], results, len(carries))

    def computing(self, equations: Sequence[Any]) -> Any:
        """Returns the loop that computes some of its slices by these equations, in place of reading them."""
        made = {v for eqn in equations for v in eqn.outvars}
        kept = [v for v in self.body.invars if v not in made]
        body = self.body.replace(invars=kept, eqns=[*equations, *self.body.eqns])
        return self._with(body, [self.outside[v] for v in kept], self.loop.outvars, len(self.carries))

    def _with(self, body: Any, operands: Sequence[Any], results: Sequence[Any], carries: int) -> Any:
        closed = xc.ClosedJaxpr(body, self.loop.params["jaxpr"].consts)
        params = {**self.loop.params, "jaxpr": closed, "num_carry": carries}
        return self.loop.replace(invars=list(operands), outvars=list(results), params=params)
