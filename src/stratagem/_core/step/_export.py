"""Exports a compiled function: its program as bytes that other processes, on other platforms, can run."""

import itertools
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, final

import jax
import numpy as np
from jax import export
from jax.extend import core as xc

from stratagem._base.errors import UnimplementedError
from stratagem._base.types import Nest
from stratagem._core.context import entered
from stratagem._core.derivatives import tensorflow_rules
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step._arguments import Arguments
from stratagem._core.step._concrete_function import examples
from stratagem._core.step._function_cache import tracing
from stratagem._core.step._interrupts import INTERRUPTS
from stratagem._core.step._replica_context import DECISIONS
from stratagem._core.step._trace import Body, Trace, TraceFindings, explore, trace
from stratagem._core.step._unknown_sizes import with_tensors
from stratagem._core.values import TensorSpec, is_remote
from stratagem._private import KerasVariable, without_locations

logger = logging.getLogger("stratagem")

# JAX's names of the platforms for which a program is lowered if it can be.
PLATFORMS: Final = ("cpu", "cuda", "tpu")

# Of unknown sizes in the first trace, which only finds variables.
_EXAMPLE_SIZE = 2


@final
@dataclass(frozen=True)
class ExportedFunction:
    """The program of a function for one kind of arguments, without its Python code.

    code: StableHLO, as `jax.export` serializes it: (values of variables, tensors) to (tensors of the result, new values).
    variables: those that it reads or assigns. written: the positions among these of those that it assigns.
    result: the structure that it returns, with specs in place of tensors.
    platforms: on which it runs. differentiable: whether it has gradients.
    """

    code: bytes = field(repr=False)
    variables: tuple[KerasVariable, ...]
    written: tuple[int, ...]
    result: Nest
    platforms: tuple[str, ...]
    differentiable: bool


def export_body(
    body: Body, name: str, args: tuple[Nest, ...], kwargs: dict[str, Nest], mesh: ReplicaMesh
) -> ExportedFunction:
    """Exports the program of a body for such arguments. args, kwargs: with specs in place of tensors.

    Unknown sizes (None) are independent; if the program cannot have that, those of the same axes are taken to be equal.
    """
    leaves = [v for v in jax.tree.leaves((args, kwargs)) if isinstance(v, TensorSpec)]
    _check_specs(name, leaves)
    unknown = not all(spec.shape.is_fully_defined() for spec in leaves)
    with entered(strategy=None, replica=None, crossing=False), tracing:
        exporting = _Exporting(body, name, args, kwargs, mesh, _explored(body, name, args, kwargs, mesh))
        for equal in _EQUAL if unknown else _EQUAL[:1]:
            try:
                return exporting.exported(_symbols(leaves, equal))
            except _OF_SIZES as error:
                failure = error
    raise UnimplementedError(
        f"{name} cannot be exported: {_first_line(failure)} If it is about an unknown size (of the batch, for example), give "
        "its signature that size: tf.TensorSpec([32, 28], tf.float32) in place of tf.TensorSpec([None, 28], tf.float32)."
    ) from failure


# Of which axes the unknown sizes are taken to be the same in all tensors: of none, of the first, of each.
_EQUAL: Final = ((), (0,), range(32))

# What JAX, and code that computes with sizes, raise of sizes that are symbols.
_OF_SIZES = (TypeError, ValueError, NotImplementedError, jax.errors.InconclusiveDimensionOperation)


def _first_line(error: Exception) -> str:
    line = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {line}{'' if line.endswith('.') else '.'}"


def _check_specs(name: str, specs: Sequence[TensorSpec]) -> None:
    for spec in specs:
        if spec.shape.rank is None:
            raise UnimplementedError(
                f"{name} cannot be exported for a tensor of unknown rank. Name its dimensions in the signature; their sizes "
                "may be None."
            )
        if spec.dtype == object:
            raise UnimplementedError(
                f"{name} cannot be exported for strings: a program has numbers alone. Export the function of the numbers, and "
                "call the layers and functions that take strings before it."
            )


def _explored(body: Body, name: str, args: Nest, kwargs: Nest, mesh: ReplicaMesh) -> TraceFindings:
    """Runs a first trace, with examples of the tensors; returns what it found."""
    findings = TraceFindings()
    given, named = examples((args, kwargs), _EXAMPLE_SIZE)
    try:
        explore(body, Arguments.of(given, named, []), mesh, findings)
    except (*INTERRUPTS, *DECISIONS) as reason:
        raise UnimplementedError(
            f"{name} cannot be exported as one program: it runs in Python ({_first_line(reason)})"
        ) from reason
    problem = (
        "it draws elements from an iterator; pass them as arguments"
        if findings.sources
        else "it calls functions of strings, which run on the host; call them before it"
        if findings.prefixes
        else "variables of it are on parameter servers; restore a checkpoint of them into a model outside of the strategy"
        if any(map(is_remote, findings.variables))
        else None
    )
    if problem is not None:
        raise UnimplementedError(f"{name} cannot be exported: {problem}.")
    return findings


def _symbols(specs: Sequence[TensorSpec], equal: Sequence[int]) -> list[Sequence[Any]]:
    """Returns the shapes of tensors, with a symbol for each unknown size. equal: axes that have one for all tensors."""
    scope, shapes, numbers = export.SymbolicScope(), [], itertools.count()
    for spec in specs:
        names = [f"axis{axis}" if axis in equal else f"size{next(numbers)}" for axis in range(len(spec.shape))]
        text = ",".join(name if size is None else str(size) for name, size in zip(names, spec.shape, strict=True))
        shapes.append(export.symbolic_shape(text, scope=scope))
    return shapes


@final
@dataclass(frozen=True)
class _Exporting:
    """One body that is being exported, for arguments with specs in place of tensors."""

    body: Body
    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    mesh: ReplicaMesh
    findings: TraceFindings

    def exported(self, shapes: Sequence[Sequence[Any]]) -> ExportedFunction:
        """Exports it for tensors of these shapes, for all platforms if that is possible, else for this one."""
        leaves, structure = jax.tree.flatten((self.args, self.kwargs))
        specs = [v for v in leaves if isinstance(v, TensorSpec)]
        tensors = [jax.core.ShapedArray(s, v.dtype) for s, v in zip(shapes, specs, strict=True)]
        traces: list[Trace] = []

        def program(values: list[Any], tensors: list[Any]) -> list[Any]:
            given = iter(tensors)
            filled = [next(given) if isinstance(v, TensorSpec) else v for v in leaves]
            args, kwargs = jax.tree.unflatten(structure, filled)
            arguments = Arguments.of(args, kwargs, [])
            # For no platform in particular: rules that make a program faster on CPUs are not for others.
            traced = trace(self._called, arguments, self.mesh, self.findings, platform="any")
            traces.append(traced)
            outs = xc.jaxpr_as_fun(tensorflow_rules(traced.closed))(*values, *tensors)
            # The results of checks, which the function does not return, lie between these.
            return [*outs[: _tensors(traced)], *outs[len(outs) - len(traced.written) :]]

        values = [jax.core.ShapedArray(tuple(v.shape), np.dtype(v._dtype)) for v in self.findings.variables]
        # Whoever gets the export is to learn no paths of this machine.
        with without_locations():
            found = _on_platforms(program, self.name, (values, tensors))
            code, differentiable = _serialized(found, self.name)
        traced, n = traces[-1], _tensors(traces[-1])
        positions = {id(v): i for i, v in enumerate(traced.variables)}
        return ExportedFunction(
            code,
            traced.variables,
            tuple(positions[id(v)] for v, _ in traced.written),
            traced.results.rebuilt([TensorSpec(map(_size, a.shape), a.dtype) for a in found.out_avals[:n]]),
            tuple(found.platforms),
            differentiable,
        )

    def _called(self, *args: Any, **kwargs: Any) -> Any:
        return with_tensors(self.body(*args, **kwargs))


def _tensors(traced: Trace) -> int:
    """Returns how many tensors the function returns."""
    return len(traced.results.per_replica) - traced.results.checks.results


def _size(size: Any) -> int | None:
    return size if isinstance(size, int) else None


def _on_platforms(program: Callable[..., Any], name: str, inputs: tuple[list[Any], list[Any]]) -> export.Exported:
    try:
        return export.export(jax.jit(program), platforms=PLATFORMS)(*inputs)
    except NotImplementedError as error:
        if "callback" in str(error):
            raise UnimplementedError(
                f"{name} cannot be exported: it calls back into Python (tf.print, tf.py_function, tf.numpy_function), and only "
                "its program is in an export. Leave the call out, or return what it prints."
            ) from None
        found = export.export(jax.jit(program))(*inputs)
        logger.warning("%s is exported for %s only: %s", name, ", ".join(found.platforms), _first_line(error))
        return found


def _serialized(found: export.Exported, name: str) -> tuple[bytes, bool]:
    """Returns the bytes of a program, with its gradients if it has any."""
    try:
        return bytes(found.serialize(vjp_order=1)), True
    except _OF_SIZES as error:
        logger.info("%s is exported without gradients: %s", name, _first_line(error))
        return bytes(found.serialize()), False
