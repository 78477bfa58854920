"""Updates as a primitive: element-wise programs over arrays of different lengths, such as an optimizer's, in one call.

XLA generates code for each result of each variable: for a MobileNetV2 with Adam 580 functions besides 330 of its own, which
take a seventh of the first step's time and 240 MB. The library interprets a program, block by block, and generates nothing.
An update has no derivatives: it takes the place of a program's own operations when that is compiled.
"""

import enum
import operator
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core as xc
from jax.interpreters import mlir

from stratagem._kernels._library import UPDATE, has_kernels
from stratagem._kernels._primitives import define
from stratagem._private import runs_here_as_it_is

update_p = xc.Primitive("update")
update_p.multiple_results = True


class UpdateOperation(enum.IntEnum):
    """An instruction's operation, by the library's numbers."""

    ADD = 0
    SUBTRACT = 1
    MULTIPLY = 2
    DIVIDE = 3
    MAXIMUM = 4
    MINIMUM = 5
    NEGATE = 6
    MAGNITUDE = 7
    SIGN = 8
    SQUARE_ROOT = 9
    RECIPROCAL_SQUARE_ROOT = 10
    MULTIPLY_ADD = 11  # a * b + c
    MULTIPLY_SUBTRACT = 12  # a * b - c
    SUBTRACT_MULTIPLIED = 13  # c - a * b


class OperandSource(enum.IntEnum):
    """The place of an operand, by the library's numbers."""

    ARRAY = 0
    SCALAR = 1
    CONSTANT = 2
    RESULT = 3  # of an instruction before


class Operand(NamedTuple):
    """The one of this number of its source."""

    source: OperandSource
    number: int


class Instruction(NamedTuple):
    """An operation and its operands, one to three."""

    operation: UpdateOperation
    operands: tuple[Operand, ...]


class ElementwiseProgram(NamedTuple):
    """Instructions for each element of some arrays of the same shape.

    arrays, scalars: how many operands it has of each. constants: float32 numbers, by their bits. results: the numbers of the
    instructions whose results are the program's.
    """

    arrays: int
    scalars: int
    constants: tuple[int, ...]
    instructions: tuple[Instruction, ...]
    results: tuple[int, ...]


class Update(NamedTuple):
    """A program, and which of a call's scalars are its operands."""

    program: ElementwiseProgram
    scalars: tuple[int, ...]


def update(
    scalars: Sequence[jax.Array],
    arrays: Sequence[jax.Array],
    updates: Sequence[Update],
    in_place: Sequence[tuple[int, int]] = (),
) -> list[jax.Array]:
    """Returns the results of all updates, one after the other.

    Args:
        scalars: float32.
        arrays: float32, those of the first update, then those of the second, and so on.
        updates: each with arrays of one shape.
        in_place: pairs of an array and a result, by their numbers: it may be written into the array's memory.
    """
    results: list[jax.Array] = update_p.bind(
        *scalars, *arrays, updates=tuple(updates), scalars=len(scalars), in_place=tuple(in_place)
    )
    return results


# --- By XLA ------------------------------------------------------------------------------------------------------------------

_FUNCTIONS: Final[dict[UpdateOperation, Callable[..., jax.Array]]] = {
    UpdateOperation.ADD: operator.add,
    UpdateOperation.SUBTRACT: operator.sub,
    UpdateOperation.MULTIPLY: operator.mul,
    UpdateOperation.DIVIDE: operator.truediv,
    UpdateOperation.MAXIMUM: jnp.maximum,
    UpdateOperation.MINIMUM: jnp.minimum,
    UpdateOperation.NEGATE: operator.neg,
    UpdateOperation.MAGNITUDE: jnp.abs,
    UpdateOperation.SIGN: jnp.sign,
    UpdateOperation.SQUARE_ROOT: jnp.sqrt,
    UpdateOperation.RECIPROCAL_SQUARE_ROOT: jax.lax.rsqrt,
    UpdateOperation.MULTIPLY_ADD: lambda a, b, c: a * b + c,
    UpdateOperation.MULTIPLY_SUBTRACT: lambda a, b, c: a * b - c,
    UpdateOperation.SUBTRACT_MULTIPLIED: lambda a, b, c: c - a * b,
}


def _by_xla(*operands: jax.Array, updates: tuple[Update, ...], scalars: int, **_: Any) -> list[jax.Array]:
    results: list[jax.Array] = []
    next_array = scalars
    for program, own_scalars in updates:
        arrays = operands[next_array : next_array + program.arrays]
        next_array += program.arrays
        results += _interpreted(program, arrays, [operands[i] for i in own_scalars])
    return results


def _interpreted(
    program: ElementwiseProgram, arrays: Sequence[jax.Array], scalars: Sequence[jax.Array]
) -> list[jax.Array]:
    computed: list[jax.Array] = []
    constants = list(np.asarray(program.constants, np.int32).view(np.float32))
    sources: dict[OperandSource, Sequence[Any]] = {
        OperandSource.ARRAY: arrays,
        OperandSource.SCALAR: scalars,
        OperandSource.CONSTANT: constants,
        OperandSource.RESULT: computed,
    }
    for operation, operands in program.instructions:
        value = _FUNCTIONS[operation](*(sources[source][number] for source, number in operands))
        computed.append(jnp.broadcast_to(value, arrays[0].shape))
    return [computed[i] for i in program.results]


# --- By the library ----------------------------------------------------------------------------------------------------------


def _by_library(
    *operands: jax.Array, updates: tuple[Update, ...], scalars: int, in_place: tuple[tuple[int, int], ...]
) -> Sequence[jax.Array]:
    programs = list(dict.fromkeys(update.program for update in updates))
    constants = [bits for program in programs for bits in program.constants]
    starts = np.cumsum([0, *(len(program.constants) for program in programs)])
    words = [word for program, start in zip(programs, starts, strict=False) for word in _words(program, int(start))]
    described: list[int] = []
    next_array = scalars
    for program, own_scalars in updates:
        described += [programs.index(program), operands[next_array].size, *own_scalars]
        next_array += program.arrays
    call = jax.ffi.ffi_call(
        UPDATE,
        _shapes(*operands, updates=updates, scalars=scalars),
        input_output_aliases={scalars + array: result for array, result in in_place},
    )
    results: Sequence[jax.Array] = call(
        *operands,
        programs=np.asarray(words, np.int64),
        updates=np.asarray(described, np.int64),
        constants=np.asarray(constants, np.int32).view(np.float32),
        scalars=np.int64(scalars),
    )
    return results


def _words(program: ElementwiseProgram, first_constant: int) -> list[int]:
    """Returns a program as the library reads it. first_constant: the number of its first one among those of all programs."""
    words = [program.arrays, program.scalars, len(program.instructions)]
    for operation, operands in program.instructions:
        words.append(operation)
        for source, number in (*operands, *[Operand(OperandSource.ARRAY, 0)] * (3 - len(operands))):
            words += [source, number + first_constant if source is OperandSource.CONSTANT else number]
    return [*words, len(program.results), *program.results]


def _lowered(context: Any, *operands: Any, **params: Any) -> Any:
    """Lowers to the library's call; to XLA's operations where it cannot be called."""
    here = has_kernels() and runs_here_as_it_is(context)
    return mlir.lower_fun(_by_library if here else _by_xla, multiple_results=True)(context, *operands, **params)


def _shapes(*operands: Any, updates: tuple[Update, ...], scalars: int, **_: Any) -> list[jax.ShapeDtypeStruct]:
    shapes: list[jax.ShapeDtypeStruct] = []
    next_array = scalars
    for program, _scalars in updates:
        shapes += [jax.ShapeDtypeStruct(operands[next_array].shape, jnp.float32)] * len(program.results)
        next_array += program.arrays
    return shapes


def _abstract(*operands: Any, **params: Any) -> list[jax.core.ShapedArray]:
    return [jax.core.ShapedArray(shape.shape, shape.dtype) for shape in _shapes(*operands, **params)]


define(update_p, _abstract, _by_xla, _lowered)
