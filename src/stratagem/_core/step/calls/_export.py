"""Exports a compiled function: its program as bytes that other processes, on other platforms, can run."""

import dataclasses
import itertools
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, final

import jax
import numpy as np
from jax import export
from jax.extend import core as xc

from stratagem._base.errors import InvalidArgumentError, UnimplementedError
from stratagem._core.context import current, entered
from stratagem._core.derivatives import tensorflow_rules
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step.calls._exported_before import LoweredProgram, ProgramKey, lowered
from stratagem._core.step.calls._function_cache import tracing
from stratagem._core.step.host._export_sizes import RUNS, ArgumentSizes, host_sizes, undecided
from stratagem._core.step.host._host_calls import HostCall
from stratagem._core.step.host._host_prefix import HostPrefix, PrefixValues
from stratagem._core.step.host._host_rules import HostExamples, HostRules, open_fits
from stratagem._core.step.host._prefix_recorder import PrefixRecorder
from stratagem._core.step.host._unknown_sizes import with_tensors
from stratagem._core.step.keys._host_values import HostValue, StringsResult
from stratagem._core.step.keys._interrupts import INTERRUPTS
from stratagem._core.step.programs._replica_context import DECISIONS
from stratagem._core.step.programs._restored_program import know
from stratagem._core.step.programs._trace import Body, Trace, TraceFindings, record, trace
from stratagem._core.step.recording._arguments import Arguments
from stratagem._core.values import TensorSpec, is_remote
from stratagem._private import KerasVariable, without_locations

logger = logging.getLogger("stratagem")

# JAX's names of the platforms for which a program is lowered if it can be.
PLATFORMS: Final = ("cpu", "cuda", "tpu")


@final
@dataclass(frozen=True)
class ExportedHost:
    """The part of a function that computes with strings, on the host, before and after its program.

    calls: in their order; in place of a tensor they have its name, those of arguments by their number among the tensors.
    inputs: the numbers among their results, which the program takes after the tensors of the call that are numbers.
    shaped: strings whose unknown sizes the program may need; in their place it takes empty tensors, after the inputs, that have
    one more dimension.
    late: how many tensors the program returns after those of the result: they are for calls after it.
    strings: those of the result, in their order.
    """

    calls: tuple[HostCall, ...] = ()
    inputs: tuple[HostValue, ...] = ()
    shaped: tuple[HostValue, ...] = ()
    late: int = 0
    strings: tuple[HostValue, ...] = ()


@final
@dataclass(frozen=True)
class ExportedFunction:
    """The program of a function for one kind of arguments, without its Python code.

    code: StableHLO, as `jax.export` serializes it: (values of variables, tensors) to (tensors of the result, new values).
    variables: those that it reads or assigns. written: the positions among these of those that it assigns.
    result: the structure that it returns, with specs in place of tensors. host: what the host computes before and after it.
    platforms: on which it runs. differentiable: whether it has gradients.
    """

    code: bytes = field(repr=False)
    variables: tuple[KerasVariable, ...]
    written: tuple[int, ...]
    result: Any
    platforms: tuple[str, ...]
    differentiable: bool
    host: ExportedHost


def export_body(
    body: Body, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], mesh: ReplicaMesh, on_host: HostExamples
) -> ExportedFunction:
    """Exports the program of a body for such arguments. args, kwargs: with specs in place of tensors.

    Unknown sizes (None) are independent; if the program cannot have that, those of the same axes are taken to be equal.
    on_host: how functions of the host are called with examples, to learn the sizes of their results.
    """
    leaves = [v for v in jax.tree.leaves((args, kwargs)) if isinstance(v, TensorSpec)]
    _check_specs(name, leaves)
    unknown = not all(spec.shape.is_fully_defined() for spec in leaves)
    with entered(strategy=None, replica=None, crossing=False), tracing:
        exporting = _Exporting(body, name, args, kwargs, mesh, on_host, TraceFindings())
        strings = exporting.tried()
        for equal in _EQUAL if unknown else _EQUAL[:1]:
            sizes = ArgumentSizes.of(leaves, equal)
            try:
                return exporting.with_any_sizes(sizes, exporting.host_work(sizes) if strings else _NO_WORK)
            except _OF_SIZES as error:
                failure = error
    if isinstance(failure, UnimplementedError):
        raise failure
    raise UnimplementedError(
        f"{name} cannot be exported: {_first_line(failure)} If it is about an unknown size (of the batch, for example), give "
        "its signature that size: tf.TensorSpec([32, 28], tf.float32) in place of tf.TensorSpec([None, 28], tf.float32)."
    ) from failure


def try_body(
    body: Body, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], mesh: ReplicaMesh, on_host: HostExamples
) -> None:
    """Traces a body once with examples of such arguments, which creates its variables. Raises as `export_body`."""
    _check_specs(name, [v for v in jax.tree.leaves((args, kwargs)) if isinstance(v, TensorSpec)])
    with entered(strategy=None, replica=None, crossing=False), tracing:
        _Exporting(body, name, args, kwargs, mesh, on_host, TraceFindings()).tried()


# Of which axes the unknown sizes are taken to be the same in all tensors: of none, of the first, of each.
_EQUAL: Final = ((), (0,), range(32))

# How often JAX may ask about sizes.
_MOST_FACTS: Final = 20

# What JAX, and code that computes with sizes, raise of sizes that are symbols.
_OF_SIZES = (
    TypeError,
    ValueError,
    NotImplementedError,
    InvalidArgumentError,
    jax.errors.InconclusiveDimensionOperation,
)


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


@final
@dataclass(frozen=True)
class _HostWork:
    """The calls of the host, for arguments of unknown sizes.

    prefix: the calls. sizes: of their results. late: examples of what the program computes for them. dtypes: of the inputs.
    """

    prefix: HostPrefix
    sizes: dict[HostValue, tuple[int | str, ...]]
    late: list[np.ndarray]
    dtypes: tuple[np.dtype, ...]

    @property
    def shaped(self) -> tuple[HostValue, ...]:
        """The strings whose sizes the program may need, and which nothing else tells it."""
        arguments = [v for v in self.sizes if v.call < 0]
        named = [v for v in (*arguments, *self.prefix.shaped) if not self.prefix.is_late(v)]
        return tuple(v for v in named if any(isinstance(size, str) for size in self.sizes[v]))


_NO_WORK: Final = _HostWork(HostPrefix((), (), (), (), strings=False), {}, [], ())


@final
@dataclass(frozen=True)
class _Exporting:
    """One body that is being exported, for arguments with specs in place of tensors."""

    body: Body
    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    mesh: ReplicaMesh
    on_host: HostExamples
    findings: TraceFindings

    def tried(self) -> bool:
        """Records the body with examples of the tensors; takes note of what it found.

        Returns whether the host computes anything.
        """
        specs = [v for v in jax.tree.leaves((self.args, self.kwargs)) if isinstance(v, TensorSpec)]
        found = self._host_calls(ArgumentSizes.of(specs, range(32)), 0).finished()
        problem = (
            "it draws elements from an iterator; pass them as arguments"
            if self.findings.sources
            else "variables of it are on parameter servers; restore a checkpoint of them into a model outside of the strategy"
            if any(map(is_remote, self.findings.variables))
            else None
        )
        if problem is not None:
            raise UnimplementedError(f"{self.name} cannot be exported: {problem}.")
        self.findings.known = True
        return bool(found.calls) or found.strings

    def _host_calls(self, sizes: ArgumentSizes, run: int) -> PrefixRecorder:
        given, named = sizes.example((self.args, self.kwargs), run, self.on_host.strings)
        rules = HostRules(called=lambda function: self.on_host.called(function, run), late=True)
        try:
            recorded = record(self._called, Arguments.of(given, named, []), self.mesh, self.findings, host_rules=rules)
            self.findings.sources = list(recorded.sources)
            return recorded.recorder.prefix
        except (*INTERRUPTS, *DECISIONS) as reason:
            raise UnimplementedError(
                f"{self.name} cannot be exported as one program: it runs in Python ({_first_line(reason)})"
            ) from reason

    def host_work(self, sizes: ArgumentSizes) -> _HostWork:
        """Traces with examples of several sizes what the host computes."""
        runs = [self._host_calls(sizes, run) for run in range(RUNS)]
        prefixes = [recorder.finished() for recorder in runs]
        if not all(map(prefixes[0].equals, prefixes[1:])) or any(p.inputs != prefixes[0].inputs for p in prefixes):
            raise UnimplementedError(
                f"{self.name} cannot be exported: it calls other functions of strings, or with other numbers, for tensors of "
                "other sizes. Give its signature these sizes."
            )
        if prefixes[0].sizes:
            raise UnimplementedError(
                f"{self.name} cannot be exported: numbers that come from strings are sizes of its tensors."
            )
        dtypes = tuple(runs[0].dtypes)
        return _HostWork(prefixes[0], host_sizes([r.shapes for r in runs], sizes), runs[0].late_examples, dtypes)

    def with_any_sizes(self, sizes: ArgumentSizes, work: _HostWork) -> ExportedFunction:
        """Exports it for tensors of these sizes, and for whatever sizes the results of the host have."""
        told: list[str] = []
        while True:
            try:
                return self._exported(sizes, work, told)
            except _OF_SIZES as error:
                fact = undecided(error)
                if fact is None or fact in told or len(told) == _MOST_FACTS:
                    raise
                told.append(fact)

    def _exported(self, sizes: ArgumentSizes, work: _HostWork, told: Sequence[str]) -> ExportedFunction:
        """Exports it for all platforms if that is possible, else for this one. told: facts about sizes."""
        shapes, host_shapes = sizes.symbols(work.sizes, told)
        leaves, structure = jax.tree.flatten((self.args, self.kwargs))
        specs = [v for v in leaves if isinstance(v, TensorSpec)]
        examples = jax.tree.leaves(sizes.example((self.args, self.kwargs), 0, self.on_host.strings))
        numbers = [jax.core.ShapedArray(s, v.dtype) for s, v in zip(shapes, specs, strict=True) if v.dtype != object]
        computed = [
            jax.core.ShapedArray(host_shapes[v], d) for v, d in zip(work.prefix.inputs, work.dtypes, strict=True)
        ]
        computed += [jax.core.ShapedArray((*host_shapes[v], 0), np.dtype(bool)) for v in work.shaped]
        rules = HostRules(open_fits, lambda function: self.on_host.called(function, 0), host_shapes, True, work.late)
        traces: list[Trace] = []

        def program(values: list[Any], tensors: list[Any]) -> list[Any]:
            given = iter(tensors)
            filled = [
                next(given) if isinstance(v, TensorSpec) and v.dtype != object else example
                for v, example in zip(leaves, examples, strict=True)
            ]
            args, kwargs = jax.tree.unflatten(structure, filled)
            inputs = tuple(itertools.islice(given, len(work.prefix.inputs)))
            host = PrefixValues.of_symbols(work.prefix, inputs)
            # For no platform in particular: rules that make a program faster on CPUs are not for others.
            arguments = Arguments.of(args, kwargs, [], host)
            recorded = record(self._called, arguments, self.mesh, self.findings, host_rules=rules)
            if not recorded.is_of(arguments, work.prefix):
                raise InvalidArgumentError(
                    "its Python code did something else in each of two traces: it read other variables, or called other "
                    "functions of strings."
                )
            traced = trace(
                self._called,
                arguments,
                self.mesh,
                self.findings,
                platform="any",
                host_rules=rules,
                recorded=recorded,
            )
            traces.append(traced)
            taken = tensors[: len(tensors) - len(work.shaped)]
            outs = xc.jaxpr_as_fun(tensorflow_rules(traced.closed))(*values, *taken)
            # The results of checks, which the function does not return, lie between these.
            return [*outs[: _tensors(traced)], *outs[len(outs) - len(traced.written) :]]

        values = [jax.core.ShapedArray(tuple(v.shape), np.dtype(v._dtype)) for v in self.findings.variables]
        inputs = (values, [*numbers, *computed])
        # Whoever gets the export is to learn no paths of this machine.
        with without_locations():
            whole = jax.jit(program)
            whole.trace(*inputs)
            traced = traces[-1]
            key = ProgramKey.of(traced, told, len(work.shaped))
            found = lowered(key, lambda: _lowered(whole, self.name, inputs))
        n = _tensors(traced)
        positions = {id(v): i for i, v in enumerate(traced.variables)}
        result, late = traced.results.rebuilt(
            [TensorSpec(tuple(map(_size, a.shape)), a.dtype) for a in found.results[:n]]
        )
        strings = [v for v in jax.tree.leaves(result) if isinstance(v, StringsResult)]
        argument_numbers = iter(range(len(specs)))
        by_position = {i: next(argument_numbers) for i, v in enumerate(leaves) if isinstance(v, TensorSpec)}
        return ExportedFunction(
            found.code,
            traced.variables,
            tuple(positions[id(v)] for v, _ in traced.written),
            jax.tree.map(lambda v: _strings_spec(v, host_shapes), result),
            found.platforms,
            found.differentiable,
            ExportedHost(
                tuple(_by_number(call, by_position) for call in work.prefix.calls),
                tuple(_numbered(v, by_position) for v in work.prefix.inputs),
                tuple(_numbered(v, by_position) for v in work.shaped),
                len(late),
                tuple(_numbered(v.value, by_position) for v in strings),
            ),
        )

    def _called(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the function's result, and what functions of the host are to be called with after the program."""
        result = with_tensors(self.body(*args, **kwargs))
        recorder: Any = current().recorder
        return result, recorder.prefix.late


def _strings_spec(leaf: Any, sizes: dict[HostValue, Any]) -> Any:
    if not isinstance(leaf, StringsResult):
        return leaf
    return TensorSpec([_size(size) for size in sizes[leaf.value]], np.dtype(object))


def _numbered(value: HostValue, by_position: dict[int, int]) -> HostValue:
    return HostValue(-1, by_position[value.leaf]) if value.call == -1 else value


def _by_number(call: HostCall, by_position: dict[int, int]) -> HostCall:
    """Returns a call with the arguments that are tensors by their numbers among these."""
    leaves = tuple(_numbered(v, by_position) if isinstance(v, HostValue) else v for v in call.leaves)
    return dataclasses.replace(call, leaves=leaves)


def _tensors(traced: Trace) -> int:
    """Returns how many tensors the function returns."""
    return len(traced.results.per_replica) - traced.results.checks.results


def _size(size: Any) -> int | None:
    return size if isinstance(size, int) else None


def _lowered(program: Any, name: str, inputs: tuple[list[Any], list[Any]]) -> LoweredProgram:
    found = _on_platforms(program, name, inputs)
    code, differentiable = _serialized(found, name)
    return LoweredProgram(code, tuple(found.platforms), differentiable, tuple(found.out_avals))


def _on_platforms(program: Any, name: str, inputs: tuple[list[Any], list[Any]]) -> export.Exported:
    try:
        return export.export(program, platforms=PLATFORMS)(*inputs)
    except NotImplementedError as error:
        if "callback" in str(error):
            raise UnimplementedError(
                f"{name} cannot be exported: it calls back into Python (tf.print, tf.py_function, tf.numpy_function, a table "
                "that changes), and only its program is in an export. Leave the call out, or return what it prints."
            ) from None
        found = export.export(program)(*inputs)
        logger.warning("%s is exported for %s only: %s", name, ", ".join(found.platforms), _first_line(error))
        return found


def _serialized(found: export.Exported, name: str) -> tuple[bytes, bool]:
    """Returns the bytes of a program, with its gradients if it has any."""
    try:
        return know(bytes(found.serialize(vjp_order=1))), True
    except _OF_SIZES as error:
        logger.info("%s is exported without gradients: %s", name, _first_line(error))
        return know(bytes(found.serialize())), False
