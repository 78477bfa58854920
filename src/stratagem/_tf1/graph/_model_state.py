"""The state that a model_fn keeps between its calls: variables by their TensorFlow names, and their optimizers."""

import contextlib
import random
import zlib
from collections.abc import Callable, Iterator
from typing import Any, final

import keras
import numpy as np

from stratagem._checkpoints import Derived, Written
from stratagem._core.context import current, entered
from stratagem._core.step import GradientTape
from stratagem._core.values import Variable, VariableAggregation
from stratagem._private import (
    OutsideOfTraces,
    fresh_names,
    global_seed_generator,
    intercept_creation,
    scope_path,
    seed_of,
    seeds_from,
    unscoped,
)
from stratagem._tf1.graph._get_variable import variable
from stratagem._tf1.graph._graph_variable import GraphVariable
from stratagem._tf1.graph._keys import GraphKeys
from stratagem._tf1.graph._model_build import ModelBuild, building_here
from stratagem._tf1.graph._random_test_tool import unless_testing


@final
class ModelState:
    """The state that a model_fn keeps between its calls. Every traced call makes the same objects, and finds them here by name.

    variables: the variables that checkpoints contain, by name without ":0", in the order of their creation.
    local: the variables of metrics, which checkpoints do not contain.
    seed: the seed of random initial values; None draws others in every process.
    begin_with: by variable, the checkpoint and the name in it from which it takes its first value.
    makers: by variable, a function that makes another with a first value as it had.
    derived: by variable, a function that has its value from the values that a checkpoint of TensorFlow's has instead.
    written: by name, a function that has a value which checkpoints in TensorFlow's format have besides.
    """

    def __init__(self, seed: int | None = None) -> None:
        self.seed = seed
        self.makers: dict[str, Callable[[], Any]] = {}
        self.variables: dict[str, Any] = {}
        self.local: dict[str, Any] = {}
        self.begin_with: dict[str, tuple[str, str]] = {}
        self.derived: dict[str, Derived] = {}
        self.written: dict[str, Written] = {}
        self._kept: dict[str, Any] = {}

    @property
    def trainable(self) -> list[Any]:
        """The variables that optimizers change by default."""
        return [v for v in self.variables.values() if v.trainable]

    @property
    def global_step(self) -> Any:
        """The variable that counts training steps: an int64 scalar, created on first use."""
        return self.variable(GraphKeys.GLOBAL_STEP, _new_global_step)

    @contextlib.contextmanager
    def building(self, mode: str, *, records: bool = True) -> Iterator[ModelBuild]:
        """Runs the body as one call of a model_fn in `mode` ("train", "eval" or "infer").

        records: inside a trace, a tape records it.
        """
        with contextlib.ExitStack() as stack:
            with entered(strategy=None, replica=None, recorder=None), unscoped(), OutsideOfTraces():
                global_seed_generator()  # created in the strategy's scope, it would belong to the strategy
            recorder = current().recorder if records else None
            tape = None if recorder is None else stack.enter_context(GradientTape(persistent=True))
            building = ModelBuild(self, mode, tape)
            stack.enter_context(fresh_names())
            stack.enter_context(seeds_from(unless_testing(self.next_seed)))
            stack.enter_context(entered(graph=building))
            yield building

    def next_seed(self, generator: Any) -> Any:
        """Returns the next seed from a generator of this state.

        Each named seed has a generator, and all other uses share one.
        """
        seed = seed_of(generator)
        own = self.kept(f"seeds/{seed}", lambda: keras.random.SeedGenerator(self._first_seed(seed)))
        with seeds_from(None):
            return own.next()

    def _first_seed(self, named: int | None) -> int:
        if named is None:
            return random.randint(1, 10**9) if self.seed is None else self.seed
        return named if self.seed is None else zlib.crc32(f"{self.seed} {named}".encode())

    def variable(self, name: str, make: Callable[[], Any], *, local: bool = False) -> Any:
        """Returns the variable of this name, which `make` creates if the graph does not have it yet."""
        known = self.local if local else self.variables
        if name not in known:
            with beside_the_trace():
                known[name] = make()
            self.makers[name] = make
        return known[name]

    def kept(self, name: str, make: Callable[[], Any]) -> Any:
        """Returns an object that has to be the same in every trace, such as an optimizer; `make` creates it on first use."""
        if name not in self._kept:
            with beside_the_trace():
                self._kept[name] = make()
        return self._kept[name]


@contextlib.contextmanager
def beside_the_trace() -> Iterator[None]:
    """Creates the variables of the body as outside of a step: in the strategy's scope, with their values at once.

    Raises ValueError in every trace but the first.
    """
    context = current()
    if context.recorder is not None:
        _demand_first(context.recorder)
    crossing = context.strategy is not None
    with (
        unscoped(),
        OutsideOfTraces(),
        entered(graph=None, recorder=None, replica=None, crossing=crossing),
    ):
        yield


def _demand_first(recorder: Any) -> None:
    try:
        recorder.create(None)
    except ValueError as error:
        raise ValueError(
            "The model_fn makes a variable that its first call did not make. Its Python code must do the same at every call of "
            "one mode: look for counters, random choices, and objects that are made only once."
        ) from error


def _new_global_step() -> GraphVariable:
    return GraphVariable(
        0, name="global_step", dtype=np.int64, trainable=False, aggregation=VariableAggregation.ONLY_FIRST_REPLICA
    )


def _keras_variable(cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Returns the variable that an earlier call of the model_fn made under this name, or a new one.

    Returns None outside of a model_fn.
    """
    building = building_here()
    if building is None:
        return None
    if cls is Variable and building.owner is not None:
        return variable(*args, **kwargs)
    if kwargs.get("name") == "seed_generator_state":  # unused: the graph has its own, and checkpoints do not contain it
        return building.graph.kept(building.scopes.unique_name("unused_seed"), lambda: cls(*args, **kwargs))
    name = building.scopes.unique_name(
        "/".join(filter(None, (scope_path(), kwargs.get("name") or cls.__name__.lower())))
    )
    local = kwargs.get("synchronization") == "on_read"  # the state of a metric
    found = building.graph.variable(name, lambda: cls(*args, **kwargs), local=local)
    building.declare(name, found, (GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES) if local else ())
    return found


def attach_graph_variables() -> None:
    """Let a model_fn's variables be those that its earlier calls made, by their names."""
    intercept_creation(_keras_variable)
