"""Programs of users of parameter servers, each as it runs under any strategy."""

from collections.abc import Callable
from typing import Any

import numpy as np

import stratagem as tf
from tests.servers.remote.serving import Program

keras = tf.keras
layers = keras.layers

STEPS, BATCH, FEATURES, CLASSES, ROWS, LENGTH = 20, 16, 6, 4, 30, 5

random = np.random.default_rng(3)
X = random.normal(size=(STEPS, BATCH, FEATURES))
Y = random.integers(0, CLASSES, (STEPS, BATCH))
IDS = random.integers(0, ROWS, (STEPS, BATCH, LENGTH)).astype("int32")
IDS[:, :, 0] = 7  # a row that every example has

DENSE = list(zip(X, Y, strict=True))
SPARSE = list(zip(IDS, Y, strict=True))
MIXED = [([ids, x], y) for ids, x, y in zip(IDS, X, Y, strict=True)]


def train(optimizer: Any, tape: Any, loss: Any, variables: Any) -> None:
    """One update."""
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))


def parts(variable: Any) -> list[Any]:
    """What a variable's gradients are of: its shards, if it has any."""
    return getattr(variable, "variables", [variable])


def classified(model: Any, optimizer: Any, variables: Any = None) -> Any:
    """A step of a classifier of the guide's shape."""
    loss_object = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
    accuracy = keras.metrics.SparseCategoricalAccuracy()
    strategy = tf.distribute.get_strategy()

    @tf.function
    def step(inputs: Any, labels: Any) -> Any:
        def replica(inputs: Any, labels: Any) -> Any:
            with tf.GradientTape() as tape:
                logits = model(inputs, training=True)
                loss = tf.nn.compute_average_loss(loss_object(labels, logits), global_batch_size=BATCH)
            train(optimizer, tape, loss, model.trainable_variables)
            accuracy.update_state(labels, logits)
            return loss

        return strategy.reduce("SUM", strategy.run(replica, args=(inputs, labels)), axis=None)

    return step, [*model.weights, *accuracy.variables, optimizer.iterations]


def dense_model(*more: Any) -> Any:
    """Two layers with `more` between them."""
    return keras.Sequential([layers.Input((FEATURES,)), layers.Dense(8, "relu"), *more, layers.Dense(CLASSES)])


def mixed_model() -> Any:
    """Some features, and a table of which a step uses some rows."""
    ids, features = layers.Input((LENGTH,), dtype="int32"), layers.Input((FEATURES,))
    x = layers.Concatenate()([layers.Flatten()(layers.Embedding(ROWS, 4)(ids)), features])
    return keras.Model([ids, features], layers.Dense(CLASSES)(layers.Dense(8, "relu")(x)))


def training(optimizer: Callable[[], Any]) -> Program:
    """Gradients of whole variables, and one of rows."""

    def make() -> Any:
        return classified(mixed_model(), optimizer())

    return Program(make, MIXED)


SCHEDULE = {"initial_learning_rate": 0.2, "decay_steps": 5, "decay_rate": 0.5}

OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "sgd": lambda: keras.optimizers.SGD(0.1),
    "momentum": lambda: keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True),
    "adam": lambda: keras.optimizers.Adam(0.01),
    "adagrad": lambda: keras.optimizers.Adagrad(0.05),
}
OTHERS: dict[str, Callable[[], Any]] = {
    "global clipnorm": lambda: keras.optimizers.SGD(0.1, global_clipnorm=0.05),
    "clipnorm": lambda: keras.optimizers.Adagrad(0.1, clipnorm=0.01),
    "clipvalue": lambda: keras.optimizers.SGD(0.1, clipvalue=0.001),
    "weight decay and average": lambda: keras.optimizers.AdamW(0.01, weight_decay=0.1, use_ema=True, ema_momentum=0.9),
    "average that overwrites": lambda: keras.optimizers.SGD(0.1, use_ema=True, ema_overwrite_frequency=3),
    "accumulation": lambda: keras.optimizers.Adam(0.01, gradient_accumulation_steps=3),
    "schedule": lambda: keras.optimizers.SGD(keras.optimizers.schedules.ExponentialDecay(**SCHEDULE)),
    "nadam": lambda: keras.optimizers.Nadam(0.01),
    "ftrl": lambda: keras.optimizers.Ftrl(0.05, l1_regularization_strength=0.001),
    "rmsprop": lambda: keras.optimizers.RMSprop(0.01, centered=True, momentum=0.5),
    "amsgrad": lambda: keras.optimizers.Adam(0.01, amsgrad=True),
    "lion": lambda: keras.optimizers.Lion(0.001),
    "adadelta": lambda: keras.optimizers.Adadelta(0.5),
    "adamax": lambda: keras.optimizers.Adamax(0.01),
    "lamb": lambda: keras.optimizers.Lamb(0.01),
    "adafactor": lambda: keras.optimizers.Adafactor(0.01),
}


# --- Programs of many kinds ---------------------------------------------------------------------------------------------


def _adversarial() -> Any:
    """Two optimizers in one step, each for variables of its own."""
    maker = keras.Sequential([layers.Input((FEATURES,)), layers.Dense(FEATURES)])
    judge = keras.Sequential([layers.Input((FEATURES,)), layers.Dense(8, "relu"), layers.Dense(1)])
    first, second = keras.optimizers.Adam(0.02), keras.optimizers.SGD(0.1, momentum=0.5)
    loss_object = keras.losses.BinaryCrossentropy(from_logits=True)

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as one, tf.GradientTape() as other:
            false, true = judge(maker(x)), judge(x)
            made = loss_object(tf.ones_like(false), false)
            judged = loss_object(tf.ones_like(true), true) + loss_object(tf.zeros_like(false), false)
        train(second, other, judged, judge.trainable_variables)
        train(first, one, made, maker.trainable_variables)
        return made, judged

    return step, [*maker.weights, *judge.weights, first.iterations, second.iterations]


def random_table(*shape: int) -> Any:
    """The same numbers whatever the strategy."""
    return np.random.default_rng(11).normal(size=shape)


def _read_after() -> Any:
    """What a step reads after its update is the updated value."""
    model = dense_model()
    optimizer = keras.optimizers.SGD(0.1, momentum=0.9)

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=model(x)))
        before = tf.reduce_sum(model.layers[0].kernel)
        train(optimizer, tape, loss, model.trainable_variables)
        return before, tf.reduce_sum(model.layers[0].kernel), optimizer.iterations + 1, tf.reduce_mean(model(x))

    return step, [*model.weights, optimizer.iterations]


def _rate_changes() -> Any:
    """The learning rate is another one before every step."""
    compiled, variables = classified(dense_model(), optimizer := keras.optimizers.Adam(0.1))

    def step(x: Any, y: Any) -> Any:
        optimizer.learning_rate = 0.1 / (1 + int(optimizer.iterations.numpy()))
        return compiled(x, y)

    return step, variables


def _normalized() -> Any:
    """Statistics that every step moves."""
    return classified(dense_model(layers.BatchNormalization(momentum=0.8)), keras.optimizers.SGD(0.1))


def _dropped_out() -> Any:
    """Random numbers: the first worker draws what one device would."""
    return classified(dense_model(layers.Dropout(0.5), layers.GaussianNoise(0.1)), keras.optimizers.Adam(0.01))


def _recurrent() -> Any:
    """Loops inside the step."""
    body = [layers.Embedding(ROWS, 4, mask_zero=True), layers.LSTM(5), layers.Dense(CLASSES)]
    model = keras.Sequential([layers.Input((LENGTH,), dtype="int32"), *body])
    return classified(model, keras.optimizers.Adam(0.02))


def _assigned() -> Any:
    """A step that assigns, adds and subtracts by itself."""
    total, least, last = tf.Variable(0.0, dtype="float64"), tf.Variable(9.0, dtype="float64"), tf.Variable(np.zeros(4))
    counts = tf.Variable(np.zeros(CLASSES, "int64"), trainable=False)

    @tf.function
    def step(x: Any, y: Any) -> Any:
        total.assign_add(tf.reduce_sum(x))
        total.assign_sub(tf.reduce_mean(x))
        least.assign(tf.minimum(least, tf.reduce_min(x)))
        last.assign(x[0, :4])
        counts.assign_add(tf.reduce_sum(tf.one_hot(y, CLASSES, dtype=tf.int64), axis=0))
        return total + least, tf.reduce_sum(last)

    return step, [total, least, last, counts]


def _measured() -> Any:
    """Metrics of several kinds."""
    model, optimizer = dense_model(), keras.optimizers.SGD(0.1)
    metrics = [keras.metrics.Mean(), keras.metrics.AUC(num_thresholds=11), keras.metrics.TopKCategoricalAccuracy(2)]

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            p = tf.nn.softmax(model(x))
            loss = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(y, p))
        train(optimizer, tape, loss, model.trainable_variables)
        truth = tf.one_hot(y, CLASSES, dtype=tf.float64)
        metrics[0].update_state(loss)
        for metric in metrics[1:]:
            metric.update_state(truth, p)
        return [metric.result() for metric in metrics]

    return step, [*model.weights, *(v for metric in metrics for v in metric.variables)]


def _penalized() -> Any:
    """A regularizer of a table: the loss has all of it."""
    embedding = layers.Embedding(ROWS, 4, embeddings_regularizer="l2")
    model = keras.Sequential(
        [layers.Input((LENGTH,), dtype="int32"), embedding, layers.Flatten(), layers.Dense(CLASSES)]
    )
    optimizer = keras.optimizers.Adagrad(0.1)

    @tf.function
    def step(ids: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            errors = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=model(ids))
            loss = tf.reduce_mean(errors) + tf.reduce_sum(model.losses)
        train(optimizer, tape, loss, model.trainable_variables)
        return loss

    return step, [*model.weights, optimizer.iterations]


def _constrained() -> Any:
    """Constraints of a table and of a kernel."""
    body = [
        layers.Embedding(ROWS, 4, embeddings_constraint=keras.constraints.NonNeg()),
        layers.Flatten(),
        layers.Dense(CLASSES, kernel_constraint=keras.constraints.UnitNorm(axis=1)),
    ]
    return classified(keras.Sequential([layers.Input((LENGTH,), dtype="int32"), *body]), keras.optimizers.SGD(0.5))


def _branching() -> Any:
    """Control flow of TensorFlow around an update's operands, and a loop."""
    v, optimizer = tf.Variable(random_table(FEATURES)), keras.optimizers.SGD(0.1)
    count = tf.Variable(0, dtype="int64")

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            s = tf.reduce_sum(tf.tensordot(tf.constant(x), v, 1))
            loss = tf.cond(s > 0, lambda: tf.square(s), lambda: -s) / 100
        train(optimizer, tape, loss, parts(v))
        count.assign_add(tf.cast(s > 0, tf.int64))
        return tf.while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, z * 0.5), (0, loss))[1]

    return step, [v, count]


def _frozen_part() -> Any:
    """Variables that do not train, and one that no gradient reaches."""
    model = dense_model()
    model.layers[0].trainable = False
    return classified(model, keras.optimizers.Adam(0.01))


def _half() -> Any:
    """bfloat16 in the layers, float32 in the variables."""
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        return classified(mixed_model(), keras.optimizers.Adam(0.01))
    finally:
        keras.config.set_dtype_policy(before)


PROGRAMS: dict[str, Program] = {
    "two optimizers": Program(_adversarial, DENSE),
    "reads after an update": Program(_read_after, DENSE),
    "learning rate changes": Program(_rate_changes, DENSE),
    "batch normalization": Program(_normalized, DENSE),
    "dropout": Program(_dropped_out, DENSE),
    "recurrent": Program(_recurrent, SPARSE),
    "assignments": Program(_assigned, DENSE),
    "metrics": Program(_measured, DENSE),
    "penalized": Program(_penalized, SPARSE),
    "constrained": Program(_constrained, SPARSE),
    "branching": Program(_branching, DENSE),
    "frozen part": Program(_frozen_part, DENSE),
    "bfloat16": Program(_half, MIXED, "float32"),
}
