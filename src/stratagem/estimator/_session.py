"""ModelSession: what hooks can ask of a model that is being run, before, between and after its steps."""

from collections.abc import Callable, Iterable
from typing import Any, final

import jax
import numpy as np

from stratagem._errors import UnimplementedError
from stratagem._private import KerasVariable
from stratagem.estimator._events import EventFolders
from stratagem.estimator._hook import SessionRunHook
from stratagem.estimator._reach import names_in
from stratagem.estimator._runner import Results, Runner
from stratagem.estimator._saving import Saving
from stratagem.estimator._step import ModelStep
from stratagem.estimator.hooks import SessionRunArgs
from stratagem.graph import Operation

Answer = Callable[[Results], Any]  # the value of one fetch, once the step is done


@final
class ModelSession:
    """A `hooks.Session` of a model that has been built.

    Variables are read before a step, as their fetches come before what the step does; tensors are what they were in it.
    """

    def __init__(self, step: ModelStep, runner: Runner, saving: Saving, events: EventFolders) -> None:
        self._step, self._runner, self._saving = step, runner, saving
        self._events = events
        self._last: Results | None = None
        self._number: int | None = None

    @property
    def graph(self) -> Any:
        """The graph of the model."""
        return self._step.graph

    @property
    def events(self) -> EventFolders:
        """Writes to event files."""
        return self._events

    @property
    def summaries(self) -> list[tuple[str, str, Any]]:
        """What the model summarizes, (kind, tag, tensor), and its loss unless the model has one of that tag."""
        built = self._step.built
        tags = {tag for _, tag, _ in built.building.summaries}
        own = [] if "loss" in tags or built.spec.loss is None else [("scalar", "loss", built.loss)]
        return [*own, *built.building.summaries]

    def global_step(self) -> int:
        """The present global step."""
        if self._number is None:
            self._number = self._runner.global_step()
        return self._number

    def settle(self) -> int:
        """Wait until no step is under way. Returns the global step that the variables are at."""
        self._runner.settle()
        self._number = None
        return self.global_step()

    def save(self, directory: str, name: str, step: int) -> None:
        """Write the checkpoint `<directory>/<name>-<step>`."""
        self._saving.save(directory, name, step)

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """The present values of variables and metrics, and those that tensors had in the last step. No step is taken.

        Raises ValueError for a tensor when there was no step yet, and for what is neither.
        """
        answers = self.answers(SessionRunArgs(fetches, feed_dict, options))
        last = Results(self.global_step(), None, {}) if self._last is None else self._last
        return jax.tree.map(lambda answer: answer(last), answers)

    def expect(self, hooks: Iterable[SessionRunHook]) -> None:
        """Let steps return the tensors that these hooks hold the names of, whenever they will ask for them."""
        known = self._step.built.building.named.keys()
        self._step.ask({name for text in names_in(hooks) if (name := text.removesuffix(":0")) in known})

    def advance(self) -> Results | None:
        """Take the next step."""
        self._number = None
        found = self._runner.advance()
        self._last = self._last if found is None else found
        return found

    def answers(self, arguments: SessionRunArgs | None) -> Any:
        """For everything that a hook asks for, a function that gives it after the step. Reads what is read before it."""
        if arguments is None:
            return None
        if arguments.feed_dict or arguments.options:
            raise UnimplementedError(
                "A hook gave a feed_dict or options: a compiled step has no placeholders and no options of a session. Put the "
                "data into the data set of the input_fn."
            )
        return jax.tree.map(self._answer, arguments.fetches)

    def _answer(self, fetch: Any) -> Answer:
        if isinstance(fetch, str):
            return self._of_name(fetch.removesuffix(":0"))
        if isinstance(fetch, KerasVariable):
            return self._of_variable(fetch)
        if isinstance(fetch, Operation):
            return _of_operation(fetch, self._step.built.spec.train_op)
        if callable(read := getattr(fetch, "read", None)):  # the value of a metric
            return lambda results: _plain(read())
        key = self._step.built.place_of(fetch)
        if key is not None:
            return lambda results: _of_step(results, key)
        if isinstance(fetch, jax.core.Tracer):
            raise ValueError(
                f"A hook asks for {fetch}, which the step does not return. A hook may ask for tensors that it holds in its "
                "attributes (also in dicts, lists and tuples), if the model_fn gives the hook in its EstimatorSpec; for the "
                "loss; for variables; and for names given by tf.identity(x, name=...)."
            )
        value = _plain(fetch)
        return lambda results: value

    def _of_name(self, name: str) -> Answer:
        variable = self._step.graph.variables.get(name)
        if variable is not None:
            return self._of_variable(variable)
        if name not in self._step.built.building.named:
            known = [*self._step.built.building.named, *self._step.graph.variables]
            raise ValueError(
                f"A hook asks for {name!r}, and the model has no tensor or variable of this name. It has {', '.join(known)}; "
                "tf.identity(x, name=...) gives a tensor a name."
            )
        self._step.ask({name})
        return lambda results: _of_step(results, f"name {name}")

    def _of_variable(self, variable: Any) -> Answer:
        number = variable is self._step.graph.variables.get("global_step")
        value = np.int64(self.global_step()) if number else _plain(variable.value)
        return lambda results: value


def _of_step(results: Results, key: str) -> Any:
    value = results.loss if key == "loss" else results.tensors.get(key)
    if value is None:
        raise ValueError(
            f"A hook asks for {key}, which exists while a step runs only, and no step that gave it has been run."
        )
    return _plain(value)


def _of_operation(operation: Operation, train_op: Any) -> Answer:
    if operation is not train_op:
        raise ValueError(
            f"A hook wants to run {operation!r}. Steps are compiled: what they run besides the train_op has to be part of it, "
            "as train_op=tf.group(train_op, operation)."
        )
    return lambda results: None


def _plain(value: Any) -> Any:
    """As a session gives it: a NumPy array, or a NumPy number."""
    return np.asarray(value)[()]
