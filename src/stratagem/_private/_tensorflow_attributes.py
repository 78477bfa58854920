"""Settings of Keras' objects: what programs are made with, and the attributes that TensorFlow has for them."""

from typing import Any, final

import keras
from keras.src.metrics.metric import Metric
from keras.src.optimizers.base_optimizer import BaseOptimizer

from stratagem._private._variables import KerasVariable

_PLAIN = (bool, int, float, str, type(None))


def settings_of(optimizer: keras.optimizers.Optimizer) -> tuple[tuple[str, Any], ...]:
    """Returns the settings of an optimizer that a trace of an update writes into the program: numbers, flags, the schedule."""
    found = [(k, v) for k, v in vars(optimizer).items() if isinstance(v, _PLAIN) and not k.startswith("_")]
    rate = optimizer._learning_rate
    return (*found, ("learning_rate", None if isinstance(rate, KerasVariable) else rate))


@final
class _RemovedAttribute:
    """A name of TensorFlow's without a meaning here: an error on Keras' own objects, free on those of users' classes."""

    def __init__(self, name: str, advice: str) -> None:
        self._name, self._advice = name, advice

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is not None and self._name in vars(instance):
            return vars(instance)[self._name]
        name = getattr(owner, "__name__", type(instance).__name__)
        raise AttributeError(f"{name} has no `{self._name}`, as in Keras 3: {self._advice}.")

    def __set__(self, instance: Any, value: Any) -> None:
        module = type(instance).__module__
        if module.startswith("keras.") and not module.startswith(
            "keras.src.trainers"
        ):  # whose lists of metrics are metrics
            raise AttributeError(
                f"Setting `{self._name}` of a {type(instance).__name__} would have no effect, as Keras 3 has no such "
                f"attribute: {self._advice}."
            )
        vars(instance)[self._name] = value

    def __delete__(self, instance: Any) -> None:
        vars(instance).pop(self._name, None)


_GRAPH = "it described TensorFlow's graph"
_NO_LAYER = "a metric is no layer here"
_READ = "it could only be read in TensorFlow"
_ANEW = "make another object with it"
_KERNEL = ("kernel_constraint", "kernel_initializer", "kernel_regularizer")
_OF_LAYERS = {
    "dynamic": "compile(run_eagerly=True) runs a model's Python at every call",
    "inbound_nodes": _GRAPH,
    "outbound_nodes": _GRAPH,
    "input_mask": _GRAPH,
    "output_mask": _GRAPH,
    "updates": _GRAPH,
    "input_shape": "`input.shape`, or `build(input_shape)`",
    "output_shape": "`output.shape`, or `compute_output_shape(input_shape)`",
    "name_scope": _READ,
    "submodules": _READ,
}
# What TensorFlow's objects have and Keras 3's have not, by class (recorded in tests/keras/recorded).
_LOST: dict[type, dict[str, str]] = {
    BaseOptimizer: {
        "decay": "give a schedule as the learning rate (keras.optimizers.schedules.InverseTimeDecay)",
        "add_slot": "in `build` of an optimizer of one's own, self.add_variable_from_reference(variable, name=slot)",
        "add_weight": "self.add_variable(shape, initializer, name=name)",
        "get_gradients": "tf.GradientTape().gradient(loss, variables)",
        "get_updates": "apply_gradients with the gradients of a tf.GradientTape",
    },
    keras.layers.Layer: _OF_LAYERS,
    Metric: {
        **dict.fromkeys((*_OF_LAYERS, "losses", "metrics", "input", "output", "weights", "compute_dtype"), _NO_LAYER),
        **dict.fromkeys(("trainable", "trainable_weights", "trainable_variables", "variable_dtype"), _NO_LAYER),
        **dict.fromkeys(("non_trainable_variables", "non_trainable_weights", "dtype_policy"), _NO_LAYER),
        **dict.fromkeys(("activity_regularizer", "input_spec", "supports_masking", "stateful"), _NO_LAYER),
        "reduction": "take another metric (Mean, Sum)",
    },
    keras.Model: {
        "autotune_steps_per_execution": 'compile(steps_per_execution="auto")',
        "distribute_reduction_method": "predictions of replicas are always concatenated",
        "state_updates": _GRAPH,
        "train_tf_function": "train_function = None traces the step anew",
    },
    keras.layers.Attention: {"causal": "call the layer with use_causal_mask=True"},
    keras.layers.AdditiveAttention: {"causal": "call the layer with use_causal_mask=True"},
    keras.layers.BatchNormalization: {
        "virtual_batch_size": "the statistics are those of a replica's rows",
        "adjustment": "scale what the layer returns",
        "fused": "XLA decides",
    },
    keras.layers.Bidirectional: dict.fromkeys(
        ("constraints", "layer"), "they are those of forward_layer and backward_layer"
    ),
    keras.layers.GRU: {"implementation": "XLA decides"},
    keras.layers.LSTM: {"implementation": "XLA decides", "return_runtime": "XLA decides"},
    keras.layers.RNN: {"constants_spec": _GRAPH, "state_spec": _GRAPH, "time_major": "transpose what it reads"},
    keras.layers.StackedRNNCells: {"reverse_state_order": _ANEW},
    keras.layers.Normalization: {"is_adapted": _READ, "reset_state": _READ},
    keras.layers.Discretization: {"is_adapted": _READ, "input_bin_boundaries": _ANEW},
    keras.layers.Embedding: {"input_length": "it is that of what it reads", "sparse": _GRAPH},
    keras.layers.InputLayer: {"batch_size": _ANEW, "is_placeholder": _GRAPH},
    **{
        getattr(keras.layers, f"{kind}{dims}D{suffix}"): names
        for kind, suffix, every, names in (
            ("Conv", "Transpose", (1, 2, 3), {"groups": _ANEW}),
            ("ConvLSTM", "", (1, 2, 3), {"rank": _ANEW}),
            ("SeparableConv", "", (1, 2), dict.fromkeys(("groups", *_KERNEL), _ANEW)),
            ("DepthwiseConv", "", (1, 2), dict.fromkeys(("groups", "filters", *_KERNEL), _ANEW)),
        )
        for dims in every
    },
    keras.callbacks.Callback: {"validation_data": "fit has it, and gives callbacks the logs of it"},
    **{
        getattr(keras.layers, f"{kind}Pooling{dims}D"): {"pool_function": "make a layer of one's own"}
        for kind in ("Average", "Max")
        for dims in (1, 2, 3)
    },
    keras.layers.RandomContrast: dict.fromkeys(("lower", "upper"), _ANEW),
    keras.layers.RandomRotation: dict.fromkeys(("lower", "upper"), _ANEW),
    keras.layers.RandomFlip: dict.fromkeys(("horizontal", "vertical"), "make a layer with another `mode`"),
    keras.callbacks.ModelCheckpoint: {"load_weights_on_restart": "BackupAndRestore, or model.load_weights before fit"},
    keras.callbacks.ProgbarLogger: dict.fromkeys(("stateful_metrics", "use_steps"), "fit knows both"),
}


def _alias(name: str) -> property:
    return property(lambda self: getattr(self, name), lambda self, value: setattr(self, name, value))


def _set_iterations(optimizer: Any, variable: Any) -> None:
    """Counts in another variable from now on, as in TF. Raises RuntimeError if the optimizer is built."""
    if optimizer.built:
        raise RuntimeError(
            f"Cannot set `iterations` of {optimizer.name} to a new variable after its other variables were created: set it "
            f"before the first update. To change the count, use `iterations.assign({variable!r:.50})`."
        )
    if not isinstance(variable, KerasVariable):
        raise TypeError(
            f"`iterations` of {optimizer.name} is a variable (tf.Variable(0, dtype=tf.int64)), got {variable!r:.100}. To "
            "change the count, use `iterations.assign(...)`."
        )
    optimizer._untrack_variable(optimizer._iterations)
    optimizer._iterations = variable


# By class and name, everything that `name_as_tensorflow` sets.
NAMED_PLACES = (
    *(f"{cls.__module__}.{cls.__qualname__}.{name}" for cls, names in _LOST.items() for name in names),
    *(f"{BaseOptimizer.__module__}.BaseOptimizer.{name}" for name in ("lr", "iterations")),
    f"{keras.layers.LeakyReLU.__module__}.LeakyReLU.alpha",
    f"{Metric.__module__}.Metric.reset_states",
)


def name_as_tensorflow() -> None:
    """Give Keras' objects the names that TensorFlow has for their settings, or an error where such a name has no meaning."""
    for cls, names in _LOST.items():
        for name, advice in names.items():
            setattr(cls, name, _RemovedAttribute(name, advice))
    BaseOptimizer.lr = _alias("learning_rate")
    BaseOptimizer.iterations = BaseOptimizer.iterations.setter(_set_iterations)
    keras.layers.LeakyReLU.alpha = _alias("negative_slope")
    Metric.reset_states = lambda self: self.reset_state()
