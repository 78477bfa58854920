"""with_updates_together: the updates of a program's variables, element by element, as a few calls of the library.

An optimizer takes the same few operations for each variable. XLA compiles them again for each, and computes each result in
a loop of its own.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import jax
import numpy as np
from jax.extend import core as xc

from stratagem._core.rewrites._inlined import inlined
from stratagem._kernels import (
    ElementwiseProgram,
    Instruction,
    Operand,
    OperandSource,
    Update,
    UpdateOperation,
    update,
)
from stratagem._private import is_literal

# The elements of a call's variables: their gradients have to be in memory at the same time, and are still in a cache.
_MOST_ELEMENTS: Final = 1 << 17
# XLA's loops over more elements than these wait for memory, and the library takes 1.1 times as long. What it takes to compile
# them does not grow with their length.
_MANY_ELEMENTS: Final = 1 << 18
# More elements than these are not written to memory for a call, where XLA would compute them in the loop that reads them.
_FEW_ELEMENTS: Final = 1 << 12
_ASSIGNED: Final = "assigned"
_SQUARES: Final = ("square", "integer_pow")
_OPERATIONS: Final = {
    "add": UpdateOperation.ADD,
    "sub": UpdateOperation.SUBTRACT,
    "mul": UpdateOperation.MULTIPLY,
    "div": UpdateOperation.DIVIDE,
    "max": UpdateOperation.MAXIMUM,
    "min": UpdateOperation.MINIMUM,
    "neg": UpdateOperation.NEGATE,
    "abs": UpdateOperation.MAGNITUDE,
    "sign": UpdateOperation.SIGN,
    "sqrt": UpdateOperation.SQUARE_ROOT,
    "rsqrt": UpdateOperation.RECIPROCAL_SQUARE_ROOT,
}
# Operations that XLA computes in the loops that read their results, besides those of arrays of one shape.
_FUSED: Final = ("broadcast_in_dim", "iota", "pad", "rev", "transpose", "slice", "concatenate")


def with_updates_together(jaxpr: xc.Jaxpr) -> xc.Jaxpr:
    """Returns the same program with joint updates of its variables; the same object if it has none.

    jaxpr: a program with its gradients.
    """
    found = _Equations(jaxpr)
    parts = [part for part in map(found.part, found.groups()) if part is not None]
    taken = {id(eqn) for part in parts for eqn in part.equations}
    eqns = [eqn for eqn in jaxpr.eqns if id(eqn) not in taken]
    for call in _calls(parts):
        eqns += _equations(call)
    return jaxpr.replace(eqns=eqns) if taken else jaxpr


@final
@dataclass(frozen=True, eq=False)
class _Part:
    """Equations that become an update.

    scalars, arrays: the values that it reads. results: those of the program's that it gives, in the order of the update's.
    in_place: pairs of an array and a result, by their numbers here.
    """

    equations: Sequence[Any]
    program: ElementwiseProgram
    scalars: Sequence[Any]
    arrays: Sequence[Any]
    results: Sequence[Any]
    in_place: Sequence[tuple[int, int]]

    @property
    def elements(self) -> int:
        """The elements of each of its arrays."""
        return _elements(self.arrays[0])


@final
class _Equations:
    """Finds the equations of a program that only its results depend on, and that are computed element by element."""

    def __init__(self, jaxpr: xc.Jaxpr) -> None:
        self._outs = Counter(v for v in jaxpr.outvars if not is_literal(v))
        self._uses = Counter(v for eqn in jaxpr.eqns for v in eqn.invars if not is_literal(v))
        self._makers = {v: eqn for eqn in jaxpr.eqns for v in eqn.outvars}
        self._last: dict[Any, Any] = {}  # by its result
        read: Counter[Any] = Counter()  # how often such equations read a value
        for eqn in reversed(jaxpr.eqns):
            if not _is_elementwise(eqn):
                continue
            (result,) = eqn.outvars
            if read[result] == self._uses[result] and (self._uses[result] or self._outs[result]):
                self._last[result] = eqn
                read.update(v for v in eqn.invars if not is_literal(v))

    def groups(self) -> list[list[Any]]:
        """Returns the equations in groups that share arrays, each in the program's order."""
        roots: dict[Any, Any] = {}

        def root(v: Any) -> Any:
            while (above := roots.setdefault(v, v)) is not v:
                roots[v] = v = roots[above]
            return v

        eqns = list(reversed(self._last.values()))
        for eqn in eqns:
            for v in _arrays(eqn):
                roots[root(v)] = root(eqn.outvars[0])
        together: dict[Any, list[Any]] = {}
        for eqn in eqns:
            together.setdefault(root(eqn.outvars[0]), []).append(eqn)
        return list(together.values())

    def part(self, group: Sequence[Any]) -> _Part | None:
        """Returns the update that a group becomes; None if it assigns no variable, or XLA is better at it."""
        made = dict.fromkeys(eqn.outvars[0] for eqn in group)
        read = list(dict.fromkeys(v for eqn in group for v in _arrays(eqn) if v not in made))
        assigned = any(eqn.primitive.name == _ASSIGNED for eqn in group)
        if not assigned or not read or _elements(read[0]) > _MANY_ELEMENTS or any(map(self._is_fused, read)):
            return None
        translation = _Translation(group, read, self._uses, self._outs)
        results = [v for v in made if self._outs[v]]
        operands = [translation.operands[v] for v in results]
        if any(operand.source is not OperandSource.RESULT for operand in operands):
            return None  # a variable gets the value of something else as it is
        numbers = tuple(operand.number for operand in operands)
        return _Part(
            group,
            translation.program(numbers),
            list(translation.scalars),
            read,
            results,
            list(_in_place(group, read, results)),
        )

    def _is_fused(self, v: Any) -> bool:
        """Returns whether XLA would compute a value in the loop that reads it, but for small ones."""
        maker = self._makers.get(v)
        if maker is None or _elements(v) <= _FEW_ELEMENTS:
            return False
        if maker.primitive.name == "reshape":
            return self._is_fused(maker.invars[0])
        if maker.primitive.name == "transpose" and self._is_product(maker.invars[0]):
            return False  # XLA computes it in that order
        name = maker.primitive.name
        arrays = [shape for x in maker.invars if (shape := getattr(x.aval, "shape", ())) != ()]
        pure = not maker.effects and not any(isinstance(p, xc.Jaxpr | xc.ClosedJaxpr) for p in maker.params.values())
        return name in _FUSED or (pure and all(shape == v.aval.shape for shape in arrays) and not _is_message(maker))

    def _is_product(self, v: Any) -> bool:
        maker = self._makers.get(v)
        return maker is not None and maker.primitive.name == "dot_general"


@final
class _Translation:
    """The instructions that a group of equations becomes."""

    def __init__(
        self, group: Sequence[Any], read: Sequence[Any], uses: Mapping[Any, int], outs: Mapping[Any, int]
    ) -> None:
        self.operands: dict[Any, Operand] = {v: Operand(OperandSource.ARRAY, i) for i, v in enumerate(read)}
        self.scalars: dict[Any, Operand] = {}
        self._constants: dict[int, Operand] = {}
        self._instructions: list[Instruction] = []
        self._arrays = len(read)
        self._products = {
            eqn.outvars[0]: eqn
            for eqn in group
            if eqn.primitive.name in ("mul", *_SQUARES) and uses[eqn.outvars[0]] == 1 and not outs[eqn.outvars[0]]
        }
        fused = {v for eqn in group for v in self._fused_product(eqn)}
        for eqn in group:
            if eqn.outvars[0] not in fused:
                self._translate(eqn)

    def program(self, results: tuple[int, ...]) -> ElementwiseProgram:
        """Returns them with the numbers of those whose results the program gives."""
        instructions = tuple(self._instructions)
        return ElementwiseProgram(self._arrays, len(self.scalars), tuple(self._constants), instructions, results)

    def _translate(self, eqn: Any) -> None:
        name, (result,) = eqn.primitive.name, eqn.outvars
        if name in (_ASSIGNED, "broadcast_in_dim"):
            self.operands[result] = self._operand(eqn.invars[0])
            return
        fused = self._fused_product(eqn)
        if fused:
            first, second = self._factors(self._products[fused[0]])
            other = self._operand(eqn.invars[1] if eqn.invars[0] is fused[0] else eqn.invars[0])
            how = UpdateOperation.MULTIPLY_ADD
            if name == "sub":
                how = (
                    UpdateOperation.MULTIPLY_SUBTRACT
                    if eqn.invars[0] is fused[0]
                    else UpdateOperation.SUBTRACT_MULTIPLIED
                )
            self._instructions.append(Instruction(how, (first, second, other)))
        elif name in _SQUARES:
            self._instructions.append(Instruction(UpdateOperation.MULTIPLY, self._factors(eqn)))
        else:
            self._instructions.append(Instruction(_OPERATIONS[name], tuple(map(self._operand, eqn.invars))))
        self.operands[result] = Operand(OperandSource.RESULT, len(self._instructions) - 1)

    def _fused_product(self, eqn: Any) -> list[Any]:
        """Returns the operand of a sum that is a product of this group and nothing else's, if there is one.

        XLA's compiler rounds such a sum once, too.
        """
        if eqn.primitive.name not in ("add", "sub"):
            return []
        return [v for v in eqn.invars if not is_literal(v) and v in self._products][:1]

    def _factors(self, product: Any) -> tuple[Operand, Operand]:
        first, *other = map(self._operand, product.invars)
        return first, other[0] if other else first

    def _operand(self, atom: Any) -> Operand:
        if is_literal(atom):
            bits = int(np.float32(atom.val).view(np.int32))
            return self._constants.setdefault(bits, Operand(OperandSource.CONSTANT, len(self._constants)))
        if atom in self.operands:
            return self.operands[atom]
        return self.scalars.setdefault(atom, Operand(OperandSource.SCALAR, len(self.scalars)))


def _is_elementwise(eqn: Any) -> bool:
    """Returns whether the library can compute an equation: of float32 arrays of one shape, and scalars."""
    name = eqn.primitive.name
    if len(eqn.outvars) != 1 or eqn.effects:
        return False
    result = eqn.outvars[0].aval
    if any(getattr(v.aval, "dtype", None) != np.float32 for v in (*eqn.outvars, *eqn.invars)) or 0 in result.shape:
        return False
    if name == "broadcast_in_dim":
        return len(eqn.invars) == 1 and eqn.invars[0].aval.shape == () and result.shape != ()
    known = name in _OPERATIONS or name in (_ASSIGNED, "square") or (name == "integer_pow" and eqn.params["y"] == 2)
    return bool(
        known and result.shape != () and all(v.aval.shape in ((), result.shape) for v in eqn.invars) and _arrays(eqn)
    )


def _elements(v: Any) -> int:
    return math.prod(v.aval.shape)


def _arrays(eqn: Any) -> list[Any]:
    return [v for v in eqn.invars if v.aval.shape != () and not is_literal(v)]


def _is_message(eqn: Any) -> bool:
    return "axes" in eqn.params or "axis_name" in eqn.params


def _in_place(group: Sequence[Any], read: Sequence[Any], results: Sequence[Any]) -> Iterator[tuple[int, int]]:
    """Yields the array of a variable's value before, and the result that is its value after."""
    places = {v: i for i, v in enumerate(read)}
    for eqn in group:
        if eqn.primitive.name != _ASSIGNED or eqn.outvars[0] not in results:
            continue
        before = eqn.invars[1]
        if not is_literal(before) and before in places:
            yield places.pop(before), results.index(eqn.outvars[0])


def _calls(parts: Sequence[_Part]) -> Iterator[list[_Part]]:
    """Yields parts that one call computes."""
    call: list[_Part] = []
    for part in parts:
        if call and sum(other.elements for other in call) + part.elements > _MOST_ELEMENTS:
            yield call
            call = []
        call.append(part)
    if call:
        yield call


def _equations(call: Sequence[_Part]) -> Iterator[Any]:
    scalars = list(dict.fromkeys(v for part in call for v in part.scalars))
    numbers = {v: i for i, v in enumerate(scalars)}
    arrays = [v for part in call for v in part.arrays]
    results = [v for part in call for v in part.results]
    updates = [Update(part.program, tuple(numbers[v] for v in part.scalars)) for part in call]
    in_place, first_array, first_result = [], 0, 0
    for part in call:
        in_place += [(first_array + array, first_result + result) for array, result in part.in_place]
        first_array += len(part.arrays)
        first_result += len(part.results)

    def together(*operands: jax.Array) -> list[jax.Array]:
        return update(operands[: len(scalars)], operands[len(scalars) :], updates, in_place)

    operands = [*scalars, *arrays]
    yield from inlined(jax.make_jaxpr(together)(*(v.aval for v in operands)), operands, results)
