"""Packages beside TensorFlow that belong to it, and its private modules: which are here, and what to use for the others."""

from dataclasses import dataclass
from typing import final

from stratagem.cli.migration._findings import State, Verdict

ADDONS = "tensorflow_addons"
KERAS = ("tf_keras",)  # Keras 2 under a name of its own
ROOTS = ("tensorflow", "stratagem")
PRIVATE = ("python", "core", "compiler", "dtensor", "security", "tools", "tsl", "contrib_")
VERSIONED = "tf.contrib went with TensorFlow 1: use tf.keras, tf.compat.v1, or write the function itself"


@final
@dataclass(frozen=True)
class Package:
    """A package that needs TensorFlow, and what becomes of it here."""

    state: State
    text: str
    document: str = ""

    def verdict(self, full: str) -> Verdict:
        """The verdict on a name of this package."""
        return Verdict(full, self.state, self.text, self.document)


def _missing(text: str) -> Package:
    return Package(State.MISSING, text)


PACKAGES = {
    "tensorflow_datasets": Package(
        State.DIFFERS,
        "call `tf.install_as_tensorflow()` before it is imported",
        "README.md#what-works",
    ),
    "tensorflow_hub": _missing(
        "its modules are SavedModels of TensorFlow's graphs: take the model from keras.applications"
    ),
    "tensorflow_text": _missing("it has kernels of TensorFlow: use tf.strings, or tokenize in the input pipeline"),
    "tensorflow_io": _missing("it has kernels of TensorFlow: read the files with Python in the input pipeline"),
    "tensorflow_probability": _missing("use tensorflow_probability.substrates.jax, or tf.random"),
    "tensorflow_transform": _missing("use Keras' preprocessing layers, whose `adapt` reads the data"),
    "tensorflow_model_optimization": _missing("use Keras' quantization, or TensorFlow itself"),
    "tensorflow_serving": _missing("serve the StableHLO program that tf.saved_model.save writes"),
    "tensorflow_model_analysis": _missing("use Keras' metrics"),
    "tensorflow_data_validation": _missing("check the data with Python in the input pipeline"),
    "tensorflow_federated": _missing("use TensorFlow itself"),
    "tensorflow_gnn": _missing("use TensorFlow itself"),
    "tensorflow_recommenders": _missing("use Keras' layers and tf.distribute.ParameterServerStrategy"),
    "tensorflow_decision_forests": _missing("use YDF, which reads records of tf.train.Example"),
    "tensorflow_estimator": _missing("use tf.estimator"),
    "tflite_runtime": _missing("use TensorFlow itself"),
    "tf_slim": _missing("use tf.compat.v1.layers or tf.keras.layers"),
}
# Modules and names of tensorflow.python that programs use, by the end of their names.
INTERNALS = {
    "device_lib": "tf.config.list_physical_devices()",
    "gfile": "tf.io.gfile",
    "tf_logging": "tf.get_logger()",
    "nest": "tf.nest",
    "session": "tf.compat.v1.Session",
    "dtypes": "tf.dtypes",
    "tensor_shape": "tf.TensorShape",
    "ops": "tf's functions of the same names: tf.convert_to_tensor, tf.name_scope, ...",
    "array_ops": "tf's functions of the same names",
    "math_ops": "tf.math",
    "nn_ops": "tf.nn",
    "nn_impl": "tf.nn",
    "control_flow_ops": "tf.cond, tf.case, tf.group",
    "init_ops": "tf.compat.v1.initializers",
    "variable_scope": "tf.compat.v1.variable_scope",
    "state_ops": "a variable's assign, assign_add, ...",
    "random_ops": "tf.random",
    "summary_iterator": "tensorboard.backend.event_processing.event_file_loader.EventFileLoader (pip install tensorboard)",
    "rnn_cell_impl": "tf.compat.v1.nn.rnn_cell",
    "tag_constants": "tf.saved_model.SERVING, ...",
}
MARKERS = ("tensorflow", "stratagem", "tf_keras", "tf_slim", "tflite_runtime")


def is_rewritten(module: str) -> bool:
    """Returns whether an import of a module is to become one of ours, or to go: it is of TensorFlow's."""
    return module.partition(".")[0] in ("tensorflow", ADDONS, *KERAS)


def belongs(module: str) -> bool:
    """Returns whether a module is TensorFlow's, ours, or of a package in these tables."""
    first = module.partition(".")[0]
    return first in ROOTS or first == ADDONS or first in KERAS or first in PACKAGES
