"""ServerUpdate: an optimizer's update of the variables on one server, as one compiled function."""

import functools
import itertools
import math
import weakref
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, final

import jax
import jax.numpy as jnp
import keras
import numpy as np
from jax.extend import core as xc

from stratagem._addons import LAMB
from stratagem._base.errors import UnimplementedError
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.rewrites import compiler_options
from stratagem._core.step import Arguments, Trace, TraceFindings, trace, tracing
from stratagem._core.values import WholeConstraint
from stratagem._private import apply_locally, keeps_rows, shaped

# How a gradient is sent and used. dense: an array of the variable's shape. sparse: some rows with their ids; the update changes
# these rows only. densified: sent as sparse, but made dense at the server, for the update changes every row.
GradientKind = Literal["dense", "sparse", "densified"]

_ID_BYTES = 4

# Optimizers whose update of an element depends on the whole variable: a shard alone would be updated wrongly.
_WHOLE_VARIABLE = (LAMB, keras.optimizers.Lamb, keras.optimizers.Adafactor, keras.optimizers.Muon)


@dataclass(frozen=True)
class SparseGradient:
    """A gradient that is zero but in some rows.

    ids: (n,) int32, one for each of `values` (n, ...); ids past the end are ignored.
    """

    ids: Any
    values: Any


def gradient_kind(optimizer: Any, variable: Any, rows: bool) -> GradientKind:
    """Returns how to send a variable's gradient; rows: it is computed as rows.

    Raises UnimplementedError if the variable's shards cannot be updated one by one.
    """
    if isinstance(optimizer, _WHOLE_VARIABLE) and variable._sharded_variable is not None:
        raise UnimplementedError(
            f"{optimizer.name}: {type(optimizer).__name__} needs all of {variable._sharded_variable.path}, which is in "
            "shards on several servers. Leave the variable in one piece (no variable_partitioner, or MinSizePartitioner "
            "with a larger size), or take another optimizer."
        )
    if isinstance(variable.constraint, WholeConstraint):
        raise UnimplementedError(
            f"{variable._sharded_variable.path} is in shards on several servers, and its constraint "
            f"{variable.constraint.constraint} needs all of it. Leave the variable in one piece (MinSizePartitioner "
            "with a larger size), or constrain each element."
        )
    if not rows:
        return "dense"
    return "sparse" if keeps_rows(optimizer) and variable.constraint is None else "densified"


@final
@dataclass(frozen=True)
class GradientSpec:
    """The path, shape and dtype of a gradient's variable; kind: how the gradient is sent."""

    path: str
    shape: tuple[int, ...]
    dtype: Any
    kind: GradientKind


@final
@dataclass(frozen=True)
class UpdateSpec:
    """The facts about an update that a server needs, without the optimizer.

    by_rows: for each value that the
    update reads, the index of the gradient whose rows of it are updated, or None. written: the indices of the values
    that it writes.
    """

    gradients: tuple[GradientSpec, ...]
    by_rows: tuple[int | None, ...]
    written: tuple[int, ...]

    def check(self, gradients: Sequence[Any]) -> None:
        """Raises ValueError unless the gradients have the right kinds, shapes and dtypes, and ids are in range."""
        if len(gradients) != len(self.gradients):
            raise ValueError(f"{len(gradients)} gradients for {len(self.gradients)} variables")
        for gradient, spec in zip(gradients, self.gradients, strict=True):
            path, shape, dtype = spec.path, spec.shape, spec.dtype
            by_rows = isinstance(gradient, SparseGradient)
            if (spec.kind == "dense") is by_rows:
                raise ValueError(f"the gradient of {path} has the wrong kind, {type(gradient).__name__}")
            array = gradient.values if by_rows else gradient
            # The plain tuple, which is compared in C, and not the TensorShape that users see: every push comes here.
            found = array.aval.shape if isinstance(array, jax.Array) else array.shape
            if found != ((*found[:1], *shape[1:]) if by_rows else shape) or array.dtype != dtype:
                raise ValueError(f"the gradient of {path} {shape} {dtype} has shape {found} and dtype {array.dtype}")
            if isinstance(array, np.ndarray) and not np.isfinite(array).all():  # from another process
                raise ValueError(f"the gradient of {path} has NaN or infinity")
            if by_rows and not _in_range(np.asarray(gradient.ids), found[:1], shape[0]):
                raise ValueError(f"ids of rows of {path} are out of range")

    def nbytes(self, gradients: Sequence[Any]) -> int:
        """Returns the size of these gradients in bytes."""
        pairs = zip(gradients, self._sizes, strict=True)
        return sum(g.ids.shape[0] * row if isinstance(g, SparseGradient) else whole for g, (whole, row) in pairs)

    @functools.cached_property
    def _sizes(self) -> list[tuple[int, int]]:
        """The bytes of each gradient if dense, and of one of its rows with the row's id."""
        every = [(spec.shape, np.dtype(spec.dtype).itemsize) for spec in self.gradients]
        return [(math.prod(shape) * size, math.prod(shape[1:]) * size + _ID_BYTES) for shape, size in every]

    def split(self, values: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Returns the values that are updated by rows, and the others."""
        tables = [v for v, i in zip(values, self.by_rows, strict=True) if i is not None]
        return tables, [v for v, i in zip(values, self.by_rows, strict=True) if i is None]


class UpdateFunction(Protocol):
    """An update as a server uses it: its spec, and a function from the values that it reads to those that it writes."""

    spec: UpdateSpec

    def __call__(self, values: Sequence[Any], gradients: Sequence[Any]) -> list[Any]: ...


def flat(gradients: Sequence[Any]) -> list[Any]:
    """Returns gradients as arrays: a dense one as it is, of a sparse one the ids and the values."""
    return [x for g in gradients for x in ((g.ids, g.values) if isinstance(g, SparseGradient) else (g,))]


_numbers = itertools.count()


@final
class ServerUpdate:
    """The part of an update that one server applies.

    variables: those on the server, one for each gradient. kinds: how each gradient is sent. numbers: by name, the dtypes of
    settings of the optimizer that steps compute, which come after the gradients. state: all variables that the update reads.
    """

    def __init__(
        self,
        optimizer: Any,
        variables: Sequence[Any],
        kinds: Sequence[GradientKind],
        mesh: ReplicaMesh,
        numbers: Sequence[tuple[str, np.dtype]] = (),
    ) -> None:
        self.number = next(_numbers)
        self._optimizer, self.variables, self._kinds, self._mesh = optimizer, list(variables), list(kinds), mesh
        self._numbers = list(numbers)
        self._info, self._no_rows = TraceFindings(), (None,) * (len(self.variables) + len(self._numbers))
        self._others: Collection[int] | None = None
        if optimizer.gradient_accumulation_steps:
            self._others = self._find_changed()
        traced = self._traced(self._no_rows)
        self._info.known = True
        indices = {id(v): i for i, v in enumerate(self.variables)}
        self.state: tuple[Any, ...] = tuple(self._info.variables)
        owners = [indices.get(id(v), indices.get(id(v._slot_of))) for v in self.state]
        self._traces: dict[tuple[int | None, ...], xc.ClosedJaxpr] = {}
        self.spec = UpdateSpec(
            tuple(
                GradientSpec(v.path, tuple(v.shape), np.dtype(v._dtype), kind)
                for v, kind in zip(self.variables, self._kinds, strict=True)
            )
            + tuple(GradientSpec(name, (), np.dtype(dtype), "dense") for name, dtype in self._numbers),
            tuple(None if i is None or self._kinds[i] != "sparse" else i for i in owners),
            tuple(next(i for i, v in enumerate(self.state) if v is w) for w, _ in traced.written),
        )
        self.run: Callable[..., Any] = jax.jit(
            self._updated, donate_argnums=(0,), compiler_options=compiler_options(mesh.devices[0].platform)
        )

    @property
    def extra_reads(self) -> list[Any]:
        """The variables that it reads which are neither its own nor slots of them."""
        return [v for v in self.state if v._slot_of is None and not any(v is mine for mine in self.variables)]

    @property
    def written(self) -> set[int]:
        """The ids of the variables that it writes."""
        return {id(self.state[i]) for i in self.spec.written}

    def __call__(self, values: Sequence[Any], gradients: Sequence[Any]) -> list[Any]:
        """Returns the new values of `spec.written`. values: of `state`; those that are updated by rows are donated."""
        tables, others = self.spec.split(values)
        return self.run(tables, others, flat(gradients))

    def prepare(self, gradients: Sequence[Any]) -> None:
        """Traces the optimizer for gradients with this many rows, so that no server has to wait for it during a push."""
        counts = _counts(gradients)
        if counts not in self._traces:
            with tracing:
                if counts not in self._traces:
                    self._traces[counts] = self._traced(counts).closed

    def _find_changed(self) -> set[int]:
        """Returns the ids of the variables that the update changes when it accumulates nothing."""
        traced = trace(self._body, self._arguments(self._no_rows), self._mesh, TraceFindings())
        return {id(v) for v, _ in traced.written}

    def _body(self, gradients: Sequence[Any]) -> None:
        # Without gradients, this is the part of a server that only counts the update.
        count = len(self.variables)
        names = (name for name, _ in self._numbers)
        given = dict(zip(names, gradients[count:], strict=True))
        apply_locally(self._optimizer, gradients[:count], self.variables, self._others, given)

    def _rows_shapes(self, counts: Sequence[int | None]) -> list[tuple[Any, tuple[int, ...]]]:
        """Returns the shapes of variables and slots while only some of their rows are updated."""
        own = counts[: len(self.variables)]
        rows = {id(v): n for v, n, k in zip(self.variables, own, self._kinds, strict=True) if k == "sparse" and n}
        every = [*self.variables, *(v for v in self._optimizer._variables if v._slot_of is not None)]
        return [(v, (n, *v.shape[1:])) for v in every if (n := rows.get(id(v), rows.get(id(v._slot_of)))) is not None]

    def _arguments(self, counts: Sequence[int | None]) -> Arguments:
        shapes = {id(v): shape for v, shape in self._rows_shapes(counts)}
        specs = [np.broadcast_to(np.zeros((), v._dtype), shapes.get(id(v), v.shape)) for v in self.variables]
        specs += [np.zeros((), dtype) for _, dtype in self._numbers]
        return Arguments.of((specs,), {}, [])

    def _traced(self, counts: Sequence[int | None]) -> Trace:
        with shaped(self._rows_shapes(counts)):
            return trace(self._body, self._arguments(counts), self._mesh, self._info)

    def _updated(self, tables: list[Any], others: list[Any], arrays: list[Any]) -> list[Any]:
        table, other, array = iter(tables), iter(others), iter(arrays)
        by_rows = self.spec.by_rows
        gradients = [next(array) if k == "dense" else SparseGradient(next(array), next(array)) for k in self._kinds]
        values = [next(other) if i is None else next(table) for i in by_rows]
        read = [
            v if i is None else v.at[gradients[i].ids].get(mode="fill", fill_value=0)
            for v, i in zip(values, by_rows, strict=True)
        ]
        arrays = [_as_array(g, v, k) for g, v, k in zip(gradients, self.variables, self._kinds, strict=True)]
        numbers = list(array)
        new = xc.jaxpr_as_fun(self._traces[_counts([*gradients, *numbers])])(*read, *arrays, *numbers)
        return [
            x if (i := by_rows[j]) is None else values[j].at[gradients[i].ids].set(x, mode="drop")
            for j, x in zip(self.spec.written, new, strict=True)
        ]


def _as_array(gradient: Any, variable: Any, kind: GradientKind) -> Any:
    """Returns the array of a gradient that the optimizer is traced with."""
    if kind == "dense":
        return gradient
    if kind == "sparse":
        return gradient.values
    return jnp.zeros(variable.shape, gradient.values.dtype).at[gradient.ids].add(gradient.values, mode="drop")


@final
class WeakUpdateReference:
    """A weak reference to an update, for servers of the same process: it keeps no optimizer and variables alive."""

    def __init__(self, update: ServerUpdate) -> None:
        self.spec, self._update = update.spec, weakref.ref(update)

    def __call__(self, values: Sequence[Any], gradients: Sequence[Any]) -> list[Any]:
        update = self._update()
        assert update is not None, "the program that pushes refers to the update"
        return update(values, gradients)


def _counts(gradients: Sequence[Any]) -> tuple[int | None, ...]:
    return tuple(g.ids.shape[0] if isinstance(g, SparseGradient) else None for g in gradients)


def _in_range(ids: np.ndarray, shape: tuple[int, ...], rows: int) -> bool:
    """Returns whether ids are those of rows, or just behind the last row, which stands for no row."""
    return ids.shape == tuple(shape) and (not ids.size or (ids.min() >= 0 and ids.max() <= rows))
