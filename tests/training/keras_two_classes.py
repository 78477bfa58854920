"""Arguments that Keras' classes need, for the configurations of all of them."""

from collections.abc import Callable
from typing import Any

# Bases that no model has, and what needs more than arguments.
NOT_MADE = (
    *("DenseFeatures", "Wrapper", "Optimizer", "Metric", "Regularizer", "Constraint", "Initializer", "Reduction"),
    *("AbstractRNNCell", "InputSpec", "Loss", "Layer", "Lambda"),
)
# Keras 3 has no such class, and no model of Keras 2 is without it.
NOT_READ = (
    *("layers.LocallyConnected1D", "layers.LocallyConnected2D", "constraints.RadialConstraint"),
    *("metrics.MeanRelativeError", "metrics.MeanTensor"),
)
SCHEDULES: dict[str, tuple[Any, ...]] = {
    "CosineDecay": (0.1, 10),
    "CosineDecayRestarts": (0.1, 10),
    "ExponentialDecay": (0.1, 10, 0.9),
    "InverseTimeDecay": (0.1, 10, 0.9),
    "PiecewiseConstantDecay": ([1, 2], [0.1, 0.2, 0.3]),
    "PolynomialDecay": (0.1, 10),
}


def _always(*args: Any) -> Callable[[Any], tuple[Any, ...]]:
    return lambda tf: args


ARGUMENTS: dict[str, Callable[[Any], tuple[Any, ...]]] = {
    **dict.fromkeys(
        (f"{kind}{n}D" for kind in ("Conv", "LocallyConnected", "ConvLSTM", "SeparableConv") for n in (1, 2, 3)),
        _always(3, 2),
    ),
    **dict.fromkeys((f"Conv{n}DTranspose" for n in (1, 2, 3)), _always(3, 2)),
    **dict.fromkeys(("DepthwiseConv1D", "DepthwiseConv2D"), _always(2)),
    **dict.fromkeys(("Dense", "LSTM", "GRU", "SimpleRNN", "LSTMCell", "GRUCell", "SimpleRNNCell"), _always(3)),
    **dict.fromkeys(("Dropout", "AlphaDropout", "GaussianDropout", "GaussianNoise"), _always(0.2)),
    **dict.fromkeys(("SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D"), _always(0.2)),
    **dict.fromkeys(("RandomRotation", "RandomZoom", "RandomContrast", "RandomBrightness"), _always(0.1)),
    **dict.fromkeys(("RandomHeight", "RandomWidth", "Rescaling", "ActivityRegularization"), _always(0.1)),
    **dict.fromkeys(("CategoryEncoding", "Hashing", "HashedCrossing"), _always(5)),
    **dict.fromkeys(("CenterCrop", "RandomCrop", "Resizing"), _always(3, 3)),
    **dict.fromkeys(("PrecisionAtRecall", "RecallAtPrecision"), _always(0.5)),
    **dict.fromkeys(("SensitivityAtSpecificity", "SpecificityAtSensitivity"), _always(0.5)),
    **dict.fromkeys(("MeanIoU", "OneHotMeanIoU"), _always(2)),
    **dict.fromkeys(("IoU", "OneHotIoU"), _always(2, [0])),
    "Embedding": _always(5, 3),
    "Activation": _always("relu"),
    "Dot": _always(1),
    "RepeatVector": _always(3),
    "Reshape": _always((2, 3)),
    "Permute": _always((2, 1)),
    "MultiHeadAttention": _always(2, 4),
    "EinsumDense": _always("ab,bc->ac", 3),
    "Discretization": _always([0.0, 1.0]),
    "RandomTranslation": _always(0.1, 0.1),
    "InputLayer": _always((3,)),
    "MeanRelativeError": _always([1.0]),
    "Constant": _always(2.0),
    "Bidirectional": lambda tf: (tf.keras.layers.LSTM(3),),
    "TimeDistributed": lambda tf: (tf.keras.layers.Dense(3),),
    "SpectralNormalization": lambda tf: (tf.keras.layers.Dense(3),),
    "RNN": lambda tf: (tf.keras.layers.LSTMCell(3),),
    "StackedRNNCells": lambda tf: ([tf.keras.layers.LSTMCell(3)],),
    "MeanMetricWrapper": lambda tf: (tf.keras.losses.mse,),
}
