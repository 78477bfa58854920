"""Protocols of what the context names, for code below their classes: strategy, replica, recorder, worker, graph."""

import contextlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import jax
import keras

from stratagem._base.job import Phase
from stratagem._base.types import DTypeLike, UserFunction
from stratagem._core.mesh import ReplicaMesh

# Returns the exception of the user's code for which a check stands, once; None if another process has it.
RaisedError = Callable[[], BaseException | None]


class Strategy(Protocol):
    """A strategy: the devices of its replicas, and the placements of variables that are created in its scope."""

    @property
    def mesh(self) -> ReplicaMesh:
        """The devices of the replicas."""

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas of all workers."""

    @property
    def remote_variables(self) -> bool:
        """True if variables of the scope are kept on servers."""

    @property
    def function_caches(self) -> dict[Hashable, Any]:
        """The compiled programs of functions that are no tf.function, by what tells functions apart."""

    @property
    def seed_generators(self) -> dict[Any, Any]:
        """The generators of random seeds, by what draws from them."""

    def placement(self, slot_of: keras.Variable | None = None) -> Any:
        """Returns the placement of a new variable. slot_of: the variable whose slot it is."""

    def shards_of(self, shape: Sequence[int], dtype: DTypeLike) -> int:
        """Returns the number of shards in which a new variable is kept."""


class Replica(Protocol):
    """One copy of a step."""

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas of all workers."""

    def merge_call(self, merge_fn: UserFunction, args: Sequence[Any]) -> Any:
        """Calls a function in cross-replica context with all replicas' values."""


class StepRecorder(Protocol):
    """A trace, as code in layers that do not know the step's recorder sees it.

    strategy: the one whose replicas the trace has met, or None. mesh: the replicas that the program will run on.
    first: True in a function's first recording, which may create variables. runs_again: whether the code has to run again after
    it. written: the ids of variables that were assigned.
    tapes: the gradient tapes that are open. prefix: the recorder of what the host computes before the program.
    follows_settings: True while another setting of an optimizer has to be noticed.
    """

    strategy: Strategy | None
    mesh: ReplicaMesh
    first: bool
    runs_again: bool
    written: dict[int, str]
    tapes: list[Any]
    prefix: Any
    follows_settings: bool

    @property
    def eager(self) -> bool:
        """True if the code runs as Python, on values that are known, and is not traced."""

    @property
    def platform(self) -> str:
        """The platform of the devices that the program will run on: `cpu`, `gpu`, `tpu`."""

    @property
    def even(self) -> bool:
        """True while all replicas' inputs have the same shapes."""

    @property
    def scope(self) -> "StepRecorder":
        """The recorder itself, also where a branch or loop body has put another in front of it."""

    @property
    def updates(self) -> list[Any]:
        """The updates of remote variables that the step leaves (`RemoteUpdate`)."""

    def value_of(self, variable: keras.Variable) -> jax.Array:
        """Returns the input of the program that is the variable's value."""

    def write(self, variable: keras.Variable, value: jax.Array) -> None:
        """Let the step assign `value`, as it is, to the variable."""

    def draw(self, source: Any) -> Any:
        """Returns the next element of an iterator, as an input of the program being traced."""

    def need_host(self, reason: str) -> None:
        """Give the trace up because Python itself needs values; inside a replica this is an error."""

    def create(self, variable: keras.Variable | None) -> None:
        """Take note of a variable that is being created; raises ValueError where that is not allowed."""

    def trainable(self) -> list[keras.Variable]:
        """Returns the trainable variables that the trace has read."""

    def gather_rows(self, value: jax.Array) -> jax.Array:
        """Returns the replicas' values one after another along axis 0, on every replica."""

    def shapes_everywhere(self, shape: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        """Returns the shapes, by replica, of a value that is gathered and has this one here."""

    def add(self, variable: keras.Variable, delta: Any, sign: int) -> bool:
        """Add to a variable as one whole; False where the caller is to read it, add, and assign."""

    def read_slot(self, variable: keras.Variable, slot: jax.Array) -> jax.Array:
        """Returns what the present code reads of a variable of which a replica stores `slot`: a slot of its own, or a shard."""

    def in_shards(self, variable: keras.Variable) -> bool:
        """Returns whether what the trace has of a variable is its replica's shard."""

    def to_copy(self, variable: keras.Variable, value: jax.Array) -> jax.Array:
        """Returns what all replicas have of a mirrored variable once the present code has assigned `value`."""

    def to_slot(self, variable: keras.Variable, value: jax.Array) -> jax.Array:
        """Returns what a replica stores of `value`, which the present code assigns: a slot of its own, or a shard."""

    def aggregated_reads(self) -> contextlib.AbstractContextManager[None]:
        """In the body, reading a sync-on-read variable gives its aggregate over all replicas."""

    def undoing_assignments(self, kept: Callable[[keras.Variable], bool]) -> contextlib.AbstractContextManager[None]:
        """Forgets what the body assigns, at its end, except for variables that are `kept`."""

    def ignoring(self, ignored: Callable[[keras.Variable], bool]) -> contextlib.AbstractContextManager[None]:
        """In the body, variables that are `ignored` keep their values, whatever it assigns."""

    def check(self, fails: jax.Array, text: str, values: Mapping[str, Any], raised: RaisedError | None = None) -> None:
        """Make it an error with this text and these values if the scalar `fails` is true when the program runs.

        raised: returns the exception to raise instead.
        """


class PhaseTimer(Protocol):
    """A stopwatch that adds up the time that a worker spends, by phase."""

    def phase(self, phase: Phase) -> contextlib.AbstractContextManager[None]:
        """Count the time of the body as that of this phase."""


class CurrentWorker(Protocol):
    """The worker of a parameter-server job that runs the present code. index: of its task; None on the coordinator."""

    index: int | None

    @property
    def clock(self) -> PhaseTimer:
        """The stopwatch of this worker."""


class GraphBuild(Protocol):
    """A call of an Estimator's model_fn, as tensor functions see it."""

    def note_lookup(self, variables: Iterable[keras.Variable]) -> None:
        """Take note that rows of a table, which these variables hold, are read."""

    @property
    def has_gradients(self) -> bool:
        """True if the call may ask for gradients."""

    def name_results(self, name: str, results: Any) -> Any:
        """Returns the results of a function, tensors that are found by this name below the name scopes that are open."""

    def name_scope(self, name: str) -> contextlib.AbstractContextManager[str]:
        """Prefixes names in the body."""

    def deferred(self, name: str, action: Callable[[], None]) -> Any:
        """Returns an operation of a graph that does this; where there are none, does it at once and returns None."""

    def checked(self, tensor: jax.Array, check: Any) -> jax.Array:
        """Returns a tensor with the same values, which depends on what `deferred` has returned."""

    def take_seed(self, seed: int) -> bool:
        """Returns whether a graph is built, whose seed this is from now on."""

    def iterator_of(self, dataset: Any, *, ready: bool) -> Any:
        """Returns an iterator of TensorFlow 1; None where iterators are ordinary ones. ready: without an initializer."""

    def is_fed(self, value: Any) -> bool:
        """Returns whether a value is a tensor that has values in sessions alone, numbers or strings."""

    def run_dependencies(self) -> None:
        """Run what the open `control_dependencies` name."""
