"""Selects the differences, of those that the table states of a name, that a use can meet as far as its text shows."""

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Final, final

from stratagem.cli.migration._arguments import WrittenArguments
from stratagem.cli.migration._findings import State, Verdict

# What begins a clause that is about steps alone.
_IN_STEPS = ("within a step", "inside a ", "in a step", "in a compiled ", "in compiled ", "not in compiled steps")
_IN_REPLICAS = ("every replica draws", "inside a step once per replica", "in a replica's step")
# Clauses that say only that more works here, or the same every time: a program that TensorFlow runs does not notice.
_MORE: Final = (
    "`argsort` is always stable",
    "`betainc` broadcasts",
    "`einsum` takes lists too",
    "`lstsq` has `l2_regularizer` of complex matrices too",
    "`lu` has a gradient",
    "`name` has a value",
    "`NCHW` works on all devices",
    "`rfft3d` and `irfft3d` have gradients",
    "TF 2.15.1 has no kernels for them",
    "TensorFlow fails to read the diagonals",
    "TensorFlow has no norm of complex tensors here",
    "TensorFlow has no table from int32 to int64",
    "TensorFlow refuses the weight of a scalar",
    "a range and a `TensorShape` are taken too",
    "a mirrored variable may be averaged outside of its scope",
    "dilations have gradients",
    "elements can be read again",
    "groups and dilations in 3-D work",
    "gradients of no frames are empty",
    "keys of any shape",
    "on any device (TF: GPUs)",
    "names what TensorFlow takes as **kwargs",
    "sparse sums have a gradient",
    "strides and dilations together are allowed",
    "takes arguments after TensorFlow's",
    "windows that are dilated and padded with `SAME` are allowed",
)
_INTEGERS: Final = {
    f"{sign}int{bits}": (0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    for sign in ("", "u")
    for bits in (8, 16, 32, 64)
}


def met(verdict: Verdict, call: WrittenArguments | None, *, in_function: bool, in_replicas: bool) -> Verdict:
    """The verdict on a use with the differences that it can meet; WORKS if none is left.

    call: its arguments, where it is called. in_function: a step may call it. in_replicas: the program has a strategy.
    """
    if verdict.state is not State.DIFFERS:
        return verdict
    kept = [
        clause
        for clause in clauses(verdict.text)
        if not clause.startswith(_MORE)
        and (in_function or not clause.startswith(_IN_STEPS))
        and (in_replicas or not clause.startswith(_IN_REPLICAS))
        and not (call is not None and any(clause.startswith(c.clause) and c.avoided(call) for c in CONDITIONS))
    ]
    return replace(verdict, text="; ".join(kept)) if kept else Verdict(verdict.name, State.WORKS)


def clauses(text: str) -> list[str]:
    """The parts of a text between semicolons, but for those in parentheses."""
    parts, depth, begin = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == ";" and depth == 0:
            parts.append(text[begin:place].strip())
            begin = place + 1
    return [*parts, text[begin:].strip()]


def stated_clauses() -> tuple[str, ...]:
    """The beginnings of clauses of the table that this module knows more about."""
    return (*_MORE, *(condition.clause for condition in CONDITIONS))


@final
class Condition:
    """A difference that arguments can avoid. clause: its beginning; avoided: whether the arguments that are written do so."""

    def __init__(self, clause: str, avoided: Callable[[WrittenArguments], bool]) -> None:
        self.clause, self.avoided = clause, avoided


def _are_written(call: WrittenArguments) -> bool:
    """Returns whether all arguments after the first, the tensor, are written as numbers, in lists or not."""
    later = [*call.values[1:], *(value for _, value in call.words)]
    return not call.open and all(_literal(value) is not _UNKNOWN for value in later)


def _all_are_written(call: WrittenArguments) -> bool:
    return _are_written(call) and all(_literal(value) is not _UNKNOWN for value in call.values)


def _fits(call: WrittenArguments) -> bool:
    """Returns whether a constant's numbers are written, or its dtype, so that it is seen to have room for them."""
    value, dtype = call.argument(0, "value"), call.argument(1, "dtype")
    if call.open or value is None:
        return False
    if dtype is None:
        return True  # the dtype is made for the value
    name = dtype.attr if isinstance(dtype, ast.Attribute) else _literal(dtype)
    if not isinstance(name, str):
        return False
    if name not in _INTEGERS:
        return name.startswith(("float", "complex", "string", "bool", "half", "double", "bfloat"))
    least, most = _INTEGERS[name]
    written = _literal(value)
    return written is not _UNKNOWN and all(
        not isinstance(each, int | float) or least <= each <= most for each in _flat(written)
    )


_UNKNOWN: Final = object()


def _literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return _UNKNOWN


def _flat(value: object) -> list[object]:
    return [leaf for each in value for leaf in _flat(each)] if isinstance(value, list | tuple) else [value]


CONDITIONS: Final = (
    Condition("`tf.constant(300, tf.uint8)` raises", _fits),
    Condition("sizes are known", _are_written),
    Condition("rotations and fractions are known", _are_written),
    Condition("begin, end and strides are known", _are_written),
    Condition("lengths and steps are known numbers", _are_written),
    Condition("an index, or a block of `slice`, out of range raises", _are_written),
    Condition("lengths, `beta` and `sample_rate` are known numbers", _all_are_written),
)
