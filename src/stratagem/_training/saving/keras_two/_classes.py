"""Rules by which a class's configuration of Keras 2 becomes one of Keras 3: arguments that are gone, or renamed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, final

from stratagem._base.errors import UnimplementedError

Config = dict[str, Any]


@final
@dataclass(frozen=True)
class ClassRule:
    """A rule for the configurations of a class.

    module: where the class is, None where it was. name: its name there, None if the same. unused: arguments that the class
    inherited and never looked at. only: arguments that Keras 3 has not, and the values of which it does what Keras 2 does.
    change: anything else.
    """

    module: str | None = None
    name: str | None = None
    unused: tuple[str, ...] = ()
    only: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    change: Callable[[Config], Config] | None = None

    def apply(self, name: str, config: Config) -> Config:
        """Returns the configuration of Keras 3. Raises UnimplementedError for an argument that it cannot have."""
        result = {key: value for key, value in config.items() if key not in self.unused}
        for key, values in self.only:
            if key in result and result.pop(key) not in values:
                raise UnimplementedError(
                    f"{name} {config.get('name')!r} of the model has {key}={config[key]!r}, which Keras 3 has not (only "
                    f"{' or '.join(map(repr, values))}). Build the model without it, and read its weights with load_weights."
                )
        return result if self.change is None else self.change(result)


def _without_shape(config: Config) -> Config:
    """An embedding has a shape of its inputs also where nobody gave one."""
    given = config.get("batch_input_shape")
    return {k: v for k, v in config.items() if k != "batch_input_shape"} if given == [None, None] else config


def _one_axis(config: Config) -> Config:
    """One axis may be in a list."""
    axis = config.get("axis")
    return config | {"axis": axis[0]} if isinstance(axis, list) and len(axis) == 1 else config


def _lambda(config: Config) -> Config:
    """A function that the file has as code, or by name: as Keras 3 writes both, which safe mode tells apart."""
    for part in ("function", "output_shape", "mask"):
        kind, module = (
            config.pop(f"{part}_type", None),
            config.pop("module" if part == "function" else f"{part}_module", None),
        )
        value = config.get(part)
        if kind == "lambda" and isinstance(value, list):
            code, defaults, closure = value
            config[part] = {
                "class_name": "__lambda__",
                "config": {"code": code, "defaults": defaults, "closure": closure},
            }
        elif kind == "function" and isinstance(value, str):
            config[part] = {"module": module, "class_name": "function", "config": value, "registered_name": value}
    return config


def _loss(config: Config) -> Config:
    """`auto` is `sum_over_batch_size` outside of replicas' steps; `fn` repeats the class."""
    reduction = config.get("reduction")
    return config | {"reduction": "sum_over_batch_size"} if reduction == "auto" else config


def _metric_of_function(config: Config) -> Config:
    """HDF5 files have a function by its name alone."""
    name = config.get("fn")
    if not isinstance(name, str):
        return config
    return config | {
        "fn": {"module": "builtins", "class_name": "function", "config": name, "registered_name": "function"}
    }


def _leaky(config: Config) -> Config:
    return {"negative_slope" if key == "alpha" else key: value for key, value in config.items()}


def _schedule(config: Config) -> Config:
    """A name that nobody gave is left out: Keras 3 has one then, and refuses None."""
    return {key: value for key, value in config.items() if (key, value) != ("name", None)}


def _optimizer(config: Config) -> Config:
    """A weight decay of 0 is none."""
    return {key: value for key, value in config.items() if (key, value) != ("weight_decay", 0)}


def _input(config: Config) -> Config:
    shape = config.pop("batch_input_shape", None)
    return config if shape is None else config | {"batch_shape": shape}


_RECURRENT: Final = ClassRule(only=(("time_major", (False,)),))
_TRANSPOSED: Final = ClassRule(only=(("groups", (1,)),))
_OF_KERNELS: Final = ("kernel_initializer", "kernel_regularizer", "kernel_constraint")
_DROPOUT: Final = ClassRule(unused=("trainable",), only=(("noise_shape", (None,)),))
_LOSS: Final = ClassRule(unused=("fn",), change=_loss)
_OPTIMIZER: Final = ClassRule("keras.optimizers", unused=("is_legacy_optimizer", "jit_compile"), change=_optimizer)

RULES: Final[dict[str, ClassRule]] = {
    **dict.fromkeys(("RNN", "SimpleRNN", "LSTM", "GRU", "ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D"), _RECURRENT),
    **dict.fromkeys(("Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose"), _TRANSPOSED),
    **dict.fromkeys(("SeparableConv1D", "SeparableConv2D"), ClassRule(unused=_OF_KERNELS, only=(("groups", (1,)),))),
    **dict.fromkeys(("DepthwiseConv1D", "DepthwiseConv2D"), ClassRule(unused=(*_OF_KERNELS, "groups"))),
    **dict.fromkeys(("SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D"), _DROPOUT),
    **dict.fromkeys(("Functional", "Model"), ClassRule("keras.src.models.functional")),
    "Sequential": ClassRule("keras"),
    "LossScaleOptimizerV3": ClassRule("keras.optimizers", "LossScaleOptimizer", only=(("dynamic", (True,)),)),
    "LossScaleOptimizer": ClassRule("keras.optimizers", only=(("dynamic", (True,)),)),
    "BatchNormalization": ClassRule(change=_one_axis),
    "MultiHeadAttention": ClassRule(unused=("query_shape", "key_shape", "value_shape")),
    "LeakyReLU": ClassRule(change=_leaky),
    "Embedding": ClassRule(change=_without_shape),
    "MeanMetricWrapper": ClassRule(change=_metric_of_function),
    **dict.fromkeys(
        (
            *("ExponentialDecay", "PiecewiseConstantDecay", "PolynomialDecay", "InverseTimeDecay"),
            *("CosineDecay", "CosineDecayRestarts"),
        ),
        ClassRule(change=_schedule),
    ),
    "InputLayer": ClassRule(change=_input),
    "Lambda": ClassRule(change=_lambda),
    "ThresholdedReLU": ClassRule("stratagem"),
    **dict.fromkeys(
        (
            *(
                "BinaryCrossentropy",
                "BinaryFocalCrossentropy",
                "CategoricalCrossentropy",
                "CategoricalFocalCrossentropy",
            ),
            *("CategoricalHinge", "CosineSimilarity", "Hinge", "Huber", "KLDivergence", "LogCosh", "Loss"),
            *("MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredError", "MeanSquaredLogarithmicError"),
            *("Poisson", "SparseCategoricalCrossentropy", "SquaredHinge"),
        ),
        _LOSS,
    ),
    **dict.fromkeys(
        ("Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Ftrl", "Lion", "Nadam", "RMSprop", "SGD"),
        _OPTIMIZER,
    ),
}
