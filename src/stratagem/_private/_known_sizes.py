"""Programs whose sizes were symbols when they were traced, with known sizes in their place."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, final

import jax
import numpy as np
from jax._src import core as jax_core
from jax._src import linear_util
from jax._src.export.shape_poly import _DimExpr, dim_as_value_p
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal, Var


def with_sizes(closed: ClosedJaxpr, sizes: Mapping[str, int]) -> ClosedJaxpr:
    """Returns the program with a number in place of every symbol. sizes: by the names of the symbols."""
    return ClosedJaxpr(_Sizes(sizes).program(closed.jaxpr), closed.consts)


def known_shape(shape: Sequence[Any], sizes: Mapping[str, int]) -> tuple[int, ...]:
    """Returns a shape with numbers in place of symbols."""
    return tuple(_Sizes(sizes).known(size) for size in shape)


def names_in(shape: Iterable[Any]) -> set[str]:
    """Returns the names of the symbols in a shape."""
    return {name for size in shape if isinstance(size, _DimExpr) for name in size._get_vars()}


def names_needed(closed: ClosedJaxpr) -> set[str]:
    """Returns the names of all symbols in a program."""
    noted = _NamesNoted()
    found = _Sizes({})
    found._sizes = noted
    found.program(closed.jaxpr)
    return noted.names


def symbol_of(size: Any, number: int) -> tuple[str, int | None]:
    """Returns the name in a sum of one symbol, and what that is where the sum is `number`; None if it is no integer."""
    (name,) = size._get_vars()
    at_none, at_one = (int(size._evaluate({name: each})) for each in (0, 1))
    found, rest = divmod(number - at_none, at_one - at_none)
    return name, None if rest else found


class _NamesNoted(dict[str, Any]):
    """In place of the sizes of a call: takes note of the names that are asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __missing__(self, name: str) -> Any:
        self.names.add(name)
        return np.int32(1)


@final
class _Sizes:
    """The sizes of one call.

    programs: those that have been made, by the identity of what they were made of; an equation may name one several times.
    """

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self._sizes: dict[str, Any] = {name: np.int32(size) for name, size in sizes.items()}
        self._programs: dict[int, tuple[Any, Any]] = {}

    def program(self, jaxpr: Jaxpr) -> Jaxpr:
        known: dict[Var, Any] = {}

        def var(atom: Any) -> Any:
            if isinstance(atom, Literal):
                return atom
            if atom not in known:
                known[atom] = atom if type(atom) is not Var else Var(self.known(atom.aval))
            return known[atom]

        eqns = []
        for eqn in jaxpr.eqns:
            params = {name: self.known(value) for name, value in eqn.params.items()}
            if eqn.primitive is dim_as_value_p:
                (made,) = eqn.outvars
                aval: Any = made.aval
                known[made] = Literal(np.asarray(params["dim"], aval.dtype)[()], aval)
                continue
            eqns.append(
                eqn.replace(invars=[var(v) for v in eqn.invars], outvars=[var(v) for v in eqn.outvars], params=params)
            )
        return jaxpr.replace(
            constvars=[var(v) for v in jaxpr.constvars],
            invars=[var(v) for v in jaxpr.invars],
            outvars=[var(v) for v in jaxpr.outvars],
            eqns=eqns,
        )

    def known(self, value: Any) -> Any:
        """Returns a parameter of an equation, or a part of one, with numbers in place of symbols."""
        if isinstance(value, _DimExpr):
            with jax.ensure_compile_time_eval():
                return int(value._evaluate(self._sizes))
        if isinstance(value, ClosedJaxpr | Jaxpr):
            return self._once(value)
        if isinstance(value, jax_core.ShapedArray):
            return value if jax_core.is_constant_shape(value.shape) else value.update(shape=self.known(value.shape))
        if isinstance(value, linear_util.WrappedFun):
            return self._reverse(value) if value.transforms else self._told_later(value)
        if isinstance(value, tuple):
            parts = [self.known(part) for part in value]
            if all(new is old for new, old in zip(parts, value, strict=True)):
                return value
            return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            changed = {name: new for name, old in fields.items() if (new := self.known(old)) is not old}
            return dataclasses.replace(value, **changed) if changed else value
        return value

    def _once(self, program: Any) -> Any:
        if id(program) not in self._programs:
            jaxpr = program.jaxpr if isinstance(program, ClosedJaxpr) else program
            made = self.program(jaxpr)
            self._programs[id(program)] = (
                program,
                ClosedJaxpr(made, program.consts) if isinstance(program, ClosedJaxpr) else made,
            )
        return self._programs[id(program)][1]

    def _reverse(self, made: Any) -> Any:
        """Returns the reverse of a function with a derivative of its own, which JAX has told the types of its operands."""
        found = linear_util.wrap_init(made.f, dict(made.params), debug_info=made.debug_info)
        for (transform, told), store in reversed(list(zip(made.transforms, made.stores, strict=True))):
            found = found.wrap(transform, self.known(told), store)
        return found

    def _told_later(self, made: Any) -> Any:
        """Returns a function of JAX's that makes the program of a derivative when it is asked for, with sizes in that."""

        def sized(*args: Any) -> Any:
            jaxpr, *rest = made.call_wrapped(*args)
            return (self.known(jaxpr), *rest)

        return linear_util.wrap_init(sized, debug_info=made.debug_info)
