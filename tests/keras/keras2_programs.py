"""Small programs with the names of Keras 2, which run in TensorFlow and here; each returns numbers."""

import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

PROGRAMS: dict[str, Callable[[Any], Any]] = {}
X = (np.arange(12).reshape(4, 3) / 8).astype("float32")
Y = np.array([[1.0], [0.5], [0.0], [2.0]], "float32")


def program(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    PROGRAMS[function.__name__] = function
    return function


@program
def minimize_in_every_form(tf: Any) -> Any:
    v, w = tf.Variable(3.0), tf.Variable([1.0, 2.0])
    optimizer = tf.keras.optimizers.Adam(0.25)
    numbers = []

    def loss() -> Any:
        return v * v + tf.reduce_sum(w) * v

    def note() -> None:
        numbers.append([float(v.numpy()), *w.numpy().tolist(), int(optimizer.iterations.numpy())])

    optimizer.minimize(loss, [v, w])
    note()
    optimizer.minimize(loss, lambda: [w])
    note()
    with tf.GradientTape() as tape:
        value = loss()
    optimizer.minimize(value, [v, w], tape=tape)
    note()

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            value = loss()
        optimizer.minimize(value, [v, w], tape=tape)
        return value

    numbers.append(float(step().numpy()))
    step()
    note()
    pairs = optimizer.compute_gradients(loss, [v, w])
    return [numbers, [g.numpy().tolist() for g, _ in pairs], len(optimizer.variables())]


@program
def a_scaled_loop(tf: Any) -> Any:
    optimizer = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.125), dynamic_growth_steps=3)
    v = tf.Variable([1.0, 2.0])
    factors = [1.0, 1.0, np.inf, 1.0, 1.0, 1.0, 1.0]
    numbers = []

    @tf.function
    def step(factor: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v) * factor
            scaled = optimizer.get_scaled_loss(loss)
        gradients = optimizer.get_unscaled_gradients(tape.gradient(scaled, [v]))
        optimizer.apply_gradients(zip(gradients, [v]))  # noqa: B905
        return scaled

    for factor in factors:
        scaled = step(tf.constant(factor))
        numbers.append([float(x) for x in (scaled, optimizer.loss_scale, optimizer.dynamic_counter, *v.numpy())])
    optimizer.minimize(lambda: tf.reduce_sum(v * v), [v])
    return [numbers, v.numpy().tolist(), optimizer.get_unscaled_gradients([None]), float(optimizer.initial_scale)]


@program
def lower_case_losses(tf: Any) -> Any:
    y, p = tf.constant([[0.0, 1.0]]), tf.constant([[0.25, 0.5]])
    shared = (
        "mse MSE mae MAE mape MAPE msle MSLE kld KLD kl_divergence kullback_leibler_divergence log_cosh logcosh hinge"
    )
    found = {}
    for name in (*shared.split(), "poisson", "squared_hinge", "mean_squared_error", "binary_crossentropy"):
        for namespace in (tf.keras.losses, tf.keras.metrics):
            found[f"{namespace.__name__.rpartition('.')[2]}.{name}"] = getattr(namespace, name)(y, p).numpy().tolist()
    return found


@program
def functions_of_lists(tf: Any) -> Any:
    labels, classes = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [1, 2]
    predictions = [[0.125, 0.75, 0.125], [0.25, 0.5, 0.25]]
    found = {}
    for namespace in (tf.keras.losses, tf.keras.metrics):
        for name in (
            *("mean_squared_error", "binary_crossentropy", "categorical_crossentropy", "hinge", "poisson", "log_cosh"),
            *(
                "sparse_categorical_crossentropy",
                "sparse_categorical_accuracy",
                "binary_accuracy",
                "categorical_accuracy",
            ),
            *("sparse_top_k_categorical_accuracy", "top_k_categorical_accuracy", "kl_divergence", "cosine_similarity"),
        ):
            if hasattr(namespace, name):
                wanted = classes if name.startswith("sparse") else labels
                value = np.asarray(getattr(namespace, name)(wanted, predictions))
                found[f"{namespace.__name__.rpartition('.')[2]}.{name}"] = value.astype("float32").tolist()
    return found


@program
def models_compiled_with_functions(tf: Any) -> Any:
    inputs = tf.keras.Input((3,))
    outputs = tf.keras.layers.Dense(3, "softmax", kernel_initializer="ones")(inputs)
    model = tf.keras.Model(inputs, outputs)
    model.compile(
        tf.keras.optimizers.SGD(0.125),
        tf.keras.losses.sparse_categorical_crossentropy,
        metrics=[tf.keras.metrics.sparse_categorical_crossentropy],
    )
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/model.keras")
        loaded = tf.keras.models.load_model(f"{folder}/model.keras")
    x, y = np.eye(3, dtype="float32"), np.array([0, 1, 2])
    return [m.evaluate(x, y, verbose=0) for m in (model, loaded)]


def small(tf: Any, cls: Any = None) -> Any:
    inputs = tf.keras.Input((3,))
    layer = tf.keras.layers.Dense(1, kernel_initializer="ones", kernel_regularizer=tf.keras.regularizers.l2(0.125))
    return (tf.keras.Model if cls is None else cls)(inputs, layer(inputs))


def rounded(history: Any) -> dict[str, list[float]]:
    return {name: [float(v) for v in values] for name, values in history.items()}


@program
def the_learning_rate_in_the_history(tf: Any) -> Any:
    callbacks = tf.keras.callbacks
    model = small(tf)
    model.compile(tf.keras.optimizers.SGD(0.125), "mse")
    seen = []
    told = callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: seen.append(sorted(logs)))
    halving = callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.5)
    plateau = callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=1, min_delta=10.0)
    options = {"epochs": 3, "verbose": 0, "shuffle": False, "batch_size": 2}
    first = model.fit(X, Y, callbacks=[halving, told], **options).history
    second = model.fit(X, Y, callbacks=[plateau, told], **options).history
    return [rounded(first), rounded(second), seen]


@program
def arguments_of_keras_2(tf: Any) -> Any:
    layers = tf.keras.layers
    image = tf.reshape(tf.range(64, dtype=tf.float32), (1, 4, 4, 4))
    pooled = [
        layers.AveragePooling1D()(image[0]),
        layers.AveragePooling2D()(image),
        layers.AveragePooling2D((1, 2), padding="same")(image),
        layers.AveragePooling3D()(image[..., None]),
    ]
    stateful = tf.keras.Sequential(
        [
            layers.LSTM(
                2,
                recurrent_initializer="ones",
                kernel_initializer="ones",
                batch_input_shape=(4, None, 1),
                stateful=True,
            )
        ]
    )
    rows = tf.constant(X[..., None])
    seen = [stateful(rows), stateful(rows)]
    stateful.reset_states()
    embedding = tf.keras.Sequential(
        [layers.Embedding(3, 2, embeddings_initializer="ones", batch_input_shape=[2, None])]
    )
    normalized = layers.BatchNormalization(fused=False, virtual_batch_size=None, dynamic=False)(rows, training=True)
    penalties = [tf.keras.regularizers.l1(l=0.5)(rows), tf.keras.regularizers.L2(l=0.25)(rows)]
    return [
        [np.asarray(each).tolist() for each in (*pooled, *seen, stateful(rows), normalized, *penalties)],
        [list(stateful.output_shape), list(embedding.output_shape), embedding.output_shape == (2, None, 2)],
    ]


def batches() -> Any:
    while True:
        yield X, Y


@program
def models_that_read_generators(tf: Any) -> Any:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(3,))])
    model.compile("sgd", "mse", metrics=["mae"])
    further = {"validation_data": batches(), "validation_steps": 2, "workers": 1, "use_multiprocessing": False}
    history = model.fit_generator(batches(), 3, 2, 0, shuffle=False, max_queue_size=4, **further).history
    evaluated = model.evaluate_generator(batches(), steps=2, workers=1)
    return [history, evaluated, np.asarray(model.predict_generator(batches(), 2, verbose=0)).tolist()]


@program
def shapes_of_symbols(tf: Any) -> Any:
    x = tf.keras.Input((3,))
    return [x.get_shape().as_list(), x.get_shape().rank, x.ref() == x.ref(), {x.ref(): 1}[x.ref()]]


def of_image(function: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    """A program: what a functional model of one function returns for a small image, also when it was saved and loaded."""

    def run(tf: Any) -> Any:
        inputs = tf.keras.Input((4, 2, 3))
        outputs = function(tf, inputs)
        model = tf.keras.Model(inputs, outputs)
        x = (np.arange(48).reshape(2, 4, 2, 3) / 16).astype("float32")
        with tempfile.TemporaryDirectory() as folder:
            model.save(f"{folder}/model.keras")
            loaded = tf.keras.models.load_model(f"{folder}/model.keras")
        results = [model(x), loaded(x), loaded.predict(x, verbose=0)]
        assert all(np.array_equal(np.asarray(r), np.asarray(results[0])) for r in results)
        return [np.asarray(results[0], "float32").tolist(), list(outputs.shape), np.asarray(results[0]).dtype.name]

    return run


def halves(tf: Any, x: Any) -> Any:
    batch, height, width, _ = tf.unstack(tf.shape(x))
    return tf.reshape(x, [batch, height // 2, 2, width * 3])


SYMBOLIC: dict[str, Callable[[Any], Any]] = {
    "reduce_mean": of_image(lambda tf, x: tf.reduce_mean(x, axis=[1, 2])),
    "reduce_sum keepdims": of_image(lambda tf, x: tf.reduce_sum(x, -1, keepdims=True)),
    "operators": of_image(lambda tf, x: tf.constant(1.0) + (2.0 - x) / tf.constant([1.0, 2.0, 4.0]) - x**2),
    "concat": of_image(lambda tf, x: tf.concat([x, tf.nn.relu(x - 1.0)], 1)),
    "reshape": of_image(lambda tf, x: tf.reshape(x, [-1, 8, 3])),
    "reshape by shape": of_image(lambda tf, x: tf.reshape(x, [tf.shape(x)[0], tf.shape(x)[1] * tf.shape(x)[2], 3])),
    "unstacked shape": of_image(halves),
    "zeros by shape": of_image(lambda tf, x: tf.concat([x, tf.zeros([tf.shape(x)[0], 4, 2, 1])], -1)),
    "cast": of_image(lambda tf, x: tf.cast(x, tf.int32)),
    "slices": of_image(lambda tf, x: x[:, 1:3, 0]),
    "resize": of_image(lambda tf, x: tf.image.resize(x, [2, 4])),
    "keywords": of_image(lambda tf, x: tf.clip_by_value(x, clip_value_min=0.5, clip_value_max=1.5)),
    "split and stack": of_image(lambda tf, x: tf.stack(tf.split(x, 2, axis=1), axis=1)),
    "one_hot": of_image(lambda tf, x: tf.one_hot(tf.cast(x[:, 0, 0, 1], tf.int32), 4)),
    "transpose, matmul": of_image(lambda tf, x: tf.matmul(x, tf.transpose(x, [0, 1, 3, 2]))),
    "where": of_image(lambda tf, x: tf.where(x > 1.0, x, tf.zeros_like(x))),
    "pad, tile, pool": of_image(
        lambda tf, x: tf.nn.max_pool2d(tf.tile(tf.pad(x, [[0, 0], [0, 0], [1, 1], [0, 0]]), [1, 1, 1, 2]), 2, 2, "SAME")
    ),
    "backend": of_image(lambda tf, x: tf.keras.backend.mean(tf.keras.backend.square(x), axis=-1)),
}


def normalize_over_all_rows(tf: Any, *, masked: bool) -> Any:
    """Two replicas with different rows: outputs, gradients, moving averages of a synchronized layer; then an inference."""
    strategy = tf.distribute.MirroredStrategy(tf.config.list_logical_devices()[:2])
    with strategy.scope():
        layer = tf.keras.layers.experimental.SyncBatchNormalization(momentum=0.5)
        layer.build((None, 2, 3))
    numbers = np.random.default_rng(3).normal(1.0, 2.0, (2, 4, 2, 3)).astype("float32")
    masks = np.array([[[1, 1], [1, 0], [1, 1], [1, 1]], [[0, 1], [1, 1], [0, 0], [1, 1]]], bool)

    def step(rows: Any, mask: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(rows)
            normalized = layer(rows, training=True, mask=mask) if masked else layer(rows, training=True)
            loss = tf.reduce_sum(normalized**3)
        return normalized, *tape.gradient(loss, [rows, *layer.trainable_variables])

    def given(values: Any) -> Any:
        return strategy.experimental_distribute_values_from_function(
            lambda context: tf.constant(values[context.replica_id_in_sync_group])
        )

    results = strategy.run(tf.function(step), args=(given(numbers), given(masks)))
    local = [np.asarray(each).tolist() for result in results for each in strategy.experimental_local_results(result)]
    moving = [np.asarray(each).tolist() for each in (layer.moving_mean, layer.moving_variance)]
    return [local, moving, np.asarray(layer(numbers[0], training=False)).tolist()]
