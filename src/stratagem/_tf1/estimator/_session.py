"""ModelSession: what hooks can request from a running model before, between and after its steps."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, final

import jax
import numpy as np

from stratagem._base.errors import UnimplementedError
from stratagem._private import KerasVariable
from stratagem._tf1.estimator._events import EventFolders
from stratagem._tf1.estimator._hook_captures import names_in
from stratagem._tf1.estimator._runner import EstimatorStepRunner, StepResults
from stratagem._tf1.estimator._saving import GraphSaver
from stratagem._tf1.estimator._session_run_hook import SessionRunHook
from stratagem._tf1.estimator._step import ModelStep, hooks_of
from stratagem._tf1.estimator.hooks import SessionRunArgs
from stratagem._tf1.graph import Operation

Answer = Callable[[StepResults], Any]  # the value of one fetch, once the step is done


@final
class ModelSession:
    """A `hooks.StepSession` of a model that has been built.

    Variables are read before a step changes them; tensors have their values in the step.
    """

    def __init__(self, step: ModelStep, runner: EstimatorStepRunner, saving: GraphSaver, events: EventFolders) -> None:
        self._step, self._runner, self._saving = step, runner, saving
        self._events = events
        self._last: StepResults | None = None
        self._number: int | None = None

    @property
    def graph(self) -> Any:
        """The graph of the model."""
        return self._step.graph

    @property
    def events(self) -> EventFolders:
        """The writers of event files."""
        return self._events

    @property
    def summaries(self) -> list[tuple[str, str, Any]]:
        """The model's summaries, (kind, tag, tensor), with the loss unless one of them has that tag."""
        built = self._step.built
        tags = {tag for _, tag, _ in built.building.summaries}
        own = [] if "loss" in tags or built.spec.loss is None else [("scalar", "loss", built.loss)]
        return [*own, *built.building.summaries]

    def global_step(self) -> int:
        """Returns the current global step."""
        if self._number is None:
            self._number = self._runner.global_step()
        return self._number

    def settle(self) -> int:
        """Waits until no step is running. Returns the global step of the variables."""
        self._runner.settle()
        self._number = None
        return self.global_step()

    def save(self, directory: str, name: str, step: int) -> None:
        """Writes the checkpoint `<directory>/<name>-<step>`."""
        self._saving.save(directory, name, step)

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Returns the current values of variables and metrics, and the values of tensors in the last step. No step is taken.

        Operations that a hook has made, such as `variable.assign(value)`, are run first, each time anew.

        Raises ValueError for a tensor before the first step, for an operation of the step, and for any other object.
        """
        made = [fetch for fetch in jax.tree.leaves(fetches) if isinstance(fetch, Operation)]
        if not made:
            return self._current(SessionRunArgs(fetches, feed_dict, options))
        others = jax.tree.map(lambda f: None if isinstance(f, Operation) else f, fetches)
        self._current(SessionRunArgs(others, feed_dict, options))  # what is refused is so before anything is run
        results = self._run_apart(made)
        fetches = jax.tree.map(lambda f: results[id(f)] if isinstance(f, Operation) else f, fetches)
        return self._current(SessionRunArgs(fetches))

    def load(self, variable: Any, value: Any) -> None:
        """Sets a variable's value, while no step is running."""
        self.settle()
        with self._step.built.building.acting():
            variable.assign(value)
        self.settle()

    def _current(self, arguments: SessionRunArgs) -> Any:
        """Returns the values of what is asked for, as after the last step."""
        answers = self.answers(arguments)
        last = StepResults(self.global_step(), None, {}) if self._last is None else self._last
        return jax.tree.map(lambda answer: answer(last), answers)

    def expect(self, hooks: Iterable[SessionRunHook]) -> None:
        """Makes steps return the tensors whose names these hooks hold, so that they can be fetched at any time.

        Some hooks may be on the chief only, so all workers return what any of them requests.
        """
        built = self._step.built
        texts = names_in([*hooks, *hooks_of(built.spec, self._step.mode)])
        names = {name for text in texts if (name := text.removesuffix(":0")) in built.building.named}
        job = self._step.strategy.mesh.job
        self._step.ask({name for given in job.agree("the tensors that hooks ask for", sorted(names)) for name in given})

    def advance(self) -> StepResults | None:
        """Takes the next step."""
        self._number = None
        found = self._runner.advance()
        self._last = self._last if found is None else found
        return found

    def answers(self, arguments: SessionRunArgs | None) -> Any:
        """Returns, for each value that a hook fetches, a function that gives it after the step. Variables are read now."""
        if arguments is None:
            return None
        if arguments.feed_dict or arguments.options:
            raise UnimplementedError(
                "A hook gave a feed_dict or options: a compiled step has no placeholders and no options of a session. Put the "
                "data into the dataset of the input_fn."
            )
        return jax.tree.map(self._answer, arguments.fetches)

    def _answer(self, fetch: Any) -> Answer:
        if isinstance(fetch, str):
            return self._of_name(fetch.removesuffix(":0"))
        if isinstance(fetch, KerasVariable):
            return self._of_variable(fetch)
        if isinstance(fetch, Operation):
            return self._of_operation(fetch)
        if callable(read := getattr(fetch, "read", None)):  # the value of a metric
            return lambda results: _plain(read())
        key = self._step.built.key_of(fetch)
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
        if name not in self._step.asked and self._step.strategy.mesh.job.workers > 1:
            raise ValueError(
                f"A hook asks for the tensor {name!r} late. Several workers train as one, and agree before the first step on "
                f"what steps return: {', '.join(self._step.asked) or 'none'}. Let the hook have the name in an attribute."
            )
        self._step.ask({name})
        return lambda results: _of_step(results, f"name {name}")

    def _of_operation(self, operation: Operation) -> Answer:
        """Returns the result of an operation that the step has run, in the train_op or in an update of a metric."""
        built = self._step.built
        if id(operation) not in built.building.done:
            raise ValueError(
                f"A hook wants to run {operation!r}. Steps are compiled: what they run besides the train_op has to be part of "
                "it, as train_op=tf.group(train_op, operation)."
            )
        _, result = built.building.done[id(operation)]
        return (lambda results: None) if result is None else self._answer(result)

    def _run_apart(self, made: Sequence[Operation]) -> dict[int, Any]:
        """Runs operations that are no part of the step, while none is running. Returns their results by their ids."""
        building = self._step.built.building
        for operation in made:
            if id(operation) in building.done:
                raise ValueError(
                    f"session.run takes no step, and {operation!r} is a part of it, which the Estimator runs. Fetch its result "
                    "by SessionRunArgs in before_run."
                )
        self.settle()
        try:
            with building.apart():
                return {id(operation): building.run(operation) for operation in made}
        except jax.errors.UnexpectedTracerError:
            raise ValueError(
                f"session.run cannot run {', '.join(map(repr, made))}: they need tensors of the model_fn, which have values "
                "while a step runs only. What every step is to run goes into the train_op: "
                "train_op=tf.group(train_op, operation)."
            ) from None
        finally:
            self.settle()  # the global step may be another one now

    def _of_variable(self, variable: Any) -> Answer:
        number = variable is self._step.graph.variables.get("global_step")
        value = np.int64(self.global_step()) if number else _plain(variable.value)
        return lambda results: value


def _of_step(results: StepResults, key: str) -> Any:
    value = results.loss if key == "loss" else results.tensors.get(key)
    if value is None:
        raise ValueError(
            f"A hook asks for {key}, which exists while a step runs only, and no step that gave it has been run."
        )
    return _plain(value)


def _plain(value: Any) -> Any:
    """Returns a value in the form that sessions return: a NumPy array or a NumPy number."""
    return np.asarray(value)[()]
