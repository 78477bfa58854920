"""Models of ragged tensors that are trained for some steps, with TensorFlow and here: losses, weights, predictions."""

from collections.abc import Callable
from typing import Any

import numpy as np

ROWS = [[1, 2, 3], [4, 0], [], [5, 6, 7, 8], [9], [1, 9, 3], [2, 2], [6]]
WITHOUT_EMPTY = [row or [0] for row in ROWS]  # of an empty row the mean is NaN
TARGETS = np.linspace(-1, 2, 8, dtype=np.float32).reshape(8, 1)


def _vectors(tf: Any) -> tuple[Any, Any]:
    """The input, and vectors of its values that several layers have made."""
    layers = tf.keras.layers
    ids = tf.keras.Input((None,), ragged=True, dtype="int32")
    hidden = layers.Dense(3, activation="tanh")(layers.Embedding(10, 4)(ids))
    hidden = layers.LayerNormalization()(layers.LeakyReLU()(hidden))
    return ids, layers.Concatenate()([hidden, layers.Multiply()([hidden, layers.Average()([hidden, hidden])])])


def _masked(tf: Any, vectors: Any) -> Any:
    layers = tf.keras.layers
    return layers.GlobalMaxPooling1D()(layers.TimeDistributed(layers.Dense(2))(vectors))


def _stacked(tf: Any, vectors: Any) -> Any:
    layers = tf.keras.layers
    backwards = layers.LSTM(3, return_sequences=True, go_backwards=True)(vectors)
    both = layers.Bidirectional(layers.GRU(2, return_sequences=True))(backwards)
    return layers.SimpleRNN(3)(layers.Softmax()(both))


# From the vectors of rows to a vector for each row, and the rows.
MODELS: dict[str, tuple[Callable[[Any, Any], Any], list[list[int]]]] = {
    "mean": (lambda tf, x: tf.keras.layers.GlobalAveragePooling1D()(x), WITHOUT_EMPTY),
    "largest": (_masked, WITHOUT_EMPTY),
    "sum": (lambda tf, x: tf.keras.layers.Lambda(lambda rows: tf.reduce_sum(rows, axis=1))(x), ROWS),
    "function": (lambda tf, x: tf.reduce_sum(x * 0.5, axis=1), ROWS),
    "lstm": (lambda tf, x: tf.keras.layers.LSTM(3)(x), ROWS),
    "both ways": (lambda tf, x: tf.keras.layers.Bidirectional(tf.keras.layers.GRU(2))(x), ROWS),
    "stacked": (_stacked, ROWS),
    "dense": (lambda tf, x: tf.keras.layers.GRU(2)(tf.keras.layers.Lambda(lambda rows: rows.to_tensor())(x)), ROWS),
}


def model_of(tf: Any, name: str) -> Any:
    """A model with weights that do not depend on the library, not compiled."""
    ids, vectors = _vectors(tf)
    model = tf.keras.Model(ids, tf.keras.layers.Dense(1)(MODELS[name][0](tf, vectors)))
    draws = np.random.default_rng(0)
    model.set_weights([draws.normal(0, 0.3, w.shape).astype("float32") for w in model.get_weights()])
    return model


def trained(tf: Any, name: str, scope: Any) -> dict[str, Any]:
    """Trains by arrays and by a dataset; returns the losses, all weights, predictions and the loss of an evaluation."""
    rows = tf.ragged.constant(MODELS[name][1], dtype=tf.int32)
    with scope:
        model = model_of(tf, name)
        model.compile(tf.keras.optimizers.SGD(0.05), "mse")
    losses = model.fit(rows, TARGETS, batch_size=4, epochs=2, shuffle=False, verbose=0).history["loss"]
    batches = tf.data.Dataset.from_tensor_slices((rows, TARGETS)).batch(4)
    losses += model.fit(batches, validation_data=batches, verbose=0).history["val_loss"]
    return {
        "losses": [float(loss) for loss in losses],
        "weights": [float(x) for w in model.get_weights() for x in np.asarray(w).ravel()],
        "predictions": np.asarray(model.predict(rows, batch_size=4, verbose=0)).ravel().tolist(),
        "evaluated": float(model.evaluate(batches, verbose=0)),
    }


MASKED_ROWS = [[1, 2, 0], [], [0, 3], [0]]
# Behind an embedding of ids, 0 of which are masked, or of vectors, those of zeros masked.
BEHIND_MASKS: dict[str, Callable[[Any], list[Any]]] = {
    "nothing": lambda layers: [],
    "dense": lambda layers: [layers.Dense(1, kernel_initializer="ones"), layers.ReLU()],
    "steps": lambda layers: [layers.TimeDistributed(layers.Dense(1, kernel_initializer="ones")), layers.Dropout(0.5)],
    "mean": lambda layers: [layers.GlobalAveragePooling1D()],
    "largest": lambda layers: [layers.GlobalMaxPooling1D()],
    "recurrent": lambda layers: [layers.LSTM(2)],
    "both ways": lambda layers: [layers.Bidirectional(layers.GRU(2))],
}


def behind_masks(tf: Any, name: str) -> dict[str, Any]:
    """The values and the mask that a model returns for ragged tensors of which layers mask values, or the class of an error."""
    layers, found = tf.keras.layers, {}
    table = np.arange(8.0).reshape(4, 2)
    rows = tf.ragged.constant(MASKED_ROWS, dtype=tf.int32)
    vectors = tf.ragged.constant(
        [[[float(i), 0.0] for i in row] for row in MASKED_ROWS], ragged_rank=1, inner_shape=(2,)
    )
    embedding = layers.Embedding(
        4, 2, mask_zero=True, embeddings_initializer=lambda *a, **k: tf.constant(table, tf.float32)
    )
    for what, first, given in (("ids", embedding, rows), ("vectors", layers.Masking(), vectors)):
        inputs = tf.keras.Input((None, *given.shape[2:]), ragged=True, dtype=given.dtype)
        try:
            hidden = first(inputs)
            for layer in BEHIND_MASKS[name](layers):
                hidden = layer(hidden)
            outputs = tf.keras.Model(inputs, hidden)(given)
        except ValueError as error:
            found[what] = type(error).__name__
            continue
        mask = getattr(outputs, "_keras_mask", None)
        values = outputs.to_list() if hasattr(outputs, "to_list") else np.asarray(outputs).tolist()
        found[what] = [values, None if mask is None else mask.to_list()]
    return found


def masks_computed(tf: Any) -> list[Any]:
    """The masks that layers compute of ragged tensors when they are asked, without a call: rows, or None."""
    layers = tf.keras.layers
    rows = tf.ragged.constant(MASKED_ROWS, dtype=tf.int32)
    vectors = tf.ragged.constant([[[3.0, 3.0], [0.0, 3.0]], [], [[0.0, 0.0]]], ragged_rank=1, inner_shape=(2,))
    makers = (layers.Masking(), layers.Masking(3.0), layers.Embedding(4, 2), layers.Embedding(4, 2, mask_zero=True))
    others = (layers.Dense(1), layers.Dropout(0.5), layers.GlobalAveragePooling1D(), layers.Rescaling(2.0))
    found = [layer.compute_mask(given) for layer, given in zip(makers, (vectors, vectors, rows, rows), strict=True)]
    found += [layer.compute_mask(vectors) for layer in others]
    found += [makers[0].compute_mask(vectors, mask=None), layers.LSTM(1).compute_mask(vectors, None)]
    return [None if mask is None else [mask.dtype.name, mask.to_list()] for mask in found]
