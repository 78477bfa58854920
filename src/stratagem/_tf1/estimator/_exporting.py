"""Exports an Estimator's model: a SavedModel in a directory that is named after the time."""

import contextlib
import functools
import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, final

from stratagem._base.errors import UnimplementedError
from stratagem._base.paths import file_errors, is_remote, parent
from stratagem._base.storage import checked_path, copy_file, file_system
from stratagem._base.types import Nest
from stratagem._core.context import current
from stratagem._core.step import Function, tried
from stratagem._core.values import TensorSpec, on_read
from stratagem._saved_models import EXAMPLES, LoadedObject, save
from stratagem._tf1.estimator._config import RunConfig
from stratagem._tf1.estimator._model_spec import EstimatorSpec, ModeKeys
from stratagem._tf1.estimator._receivers import Receiver, ServingInputReceiver, TensorServingInputReceiver
from stratagem._tf1.estimator._saving import GraphSaver
from stratagem._tf1.estimator._signatures import inputs_of, outputs_of, tensors_of
from stratagem._tf1.graph import ModelState, NewPlaceholder, ReceiverInputs

_log = logging.getLogger("stratagem.estimator")

_MOST_DIRECTORIES: Final = 3600  # in how many seconds after now there is a free name


@final
class ModelExport:
    """One export of a model. model: calls the model_fn with features. receive: the serving_input_receiver_fn."""

    def __init__(
        self, model: Callable[[Any], EstimatorSpec], receive: Callable[[], Receiver], config: RunConfig
    ) -> None:
        self._model, self._receive, self._config = model, receive, config
        self._graph = ModelState(config.tf_random_seed)
        self._specs: list[TensorSpec] = []
        self._receiver: dict[str, int] = {}
        self._spec: EstimatorSpec | None = None

    def write(self, directory: str, checkpoint: str) -> None:
        """Writes the SavedModel with the values of a checkpoint.

        Raises: ValueError for a receiver or outputs that are none; UnimplementedError for a model that has no program.
        """
        self._build()
        assert self._spec is not None, "the model has been called"
        GraphSaver(self._graph, self._config, self._spec.scaffold.saver).restore(checkpoint)
        names = list(self._receiver)
        specs = [self._specs[number] for number in self._receiver.values()]
        signatures = {}
        for key, output in outputs_of(self._spec).items():
            inputs = inputs_of(output, key, names, specs)
            if inputs is not None:
                given = [TensorSpec(s.shape, s.dtype, n) for n, s in zip(inputs, specs, strict=True)]
                signatures[key] = Function(functools.partial(self._outputs, key), given)
        if not signatures:
            raise ValueError(
                "The export would have no signature: its outputs are classifications or regressions, which take serialized "
                "Examples. Use tf.estimator.export.build_parsing_serving_input_receiver_fn, or export a PredictOutput, too."
            )
        served, variables = LoadedObject(), list(self._graph.variables.values())
        served.take(
            {
                "variables": variables,
                "trainable_variables": [v for v in variables if v.trainable],
                "non_trainable_variables": [v for v in variables if not v.trainable],
            }
        )
        save(served, directory, signatures)

    def _build(self) -> None:
        """Traces the model until all placeholders are known, which creates its variables."""
        while True:
            try:
                tried(Function(self._traced), tuple(self._specs), {}, EXAMPLES)
                return
            except NewPlaceholder as new:
                self._specs.append(new.spec)

    def _traced(self, *tensors: Any) -> None:
        with self._called(tensors) as (receiver, spec, inputs):
            if receiver.receiver_tensors_alternatives:
                raise UnimplementedError(
                    "receiver_tensors_alternatives: a program has one set of inputs here. Export the model once for each, "
                    "with a serving_input_receiver_fn of its own."
                )
            numbers = {name: inputs.number(tensor) for name, tensor in receiver.receiver_tensors.items()}
            wrong = [name for name, number in numbers.items() if number is None]
            if wrong or len(set(numbers.values())) < len(tensors):
                what = f"{wrong[0]!r} is none" if wrong else f"it makes {len(tensors)}, and gives {list(numbers)}"
                raise ValueError(
                    f"The receiver_tensors of a serving_input_receiver_fn have to be all of its placeholders: {what}."
                )
            for output in outputs_of(spec).values():
                tensors_of(output)
            self._receiver = {name: number for name, number in numbers.items() if number is not None}
            self._spec = spec

    def _outputs(self, key: str, *tensors: Any) -> dict[str, Any]:
        """The function of a signature: its outputs by name."""
        order = [tensors[list(self._receiver.values()).index(number)] for number in range(len(tensors))]
        with self._called(order) as (_, spec, _):
            return tensors_of(outputs_of(spec)[key])

    @contextlib.contextmanager
    def _called(self, tensors: Any) -> Iterator[tuple[Receiver, EstimatorSpec, ReceiverInputs]]:
        """Calls receiver and model_fn, in a trace."""
        recorder: Any = current().recorder
        inputs = ReceiverInputs(tuple(tensors))
        with self._graph.building(ModeKeys.PREDICT) as building:
            building.receiver = inputs
            step = self._graph.global_step
            assert step is not None, "checkpoints have it, as the graph's first variable"
            receiver = self._receive()
            if not isinstance(receiver, ServingInputReceiver | TensorServingInputReceiver):
                raise ValueError(
                    "A serving_input_receiver_fn returns a tf.estimator.export.ServingInputReceiver or "
                    f"TensorServingInputReceiver, got {receiver!r:.100}."
                )
            # As in predictions, what Keras objects assign at once is undone.
            with recorder.undoing_assignments(on_read):
                yield receiver, self._model(receiver.features), inputs


def new_directory(base: str) -> str:
    """Returns a directory in `base` that is not there yet, named after the time in seconds, and makes `base`."""
    files, now = file_system(base), int(time.time())
    taken: set[str] = set()
    with file_errors(base):
        files.make_directories(base)
        with contextlib.suppress(FileNotFoundError):  # an object store has no folder without a file
            taken |= files.entries(base).keys()
    names = (str(now + later) for later in range(_MOST_DIRECTORIES))
    name = next((n for n in names if not {n, f"temp-{n}"} & taken), None)
    if name is None:
        raise RuntimeError(
            f"{base} has an export for each of the next {_MOST_DIRECTORIES} seconds. Does another clock write there?"
        )
    return os.path.join(base, name)


def write_export(export: ModelExport, base: str, checkpoint: str, assets_extra: Mapping[str, Nest] | None) -> str:
    """Writes an export below `base`, and returns its directory, which appears, or is a SavedModel, when all of it is there.

    assets_extra: files to copy into `assets.extra`, by their names there. Raises ValueError for a name outside of that.
    """
    extra = {_inside(str(name)): checked_path(source) for name, source in (assets_extra or {}).items()}
    path, files = new_directory(base), file_system(base)
    # Object stores rename no folders. There the manifest, which is written last, makes it a SavedModel.
    unfinished = path if is_remote(base) else os.path.join(base, f"temp-{os.path.basename(path)}")
    try:
        for name, source in extra.items():
            target = os.path.join(unfinished, "assets.extra", name)
            with file_errors(source):
                files.make_directories(parent(target))
                copy_file(source, target)
        export.write(unfinished, checkpoint)
        if unfinished != path:
            os.rename(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            files.remove_tree(unfinished)
        raise
    _log.info("SavedModel written to: %s", path)
    return path


def _inside(name: str) -> str:
    if os.path.isabs(name) or ".." in Path(name).parts or not Path(name).parts:
        raise ValueError(f"assets_extra: {name!r} has to be a path inside of assets.extra, such as 'my_file.txt'.")
    return name
