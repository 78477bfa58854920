"""What a program that is being generated has so far, and where its next line stands."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import final

from tests.differential.drawing import Draw
from tests.differential.program import STRATEGIES, Writer

FLOATS = ("float32", "float64", "float16", "bfloat16")
SIGNED = ("int32", "int64", "int8", "int16")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
# What collectives between processes can carry in TensorFlow.
CARRIED = ("float32", "float64", "float16", "int32", "int64")
# What TensorFlow can add up over replicas at every place.
ADDED = ("float32", "float64", "float16", "bfloat16", "int32", "int64")
DTYPES = {
    **dict(zip(FLOATS, (0.34, 0.1, 0.07, 0.06), strict=True)),
    **dict(zip(SIGNED, (0.12, 0.08, 0.03, 0.03), strict=True)),
    **dict(zip(UNSIGNED, (0.04, 0.01, 0.01, 0.01), strict=True)),
    "bool": 0.07,
    "complex64": 0.03,
}


@final
@dataclass(frozen=True)
class Variable:
    """A `tf.Variable` of the program."""

    name: str
    synchronization: str
    aggregation: str
    dtype: str
    shape: int | None  # None: a scalar; n: n numbers


@final
@dataclass(frozen=True)
class Value:
    """A tensor that a name or an expression stands for. uniform: all replicas have the same."""

    text: str
    dtype: str
    shape: int | None
    uniform: bool = True


@final
@dataclass(frozen=True)
class Place:
    """Where a line stands. context: `replica`, `cross` or `outside`. control: in a branch or a loop of a graph."""

    context: str
    compiled: bool
    control: bool = False
    values: tuple[Value, ...] = ()
    depth: int = 0

    def knowing(self, values: Iterable[Value]) -> "Place":
        """The same place, where these values have names as well."""
        return replace(self, values=(*self.values, *values))

    def within(self, *, control: bool) -> "Place":
        """A branch or the body of a loop at this place."""
        return replace(self, control=self.control or control, depth=self.depth + 1)


@final
@dataclass
class Scene:
    """The objects of a program."""

    draw: Draw
    strategy: str
    writer: Writer = field(default_factory=Writer)
    variables: list[Variable] = field(default_factory=list)
    inputs: list[Value] = field(default_factory=list)
    metrics: list[tuple[str, str]] = field(default_factory=list)  # name, what it takes
    trained: list[Variable] = field(default_factory=list)  # by an optimizer
    optimizers: list[tuple[str, bool]] = field(default_factory=list)  # name, whether its learning rate is a schedule
    generators: list[str] = field(default_factory=list)
    batches: str = ""  # the name of a distributed dataset, whose elements are the first input
    handed_out: bool = False  # whether the step returns values of all replicas
    settings: list[Value] = field(default_factory=list)  # numbers of an object of the user's, as tensors

    @property
    def replicas(self) -> int:
        """In all processes."""
        return 2 if self.strategy == "two_processes" else STRATEGIES[self.strategy][1]

    @property
    def dtypes(self) -> list[str]:
        """Those that the program uses, each as often as it does."""
        return [thing.dtype for thing in (*self.variables, *self.inputs)] or ["float32"]

    @property
    def shapes(self) -> list[int | None]:
        """Those that the program uses, each as often as it does."""
        return [thing.shape for thing in (*self.variables, *self.inputs) if thing.shape in (None, 2)] or [None]

    def dtype(self) -> str:
        """Some dtype that a variable can have."""
        weights = DTYPES if self.strategy != "two_processes" else {name: DTYPES[name] for name in CARRIED}
        return self.draw.weighted(weights)
