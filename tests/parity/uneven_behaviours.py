"""What runs on a replica without rows: operations, layers, losses and metrics, each for TensorFlow and for us; NumPy only.

The first replica has ROWS rows, the second one none.
"""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

ROWS = 3
Program = Callable[..., Any]


def features(rows: int) -> np.ndarray:
    """Rows of four numbers without ties, float64."""
    return np.random.Generator(np.random.PCG64(5)).normal(size=(ROWS, 4))[:rows]


def labels(rows: int) -> np.ndarray:
    """A class from 0 to 3 for every row, int32."""
    return np.array([2, 0, 3], np.int32)[:rows]


def _counted(tf: Any, x: Any) -> Any:
    """A while loop whose state is the rows."""
    return tf.while_loop(
        lambda i, s: i < 3, lambda i, s: (i + 1, s * 0.5 + 1.0), [tf.constant(0), x], maximum_iterations=5
    )[1]


# name: function(tf, rows of features, their labels). Differentiated with respect to a factor of the features.
OPERATIONS: dict[str, Program] = {
    "sum of rows": lambda tf, x, k: tf.reduce_sum(x, axis=0),
    "sum of features": lambda tf, x, k: tf.reduce_sum(x, axis=1),
    "product of rows": lambda tf, x, k: tf.reduce_prod(x, axis=0),
    "largest row": lambda tf, x, k: tf.reduce_max(x, axis=0),
    "smallest row": lambda tf, x, k: tf.reduce_min(x, axis=0),
    "largest of all": lambda tf, x, k: tf.reduce_max(x),
    "largest feature": lambda tf, x, k: tf.reduce_max(x, axis=1),
    "mean of rows": lambda tf, x, k: tf.reduce_mean(x, axis=0),
    "mean of all": lambda tf, x, k: tf.reduce_mean(x),
    "mean of features": lambda tf, x, k: tf.reduce_mean(x, axis=1),
    "variance of rows": lambda tf, x, k: tf.math.reduce_variance(x, axis=0),
    "deviation of features": lambda tf, x, k: tf.math.reduce_std(x, axis=1),
    "log of sum of exp": lambda tf, x, k: tf.reduce_logsumexp(x, axis=1),
    "log of sum of exp of rows": lambda tf, x, k: tf.reduce_logsumexp(x, axis=0),
    "norm of all": lambda tf, x, k: tf.norm(x + 1.0),
    "any": lambda tf, x, k: tf.reduce_any(x > 0, axis=0),
    "all": lambda tf, x, k: tf.reduce_all(x > 0),
    "count": lambda tf, x, k: tf.math.count_nonzero(x > 0),
    "number of rows": lambda tf, x, k: tf.cast(tf.shape(x)[0], tf.float64) * tf.reduce_sum(x),
    "static rows": lambda tf, x, k: tf.reduce_sum(x) / max(x.shape[0], 1),
    "size": lambda tf, x, k: tf.size(x),
    "flat": lambda tf, x, k: tf.reshape(x, [-1]),
    "flat rows": lambda tf, x, k: tf.reshape(x, [tf.shape(x)[0], -1]),
    "pairs": lambda tf, x, k: tf.reshape(x, [-1, 2, 2]),
    "transposed": lambda tf, x, k: tf.transpose(x),
    "one more dimension": lambda tf, x, k: tf.expand_dims(x, 0),
    "repeated": lambda tf, x, k: tf.repeat(x, 2, axis=0),
    "tiled": lambda tf, x, k: tf.tile(x, [2, 1]),
    "padded": lambda tf, x, k: tf.pad(x, [[1, 1], [0, 0]]),
    "concat with a row": lambda tf, x, k: tf.concat([x, tf.ones([1, 4], tf.float64)], 0),
    "stacked": lambda tf, x, k: tf.stack([x, x * 2.0]),
    "split features": lambda tf, x, k: tf.split(x, 2, axis=1)[1],
    "reversed rows": lambda tf, x, k: tf.reverse(x, [0]),
    "rolled rows": lambda tf, x, k: tf.roll(x, 1, 0),
    "slice of rows": lambda tf, x, k: x[:2],
    "last rows": lambda tf, x, k: x[-2:],
    "a feature": lambda tf, x, k: x[:, 1],
    "sorted rows": lambda tf, x, k: tf.sort(x, axis=0),
    "sorted features": lambda tf, x, k: tf.sort(x, axis=1, direction="DESCENDING"),
    "order of rows": lambda tf, x, k: tf.argsort(x, axis=0),
    "top features": lambda tf, x, k: tf.math.top_k(x, 2)[0],
    "top places": lambda tf, x, k: tf.math.top_k(x, 2)[1],
    "best class": lambda tf, x, k: tf.argmax(x, axis=1),
    "worst class": lambda tf, x, k: tf.argmin(x, axis=1),
    "running sum": lambda tf, x, k: tf.cumsum(x, axis=0),
    "running product": lambda tf, x, k: tf.math.cumprod(x, axis=0, exclusive=True),
    "one hot": lambda tf, x, k: tf.one_hot(k, 4, dtype=tf.float64) * x,
    "gathered": lambda tf, x, k: tf.gather(tf.constant([1.0, 2.0, 3.0, 4.0], tf.float64), k) * x[:, 0],
    "embedded": lambda tf, x, k: tf.nn.embedding_lookup(tf.ones([4, 2], tf.float64) * tf.reduce_sum(x), k),
    "gathered features": lambda tf, x, k: tf.gather(x, [2, 0], axis=1),
    "gathered by place": lambda tf, x, k: tf.gather_nd(x, tf.stack([tf.range(tf.shape(x)[0]), k], 1)),
    "scattered": lambda tf, x, k: tf.scatter_nd(k[:, None], x, [4, 4]),
    "added at places": lambda tf, x, k: tf.tensor_scatter_nd_add(tf.ones([4, 4], tf.float64), k[:, None], x),
    "segments": lambda tf, x, k: tf.math.unsorted_segment_sum(x, k, 4),
    "segment means": lambda tf, x, k: tf.math.unsorted_segment_mean(x, k, 4),
    "segment maxima": lambda tf, x, k: tf.clip_by_value(tf.math.unsorted_segment_max(x, k, 4), -9.0, 9.0),
    "histogram": lambda tf, x, k: tf.math.bincount(k, minlength=4, maxlength=4),
    "confusion": lambda tf, x, k: tf.math.confusion_matrix(k, k, num_classes=4),
    "where": lambda tf, x, k: tf.where(x > 0, x, x * 0.1),
    "product of matrices": lambda tf, x, k: tf.matmul(x, tf.ones([4, 2], tf.float64)),
    "rows by rows": lambda tf, x, k: tf.matmul(x, x, transpose_b=True),
    "features by features": lambda tf, x, k: tf.matmul(x, x, transpose_a=True),
    "einsum": lambda tf, x, k: tf.einsum("bi,bj->ij", x, x),
    "contraction": lambda tf, x, k: tf.tensordot(x, x, [[0], [0]]),
    "softmax": lambda tf, x, k: tf.nn.softmax(x),
    "log of softmax": lambda tf, x, k: tf.nn.log_softmax(x),
    "cross-entropy": lambda tf, x, k: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=k, logits=x),
    "cross-entropy of one hot": lambda tf, x, k: tf.nn.softmax_cross_entropy_with_logits(
        labels=tf.one_hot(k, 4, dtype=tf.float64), logits=x
    ),
    "cross-entropy of sigmoids": lambda tf, x, k: tf.nn.sigmoid_cross_entropy_with_logits(
        labels=tf.sigmoid(x), logits=x
    ),
    "moments": lambda tf, x, k: tf.nn.moments(x, [0])[0],
    "second moments": lambda tf, x, k: tf.nn.moments(x, [0])[1],
    "normalized rows": lambda tf, x, k: tf.nn.l2_normalize(x, axis=1),
    "normalized features": lambda tf, x, k: tf.nn.l2_normalize(x, axis=0),
    "clipped": lambda tf, x, k: tf.clip_by_norm(x, 1.0),
    "half the squares": lambda tf, x, k: tf.nn.l2_loss(x),
    "average loss": lambda tf, x, k: tf.nn.compute_average_loss(x[:, 0]),
    "average loss of the global batch": lambda tf, x, k: tf.nn.compute_average_loss(x[:, 0], global_batch_size=ROWS),
    "average loss of nothing": lambda tf, x, k: tf.nn.compute_average_loss(x[:, 0], global_batch_size=0),
    "weighted average loss": lambda tf, x, k: tf.nn.compute_average_loss(x[:, 0], sample_weight=x[:, 1]),
    "convolution": lambda tf, x, k: tf.nn.conv2d(
        tf.reshape(x, [-1, 2, 2, 1]), tf.ones([2, 2, 1, 3], tf.float64), 1, "SAME"
    ),
    "maximum pool": lambda tf, x, k: tf.nn.max_pool2d(tf.reshape(x, [-1, 2, 2, 1]), 2, 2, "VALID"),
    "overlapping pool": lambda tf, x, k: tf.nn.max_pool2d(tf.reshape(x, [-1, 2, 2, 1]), 2, 1, "SAME"),
    "average pool": lambda tf, x, k: tf.nn.avg_pool2d(tf.reshape(x, [-1, 2, 2, 1]), 2, 2, "VALID"),
    "branch": lambda tf, x, k: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: x * 3.0),
    "loop": lambda tf, x, k: _counted(tf, x),
    "loop over rows": lambda tf, x, k: tf.map_fn(lambda row: tf.reduce_sum(row) * 2.0, x),
    "fold over rows": lambda tf, x, k: tf.foldl(
        lambda a, row: a * 0.5 + tf.reduce_sum(row), x, tf.constant(1.0, tf.float64)
    ),
    "stopped": lambda tf, x, k: tf.stop_gradient(x) * x,
    "mask of a sequence": lambda tf, x, k: tf.sequence_mask(k, 4),
    "top class": lambda tf, x, k: tf.math.in_top_k(predictions=tf.cast(x, tf.float32), targets=k, k=2),
}

# Refused for a replica without rows: there is no entry.
REFUSED: dict[str, Program] = {
    "best row": lambda tf, x, k: tf.argmax(x, axis=0),
    "first row": lambda tf, x, k: x[0],
    "top rows": lambda tf, x, k: tf.math.top_k(tf.transpose(x), 2)[0],
    "square": lambda tf, x, k: tf.reshape(x, [3, 4]),
}

VECTOR, SEQUENCE, IMAGE, VOLUME, FRAMES, WORDS, HOT = (6,), (5, 6), (8, 8, 3), (4, 4, 4, 2), (2, 6, 6, 2), (5,), (4,)

# name: constructor(layers), shape of a row, how many inputs, dtype of the rows
Layer = tuple[Callable[[Any], Any], tuple[int, ...], int, str]


def _layer(make: Callable[[Any], Any], row: tuple[int, ...], inputs: int = 1, dtype: str = "float32") -> Layer:
    return make, row, inputs, dtype


LAYERS: dict[str, Layer] = {
    "Activation": _layer(lambda L: L.Activation("relu"), VECTOR),
    "ActivityRegularization": _layer(lambda L: L.ActivityRegularization(0.1), VECTOR),
    "AdaptiveAveragePooling1D": _layer(lambda L: L.AdaptiveAveragePooling1D(2), SEQUENCE),
    "AdaptiveAveragePooling2D": _layer(lambda L: L.AdaptiveAveragePooling2D(2), IMAGE),
    "AdaptiveMaxPooling1D": _layer(lambda L: L.AdaptiveMaxPooling1D(2), SEQUENCE),
    "AdaptiveMaxPooling2D": _layer(lambda L: L.AdaptiveMaxPooling2D(2), IMAGE),
    "Add": _layer(lambda L: L.Add(), VECTOR, 2),
    "AdditiveAttention": _layer(lambda L: L.AdditiveAttention(), SEQUENCE, 2),
    "AlphaDropout": _layer(lambda L: L.AlphaDropout(0.5), VECTOR),
    "Attention": _layer(lambda L: L.Attention(), SEQUENCE, 2),
    "Average": _layer(lambda L: L.Average(), VECTOR, 2),
    "AveragePooling1D": _layer(lambda L: L.AveragePooling1D(2), SEQUENCE),
    "AveragePooling2D": _layer(lambda L: L.AveragePooling2D(2), IMAGE),
    "AveragePooling3D": _layer(lambda L: L.AveragePooling3D(2), VOLUME),
    "BatchNormalization": _layer(lambda L: L.BatchNormalization(), VECTOR),
    "BatchNormalization of images": _layer(lambda L: L.BatchNormalization(), IMAGE),
    "Bidirectional": _layer(lambda L: L.Bidirectional(L.LSTM(3)), SEQUENCE),
    "CategoryEncoding": _layer(lambda L: L.CategoryEncoding(7, "multi_hot"), WORDS, 1, "int32"),
    "CenterCrop": _layer(lambda L: L.CenterCrop(4, 4), IMAGE),
    "Concatenate": _layer(lambda L: L.Concatenate(), VECTOR, 2),
    "Conv1D": _layer(lambda L: L.Conv1D(2, 3), SEQUENCE),
    "Conv1DTranspose": _layer(lambda L: L.Conv1DTranspose(2, 3), SEQUENCE),
    "Conv2D": _layer(lambda L: L.Conv2D(2, 3, activation="relu"), IMAGE),
    "Conv2D with strides": _layer(lambda L: L.Conv2D(2, 3, strides=2, padding="same"), IMAGE),
    "Conv2DTranspose": _layer(lambda L: L.Conv2DTranspose(2, 3, strides=2), IMAGE),
    "Conv3D": _layer(lambda L: L.Conv3D(2, 3), VOLUME),
    "Conv3DTranspose": _layer(lambda L: L.Conv3DTranspose(2, 3), VOLUME),
    "ConvLSTM1D": _layer(lambda L: L.ConvLSTM1D(2, 3), (2, 6, 2)),
    "ConvLSTM2D": _layer(lambda L: L.ConvLSTM2D(2, 3), FRAMES),
    "Cropping1D": _layer(lambda L: L.Cropping1D(1), SEQUENCE),
    "Cropping2D": _layer(lambda L: L.Cropping2D(1), IMAGE),
    "Cropping3D": _layer(lambda L: L.Cropping3D(1), VOLUME),
    "Dense": _layer(lambda L: L.Dense(3, "tanh"), VECTOR),
    "DepthwiseConv1D": _layer(lambda L: L.DepthwiseConv1D(3), SEQUENCE),
    "DepthwiseConv2D": _layer(lambda L: L.DepthwiseConv2D(3), IMAGE),
    "Discretization": _layer(lambda L: L.Discretization([0.0, 1.0]), VECTOR),
    "Dot": _layer(lambda L: L.Dot(1), VECTOR, 2),
    "Dropout": _layer(lambda L: L.Dropout(0.5), VECTOR),
    "ELU": _layer(lambda L: L.ELU(), VECTOR),
    "EinsumDense": _layer(lambda L: L.EinsumDense("abc,cd->abd", (None, 3)), SEQUENCE),
    "Embedding": _layer(lambda L: L.Embedding(7, 3), WORDS, 1, "int32"),
    "Embedding with a mask": _layer(lambda L: L.Embedding(7, 3, mask_zero=True), WORDS, 1, "int32"),
    "Flatten": _layer(lambda L: L.Flatten(), IMAGE),
    "GRU": _layer(lambda L: L.GRU(3), SEQUENCE),
    "GRU of sequences": _layer(lambda L: L.GRU(3, return_sequences=True), SEQUENCE),
    "GaussianDropout": _layer(lambda L: L.GaussianDropout(0.5), VECTOR),
    "GaussianNoise": _layer(lambda L: L.GaussianNoise(0.5), VECTOR),
    "GlobalAveragePooling1D": _layer(lambda L: L.GlobalAveragePooling1D(), SEQUENCE),
    "GlobalAveragePooling2D": _layer(lambda L: L.GlobalAveragePooling2D(), IMAGE),
    "GlobalAveragePooling3D": _layer(lambda L: L.GlobalAveragePooling3D(), VOLUME),
    "GlobalMaxPooling1D": _layer(lambda L: L.GlobalMaxPooling1D(), SEQUENCE),
    "GlobalMaxPooling2D": _layer(lambda L: L.GlobalMaxPooling2D(), IMAGE),
    "GlobalMaxPooling3D": _layer(lambda L: L.GlobalMaxPooling3D(), VOLUME),
    "GroupNormalization": _layer(lambda L: L.GroupNormalization(3), IMAGE),
    "GroupQueryAttention": _layer(lambda L: L.GroupQueryAttention(2, 4, 2), SEQUENCE, 2),
    "Identity": _layer(lambda L: L.Identity(), VECTOR),
    "LSTM": _layer(lambda L: L.LSTM(3), SEQUENCE),
    "LSTM unrolled": _layer(lambda L: L.LSTM(3, unroll=True), SEQUENCE),
    "LSTM of sequences": _layer(lambda L: L.LSTM(3, return_sequences=True, go_backwards=True), SEQUENCE),
    "Lambda": _layer(lambda L: L.Lambda(lambda x: x * 2), VECTOR),
    "LayerNormalization": _layer(lambda L: L.LayerNormalization(), VECTOR),
    "LeakyReLU": _layer(lambda L: L.LeakyReLU(), VECTOR),
    "Masking": _layer(lambda L: L.Masking(), SEQUENCE),
    "MaxPooling1D": _layer(lambda L: L.MaxPooling1D(), SEQUENCE),
    "MaxPooling2D": _layer(lambda L: L.MaxPooling2D(), IMAGE),
    "MaxPooling2D that overlaps": _layer(lambda L: L.MaxPooling2D(3, 2, "same"), IMAGE),
    "MaxPooling3D": _layer(lambda L: L.MaxPooling3D(), VOLUME),
    "Maximum": _layer(lambda L: L.Maximum(), VECTOR, 2),
    "Minimum": _layer(lambda L: L.Minimum(), VECTOR, 2),
    "MultiHeadAttention": _layer(lambda L: L.MultiHeadAttention(2, 4), SEQUENCE, 2),
    "Multiply": _layer(lambda L: L.Multiply(), VECTOR, 2),
    "Normalization": _layer(lambda L: L.Normalization(mean=1.0, variance=2.0), VECTOR),
    "PReLU": _layer(lambda L: L.PReLU(), VECTOR),
    "Permute": _layer(lambda L: L.Permute((2, 1)), SEQUENCE),
    "RMSNormalization": _layer(lambda L: L.RMSNormalization(), VECTOR),
    "RandomBrightness": _layer(lambda L: L.RandomBrightness(0.2), IMAGE),
    "RandomContrast": _layer(lambda L: L.RandomContrast(0.2), IMAGE),
    "RandomFlip": _layer(lambda L: L.RandomFlip(), IMAGE),
    "RandomRotation": _layer(lambda L: L.RandomRotation(0.2), IMAGE),
    "RandomTranslation": _layer(lambda L: L.RandomTranslation(0.2, 0.2), IMAGE),
    "RandomZoom": _layer(lambda L: L.RandomZoom(0.2), IMAGE),
    "ReLU": _layer(lambda L: L.ReLU(), VECTOR),
    "RepeatVector": _layer(lambda L: L.RepeatVector(2), VECTOR),
    "Rescaling": _layer(lambda L: L.Rescaling(0.5), VECTOR),
    "Reshape": _layer(lambda L: L.Reshape((2, -1)), VECTOR),
    "Resizing": _layer(lambda L: L.Resizing(4, 4), IMAGE),
    "SeparableConv1D": _layer(lambda L: L.SeparableConv1D(2, 3), SEQUENCE),
    "SeparableConv2D": _layer(lambda L: L.SeparableConv2D(2, 3), IMAGE),
    "SimpleRNN": _layer(lambda L: L.SimpleRNN(3), SEQUENCE),
    "Softmax": _layer(lambda L: L.Softmax(), VECTOR),
    "SpatialDropout1D": _layer(lambda L: L.SpatialDropout1D(0.5), SEQUENCE),
    "SpatialDropout2D": _layer(lambda L: L.SpatialDropout2D(0.5), IMAGE),
    "SpectralNormalization": _layer(lambda L: L.SpectralNormalization(L.Dense(3)), VECTOR),
    "StackedRNNCells": _layer(lambda L: L.RNN([L.LSTMCell(3), L.GRUCell(2)]), SEQUENCE),
    "Subtract": _layer(lambda L: L.Subtract(), VECTOR, 2),
    "TimeDistributed": _layer(lambda L: L.TimeDistributed(L.Dense(2)), SEQUENCE),
    "UnitNormalization": _layer(lambda L: L.UnitNormalization(), VECTOR),
    "UpSampling1D": _layer(lambda L: L.UpSampling1D(), SEQUENCE),
    "UpSampling2D": _layer(lambda L: L.UpSampling2D(), IMAGE),
    "UpSampling3D": _layer(lambda L: L.UpSampling3D(), VOLUME),
    "ZeroPadding1D": _layer(lambda L: L.ZeroPadding1D(), SEQUENCE),
    "ZeroPadding2D": _layer(lambda L: L.ZeroPadding2D(), IMAGE),
    "ZeroPadding3D": _layer(lambda L: L.ZeroPadding3D(), VOLUME),
}


# The rows of both replicas in the steps of a BatchNormalization.
NORMALIZED = [(3, 0), (3, 2), (0, 1), (4, 4)]


def pieces(layout: Sequence[int], step: int) -> list[np.ndarray]:
    """Each replica's rows of four numbers in a step, float32."""
    generator = np.random.Generator(np.random.PCG64([13, step]))
    return [generator.normal(2.0, 3.0, (rows, 4)).astype(np.float32) for rows in layout]


def call(layer: Any, inputs: Sequence[Any]) -> Any:
    """The layer in training mode, if it has one; attention heads take their inputs one by one."""
    apart = type(layer).__name__ in ("MultiHeadAttention", "GroupedQueryAttention")
    given = inputs if apart else (list(inputs),) if len(inputs) > 1 else inputs
    trains = "training" in inspect.signature(layer.call).parameters
    return layer(*given, training=True) if trains else layer(*given)


def rows_of(shape: tuple[int, ...], dtype: str, rows: int, seed: int = 0) -> np.ndarray:
    """Inputs of a layer: numbers around 0, or words from 0 to 6."""
    generator = np.random.Generator(np.random.PCG64([7, seed]))
    if dtype == "int32":
        return generator.integers(0, 7, (ROWS, *shape)).astype(dtype)[:rows]
    return generator.normal(size=(ROWS, *shape)).astype(dtype)[:rows]


# name: (constructor(metrics), kind of the truth and the prediction)
METRICS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "AUC": (lambda M: M.AUC(), "binary"),
    "AUC of precision and recall": (lambda M: M.AUC(curve="PR", num_thresholds=20), "binary"),
    "Accuracy": (lambda M: M.Accuracy(), "class"),
    "BinaryAccuracy": (lambda M: M.BinaryAccuracy(), "binary"),
    "BinaryCrossentropy": (lambda M: M.BinaryCrossentropy(), "binary"),
    "BinaryIoU": (lambda M: M.BinaryIoU(), "binary"),
    "CategoricalAccuracy": (lambda M: M.CategoricalAccuracy(), "hot"),
    "CategoricalCrossentropy": (lambda M: M.CategoricalCrossentropy(), "hot"),
    "CategoricalHinge": (lambda M: M.CategoricalHinge(), "hot"),
    "CosineSimilarity": (lambda M: M.CosineSimilarity(), "number"),
    "F1Score": (lambda M: M.F1Score(average="macro"), "hot"),
    "FalseNegatives": (lambda M: M.FalseNegatives(), "binary"),
    "FalsePositives": (lambda M: M.FalsePositives(), "binary"),
    "Hinge": (lambda M: M.Hinge(), "number"),
    "IoU": (lambda M: M.IoU(4, [0, 1]), "class"),
    "KLDivergence": (lambda M: M.KLDivergence(), "hot"),
    "LogCoshError": (lambda M: M.LogCoshError(), "number"),
    "Mean": (lambda M: M.Mean(), "one"),
    "MeanAbsoluteError": (lambda M: M.MeanAbsoluteError(), "number"),
    "MeanAbsolutePercentageError": (lambda M: M.MeanAbsolutePercentageError(), "number"),
    "MeanIoU": (lambda M: M.MeanIoU(4), "class"),
    "MeanSquaredError": (lambda M: M.MeanSquaredError(), "number"),
    "MeanSquaredLogarithmicError": (lambda M: M.MeanSquaredLogarithmicError(), "number"),
    "OneHotIoU": (lambda M: M.OneHotIoU(4, [0, 1]), "hot"),
    "OneHotMeanIoU": (lambda M: M.OneHotMeanIoU(4), "hot"),
    "Poisson": (lambda M: M.Poisson(), "hot"),
    "Precision": (lambda M: M.Precision(), "binary"),
    "PrecisionAtRecall": (lambda M: M.PrecisionAtRecall(0.5), "binary"),
    "R2Score": (lambda M: M.R2Score(), "number"),
    "Recall": (lambda M: M.Recall(), "binary"),
    "RecallAtPrecision": (lambda M: M.RecallAtPrecision(0.5), "binary"),
    "RootMeanSquaredError": (lambda M: M.RootMeanSquaredError(), "number"),
    "SensitivityAtSpecificity": (lambda M: M.SensitivityAtSpecificity(0.5), "binary"),
    "SparseCategoricalAccuracy": (lambda M: M.SparseCategoricalAccuracy(), "sparse"),
    "SparseCategoricalCrossentropy": (lambda M: M.SparseCategoricalCrossentropy(), "sparse"),
    "SparseTopKCategoricalAccuracy": (lambda M: M.SparseTopKCategoricalAccuracy(2), "sparse"),
    "SpecificityAtSensitivity": (lambda M: M.SpecificityAtSensitivity(0.5), "binary"),
    "SquaredHinge": (lambda M: M.SquaredHinge(), "number"),
    "Sum": (lambda M: M.Sum(), "one"),
    "TopKCategoricalAccuracy": (lambda M: M.TopKCategoricalAccuracy(2), "hot"),
    "TrueNegatives": (lambda M: M.TrueNegatives(), "binary"),
    "TruePositives": (lambda M: M.TruePositives(), "binary"),
}


def truth_and_prediction(kind: str, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """What a metric or a loss of this kind is given, float32 but for classes."""
    generator = np.random.Generator(np.random.PCG64(11))
    scores = np.exp(generator.normal(size=(ROWS, 4)))
    shares = (scores / scores.sum(1, keepdims=True)).astype(np.float32)
    sparse, hot = labels(ROWS), np.eye(4, dtype=np.float32)[labels(ROWS)]
    pairs = {
        "binary": (np.array([[1], [0], [1]], np.float32), shares[:, :1]),
        "class": (sparse, np.array([2, 1, 3], np.int32)),
        "hot": (hot, shares),
        "sparse": (sparse, shares),
        "number": (shares * 0.5 + 0.1, shares),
        "one": (shares, shares),
    }
    truth, prediction = pairs[kind]
    return truth[:rows], prediction[:rows]


LOSSES: dict[str, tuple[Callable[..., Any], str]] = {
    "BinaryCrossentropy": (lambda L, **k: L.BinaryCrossentropy(**k), "binary"),
    "BinaryFocalCrossentropy": (lambda L, **k: L.BinaryFocalCrossentropy(**k), "binary"),
    "CategoricalCrossentropy": (lambda L, **k: L.CategoricalCrossentropy(**k), "hot"),
    "CategoricalFocalCrossentropy": (lambda L, **k: L.CategoricalFocalCrossentropy(**k), "hot"),
    "CategoricalHinge": (lambda L, **k: L.CategoricalHinge(**k), "hot"),
    "CosineSimilarity": (lambda L, **k: L.CosineSimilarity(**k), "number"),
    "Hinge": (lambda L, **k: L.Hinge(**k), "number"),
    "Huber": (lambda L, **k: L.Huber(**k), "number"),
    "KLDivergence": (lambda L, **k: L.KLDivergence(**k), "hot"),
    "LogCosh": (lambda L, **k: L.LogCosh(**k), "number"),
    "MeanAbsoluteError": (lambda L, **k: L.MeanAbsoluteError(**k), "number"),
    "MeanAbsolutePercentageError": (lambda L, **k: L.MeanAbsolutePercentageError(**k), "number"),
    "MeanSquaredError": (lambda L, **k: L.MeanSquaredError(**k), "number"),
    "MeanSquaredLogarithmicError": (lambda L, **k: L.MeanSquaredLogarithmicError(**k), "number"),
    "Poisson": (lambda L, **k: L.Poisson(**k), "hot"),
    "SparseCategoricalCrossentropy": (lambda L, **k: L.SparseCategoricalCrossentropy(**k), "sparse"),
    "SquaredHinge": (lambda L, **k: L.SquaredHinge(**k), "number"),
}
