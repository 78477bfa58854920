"""ModeExport: a model in one mode, with the placeholders of a receiver as its inputs, and the functions of its signatures."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, final

from stratagem._core.context import current
from stratagem._core.step import Function, export_function, tried
from stratagem._core.values import TensorSpec, on_read
from stratagem._host_calls import EXAMPLES
from stratagem._saved_models import LoadedObject, ModelToSave
from stratagem._tf1.estimator._alternatives import Alternative, alternatives_of
from stratagem._tf1.estimator._config import RunConfig
from stratagem._tf1.estimator._model_spec import EstimatorSpec, ModeKeys
from stratagem._tf1.estimator._receivers import Receiver
from stratagem._tf1.estimator._saving import GraphSaver
from stratagem._tf1.estimator._signatures import TAGS, inputs_of, outputs_of, tensors_of
from stratagem._tf1.estimator._step import run_operation
from stratagem._tf1.graph import ModelState, NewPlaceholder, ReceiverInputs

CallModel = Callable[[Any, Any, str], EstimatorSpec]  # features, labels, mode
MakeInputs = Callable[[Any, Sequence[Any]], tuple[Any, Any]]  # the model's build, tensors of a call → features, labels


@final
class ModeExport:
    """A model in one mode. model: calls the model_fn. receive: makes placeholders, and of them features and labels."""

    def __init__(self, mode: str, model: CallModel, receive: Callable[[], Receiver], config: RunConfig) -> None:
        self._mode, self._model, self._receive, self._config = mode, model, receive, config
        self._graph = ModelState(config.tf_random_seed)
        self._specs: list[TensorSpec] = []
        self._receiver: dict[str, int] = {}
        self._alternatives: dict[str, Alternative] = {}
        self._spec: EstimatorSpec | None = None

    @property
    def variables(self) -> dict[str, Any]:
        """The variables that checkpoints have, by name."""
        return self._graph.variables

    def build(self, checkpoint: str) -> None:
        """Traces the model, which creates its variables, and gives them the values of a checkpoint.

        Raises: ValueError for a receiver or outputs that are none; UnimplementedError for a model that has no program and for
            alternatives that cannot be fed; the errors of `GraphSaver.restore`.
        """
        while True:
            try:
                tried(Function(self._traced), tuple(self._specs), {}, EXAMPLES)
                break
            except NewPlaceholder as new:
                self._specs.append(new.spec)
        GraphSaver(self._graph, self._config, self._built.scaffold.saver).restore(checkpoint)

    def to_save(self) -> ModelToSave:
        """Returns the model's variables and signatures, with TensorFlow's tag for the mode.

        Raises ValueError for a model without a signature.
        """
        specs = [self._specs[number] for number in self._receiver.values()]
        numbers = list(self._receiver.values())
        signatures = self._signatures("", list(self._receiver), specs, functools.partial(self._received, numbers))
        for name, alternative in self._alternatives.items():
            signatures |= self._of_alternative(f"{name}:", alternative)
        if not signatures:
            raise ValueError(
                "The export would have no signature: its outputs are classifications or regressions, which take serialized "
                "Examples. Use tf.estimator.export.build_parsing_serving_input_receiver_fn, or export a PredictOutput, too."
            )
        served, variables = LoadedObject(), [*self._graph.variables.values(), *self._graph.local.values()]
        served.take(
            {
                "variables": variables,
                "trainable_variables": [v for v in variables if v.trainable],
                "non_trainable_variables": [v for v in variables if not v.trainable],
            }
        )
        return ModelToSave(served, signatures, (TAGS[self._mode],))

    @property
    def _built(self) -> EstimatorSpec:
        assert self._spec is not None, "the model has been called"
        return self._spec

    def _traced(self, *tensors: Any) -> None:
        """The first call: takes note of the placeholders' names, the alternatives and the model's outputs."""
        recorder: Any = current().recorder
        with self._graph.building(self._mode) as building:
            inputs = building.receiver = ReceiverInputs(tensors)
            receiver = self._called_receiver()
            self._receiver = _placeholders(receiver, inputs, len(tensors))
            self._alternatives = alternatives_of(receiver, inputs, len(tensors))
            spec = self._called_model(receiver.features, getattr(receiver, "labels", None))
            if self._mode == ModeKeys.TRAIN:
                with recorder.undoing_assignments(lambda variable: False):  # it is run for the variables that it makes
                    run_operation(spec.train_op)
            for output in outputs_of(spec).values():
                tensors_of(output)
            self._spec = spec

    def _called_receiver(self) -> Receiver:
        receiver = self._receive()
        if not isinstance(receiver, Receiver):
            raise ValueError(
                "A serving_input_receiver_fn returns a tf.estimator.export.ServingInputReceiver or "
                f"TensorServingInputReceiver, got {receiver!r:.100}."
            )
        return receiver

    def _called_model(self, features: Any, labels: Any) -> EstimatorSpec:
        recorder: Any = current().recorder
        step = self._graph.global_step
        assert step is not None, "checkpoints have it, as the graph's first variable"
        # As in predictions and evaluations, what Keras objects assign at once is undone, but for metrics.
        with recorder.undoing_assignments(on_read):
            return self._model(features, labels, self._mode)

    def _signatures(
        self, prefix: str, names: list[str], specs: Sequence[TensorSpec], make: MakeInputs
    ) -> dict[str, Any]:
        """Returns a function for each output that can be asked for with such inputs."""
        found = {}
        for key, output in outputs_of(self._built).items():
            inputs = inputs_of(output, f"{prefix}{key}", names, specs)
            if inputs is not None:
                given = [TensorSpec(s.shape, s.dtype, n) for n, s in zip(inputs, specs, strict=True)]
                found[f"{prefix}{key}"] = Function(functools.partial(self._outputs, key, make), given)
        return found

    def _of_alternative(self, prefix: str, alternative: Alternative) -> dict[str, Any]:
        names = list(alternative.names)
        if alternative.numbers is not None:
            make: MakeInputs = functools.partial(self._received, alternative.numbers)
            return self._signatures(prefix, names, [self._specs[n] for n in alternative.numbers], make)
        # Which of their sizes are known, an export of the receiver alone tells.
        name = prefix.removesuffix(":")
        found = export_function(Function(functools.partial(self._tensors_of, name)), tuple(self._specs), {}, EXAMPLES)
        return self._signatures(prefix, names, found.result, lambda _, tensors: (alternative.features(tensors), None))

    def _tensors_of(self, name: str, *tensors: Any) -> list[Any]:
        with self._graph.building(self._mode) as building:
            building.receiver = ReceiverInputs(tensors)
            return list((self._called_receiver().receiver_tensors_alternatives or {})[name].values())

    def _received(self, numbers: Sequence[int], building: Any, tensors: Sequence[Any]) -> tuple[Any, Any]:
        """Calls the receiver, whose placeholders of these numbers are the tensors."""
        building.receiver = ReceiverInputs(tuple(tensors[numbers.index(n)] for n in range(len(tensors))))
        receiver = self._called_receiver()
        return receiver.features, getattr(receiver, "labels", None)

    def _outputs(self, key: str, make: MakeInputs, *tensors: Any) -> dict[str, Any]:
        """The function of a signature: its outputs by name."""
        with self._graph.building(self._mode) as building:
            return tensors_of(outputs_of(self._called_model(*make(building, tensors)))[key])


def _placeholders(receiver: Receiver, inputs: ReceiverInputs, count: int) -> dict[str, int]:
    """Returns the numbers of a receiver's placeholders by name. Raises ValueError if its tensors are not all of them."""
    numbers = {name: inputs.number(tensor) for name, tensor in receiver.receiver_tensors.items()}
    wrong = [name for name, number in numbers.items() if number is None]
    if wrong or len(set(numbers.values())) < count:
        what = f"{wrong[0]!r} is none" if wrong else f"it makes {count}, and gives {list(numbers)}"
        raise ValueError(
            f"The receiver_tensors of a serving_input_receiver_fn have to be all of its placeholders: {what}."
        )
    return {name: number for name, number in numbers.items() if number is not None}
