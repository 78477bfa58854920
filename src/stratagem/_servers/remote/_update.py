"""An optimizer's update of the variables that one server has, as one compiled function."""

import functools
import itertools
import math
import weakref
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, final

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core as xc

from stratagem._base.errors import UnimplementedError
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step import Arguments, Trace, TraceInfo, compiler_options, explore, trace, tracing
from stratagem._core.values import WholeConstraint
from stratagem._private import apply_locally, keeps_rows, shaped

# How a gradient arrives. whole: an array of the variable's shape. rows: rows of it with their ids; the update touches these
# rows only. sum: the same, but the update changes every row.
How = Literal["whole", "rows", "sum"]

_ID_BYTES = 4

# They look at all of a variable at once: of one shard they would compute something else than of the variable.
_WHOLE_VARIABLE = ("Lamb", "Adafactor", "Muon")


@dataclass(frozen=True)
class SparseGradient:
    """A gradient that is zero but in some rows. ids: (n,) int32, one for each of `values` (n, ...); others are ignored."""

    ids: Any
    values: Any


def how(optimizer: Any, variable: Any, rows: bool) -> How:
    """How the gradient of a variable is to be sent. Raises UnimplementedError if its shards cannot be updated one by one."""
    if type(optimizer).__name__ in _WHOLE_VARIABLE and getattr(variable, "_of", None) is not None:
        raise UnimplementedError(
            f"{optimizer.name}: {type(optimizer).__name__} needs all of {variable._of.path}, which is in shards on several "
            "servers. Leave the variable in one piece (no variable_partitioner, or MinSizePartitioner with a larger size), "
            "or take another optimizer."
        )
    if isinstance(variable.constraint, WholeConstraint):
        raise UnimplementedError(
            f"{variable._of.path} is in shards on several servers, and its constraint {variable.constraint.constraint} needs "
            "all of it. Leave the variable in one piece (MinSizePartitioner with a larger size), or constrain each element."
        )
    if not rows:
        return "whole"
    return "rows" if keeps_rows(optimizer) and variable.constraint is None else "sum"


@final
@dataclass(frozen=True)
class UpdateSpec:
    """What a server knows of an update without the optimizer.

    gradients: for each what variable it is of (path, shape, dtype) and how it arrives. by_rows: for each value that the
    update reads the gradient whose rows it goes by, or None. written: which of these values it replaces.
    """

    gradients: tuple[tuple[str, tuple[int, ...], Any, How], ...]
    by_rows: tuple[int | None, ...]
    written: tuple[int, ...]

    def check(self, gradients: Sequence[Any]) -> None:
        """Raise ValueError unless the gradients have the right kinds, shapes and dtypes, and ids are in range."""
        if len(gradients) != len(self.gradients):
            raise ValueError(f"{len(gradients)} gradients for {len(self.gradients)} variables")
        for gradient, (path, shape, dtype, kind) in zip(gradients, self.gradients, strict=True):
            by_rows = isinstance(gradient, SparseGradient)
            if (kind == "whole") is by_rows:
                raise ValueError(f"the gradient of {path} has the wrong kind, {type(gradient).__name__}")
            array = gradient.values if by_rows else gradient
            if array.shape != ((*array.shape[:1], *shape[1:]) if by_rows else shape) or array.dtype != dtype:
                raise ValueError(
                    f"the gradient of {path} {shape} {dtype} has shape {array.shape} and dtype {array.dtype}"
                )
            if isinstance(array, np.ndarray) and not np.isfinite(array).all():  # from another process
                raise ValueError(f"the gradient of {path} has NaN or infinity")
            if by_rows and not _in_range(np.asarray(gradient.ids), array.shape[:1], shape[0]):
                raise ValueError(f"ids of rows of {path} are out of range")

    def nbytes(self, gradients: Sequence[Any]) -> int:
        """The bytes of such gradients."""
        pairs = zip(gradients, self._sizes, strict=True)
        return sum(g.ids.shape[0] * row if isinstance(g, SparseGradient) else whole for g, (whole, row) in pairs)

    @functools.cached_property
    def _sizes(self) -> list[tuple[int, int]]:
        """Bytes of each gradient as a whole, and of a row with its id."""
        every = [(shape, np.dtype(dtype).itemsize) for _, shape, dtype, _ in self.gradients]
        return [(math.prod(shape) * size, math.prod(shape[1:]) * size + _ID_BYTES) for shape, size in every]

    def split(self, values: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """The values that go by rows, and the others."""
        tables = [v for v, i in zip(values, self.by_rows, strict=True) if i is not None]
        return tables, [v for v, i in zip(values, self.by_rows, strict=True) if i is None]


class Applicable(Protocol):
    """An update as a server uses it: facts, and a function from the values that it reads to those that it writes."""

    facts: UpdateSpec

    def __call__(self, values: Sequence[Any], gradients: Sequence[Any]) -> list[Any]: ...


def flat(gradients: Sequence[Any]) -> list[Any]:
    """Gradients as arrays: of each the whole one, or ids and values."""
    return [x for g in gradients for x in ((g.ids, g.values) if isinstance(g, SparseGradient) else (g,))]


_numbers = itertools.count()


@final
class ServerUpdate:
    """variables: those of the server, one for each gradient. hows: how each gradient arrives."""

    def __init__(self, optimizer: Any, variables: Sequence[Any], hows: Sequence[How], mesh: ReplicaMesh) -> None:
        self.number = next(_numbers)
        self._optimizer, self.variables, self._hows, self._mesh = optimizer, list(variables), list(hows), mesh
        self._knowledge, self._no_rows = TraceInfo(), (None,) * len(self.variables)
        self._others: Collection[int] | None = None
        if optimizer.gradient_accumulation_steps:
            self._others = self._changed()
        explore(self._body, self._arguments(self._no_rows), mesh, self._knowledge)
        slots = {id(v): i for i, v in enumerate(self.variables)}
        # What the update reads.
        self.state: tuple[Any, ...] = tuple(self._knowledge.variables)
        owners = [slots.get(id(v), slots.get(id(v._beside))) for v in self.state]
        self._traces: dict[tuple[int | None, ...], xc.ClosedJaxpr] = {}
        made = self._traced(self._no_rows)
        self.facts = UpdateSpec(
            tuple(
                (v.path, tuple(v.shape), np.dtype(v._dtype), h) for v, h in zip(self.variables, self._hows, strict=True)
            ),
            tuple(None if i is None or self._hows[i] != "rows" else i for i in owners),
            tuple(next(i for i, v in enumerate(self.state) if v is w) for w, _ in made.written),
        )
        self.run: Callable[..., Any] = jax.jit(
            self._updated, donate_argnums=(0,), compiler_options=compiler_options(mesh.devices[0].platform)
        )

    @property
    def beside(self) -> list[Any]:
        """What it reads that is neither one of its variables nor a slot of one."""
        return [v for v in self.state if v._beside is None and not any(v is mine for mine in self.variables)]

    @property
    def written(self) -> set[int]:
        """The ids of what it writes."""
        return {id(self.state[i]) for i in self.facts.written}

    def __call__(self, values: Sequence[Any], gradients: Sequence[Any]) -> list[Any]:
        """The new values of `facts.written`. values: of `state`; tables that go by rows are donated."""
        tables, others = self.facts.split(values)
        return self.run(tables, others, flat(gradients))

    def prepare(self, gradients: Sequence[Any]) -> None:
        """Trace the optimizer for gradients with so many rows, before a server waits for it."""
        counts = _counts(gradients)
        if counts not in self._traces:
            with tracing:
                if counts not in self._traces:
                    self._traces[counts] = self._traced(counts).closed

    def _changed(self) -> set[int]:
        """The ids of what it changes when it accumulates nothing."""
        found, arguments = TraceInfo(), self._arguments(self._no_rows)
        explore(self._body, arguments, self._mesh, found)
        return {id(v) for v, _ in trace(self._body, arguments, self._mesh, found).written}

    def _body(self, gradients: Sequence[Any]) -> None:
        # Of none it is an update on other servers, which counts here.
        apply_locally(self._optimizer, gradients, self.variables, self._others)

    def _rows_shapes(self, counts: Sequence[int | None]) -> list[tuple[Any, tuple[int, ...]]]:
        """The shapes of variables and slots while some rows of them are updated."""
        mine = {id(v): n for v, n, h in zip(self.variables, counts, self._hows, strict=True) if h == "rows" and n}
        every = [*self.variables, *(v for v in self._optimizer._variables if v._beside is not None)]
        return [(v, (n, *v.shape[1:])) for v in every if (n := mine.get(id(v), mine.get(id(v._beside)))) is not None]

    def _arguments(self, counts: Sequence[int | None]) -> Arguments:
        shapes = {id(v): shape for v, shape in self._rows_shapes(counts)}
        specs = [np.broadcast_to(np.zeros((), v._dtype), shapes.get(id(v), v.shape)) for v in self.variables]
        return Arguments.of((specs,), {}, [])

    def _traced(self, counts: Sequence[int | None]) -> Trace:
        with shaped(self._rows_shapes(counts)):
            return trace(self._body, self._arguments(counts), self._mesh, self._knowledge)

    def _updated(self, tables: list[Any], others: list[Any], arrays: list[Any]) -> list[Any]:
        given, rest, left = iter(tables), iter(others), iter(arrays)
        by_rows = self.facts.by_rows
        gradients = [next(left) if h == "whole" else SparseGradient(next(left), next(left)) for h in self._hows]
        values = [next(rest) if i is None else next(given) for i in by_rows]
        read = [
            v if i is None else v.at[gradients[i].ids].get(mode="fill", fill_value=0)
            for v, i in zip(values, by_rows, strict=True)
        ]
        dense = [self._dense(g, v, h) for g, v, h in zip(gradients, self.variables, self._hows, strict=True)]
        new = xc.jaxpr_as_fun(self._traces[_counts(gradients)])(*read, *dense)
        return [
            x if (i := by_rows[j]) is None else values[j].at[gradients[i].ids].set(x, mode="drop")
            for j, x in zip(self.facts.written, new, strict=True)
        ]

    def _dense(self, gradient: Any, variable: Any, kind: How) -> Any:
        if kind == "whole":
            return gradient
        if kind == "rows":
            return gradient.values
        return jnp.zeros(variable.shape, gradient.values.dtype).at[gradient.ids].add(gradient.values, mode="drop")


@final
class Lent:
    """An update as a server of the same process has it: it does not keep the optimizer and its variables alive."""

    def __init__(self, update: ServerUpdate) -> None:
        self.facts, self._update = update.facts, weakref.ref(update)

    def __call__(self, values: Sequence[Any], gradients: Sequence[Any]) -> list[Any]:
        update = self._update()
        assert update is not None, "whoever pushes has it"
        return update(values, gradients)


def _counts(gradients: Sequence[Any]) -> tuple[int | None, ...]:
    return tuple(g.ids.shape[0] if isinstance(g, SparseGradient) else None for g in gradients)


def _in_range(ids: np.ndarray, shape: tuple[int, ...], rows: int) -> bool:
    """True for ids of rows; the one behind the last row stands for none."""
    return ids.shape == tuple(shape) and (not ids.size or (ids.min() >= 0 and ids.max() <= rows))
