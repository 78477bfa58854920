"""Small programs with TensorFlow Addons, which run in TensorFlow and here; each returns numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np

PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {}
X = np.array([[-3.0, -0.5, -0.2, 0.0], [0.2, 0.5, 1.0, 4.0]], "float32")
LABELS = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 0]], "float32")
SCORES = np.array([[0.7, 0.2, 0.6], [0.2, 0.6, 0.6], [0.6, 0.8, 0.0], [0.4, 0.0, 0.0]], "float32")
WEIGHTS = np.array([1.0, 0.0, 2.0, 0.5], "float32")


def program(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    PROGRAMS[function.__name__] = function
    return function


def numbers(value: Any) -> Any:
    return np.asarray(value).tolist()


@program
def activations(tf: Any, tfa: Any) -> Any:
    a = tfa.activations
    calls: dict[str, Callable[[Any], Any]] = {
        "gelu": a.gelu,
        "gelu exact": lambda x: a.gelu(x, approximate=False),
        "hardshrink": lambda x: a.hardshrink(x, lower=-0.3),
        "lisht": a.lisht,
        "mish": a.mish,
        "rrelu": lambda x: a.rrelu(x, training=False),
        "snake": lambda x: a.snake(x, 2.0),
        "softshrink": a.softshrink,
        "sparsemax": a.sparsemax,
        "sparsemax axis": lambda x: a.sparsemax(x, axis=0),
        "tanhshrink": a.tanhshrink,
    }
    found = {}
    for name, call in calls.items():
        x = tf.constant(X)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(x)
            loss = tf.reduce_sum(y * tf.constant([1.0, 2.0, 3.0, 4.0]))
        found[name] = [numbers(y), numbers(tape.gradient(loss, x))]
    return found


# --- Losses and metrics -----------------------------------------------------------------------------------------------


@program
def losses(tf: Any, tfa: Any) -> Any:
    made = {
        "focal": tfa.losses.SigmoidFocalCrossEntropy(),
        "focal of logits": tfa.losses.SigmoidFocalCrossEntropy(True, 0.5, 1.0, reduction="sum"),
        "focal without weights": tfa.losses.SigmoidFocalCrossEntropy(alpha=0.0, gamma=0.0, reduction="sum"),
        "contrastive": tfa.losses.ContrastiveLoss(0.5),
        "pinball": tfa.losses.PinballLoss(0.25),
    }
    return {name: numbers(loss(LABELS, SCORES)) for name, loss in made.items()}


@program
def triplets(tf: Any, tfa: Any) -> Any:
    labels = np.array([0, 1, 0, 1, 2, 0])
    embeddings = (np.arange(12).reshape(6, 2) * 7 % 5 / 4).astype("float32")
    found = {}
    losses = {
        "semihard": tfa.losses.TripletSemiHardLoss(),
        "semihard squared": tfa.losses.TripletSemiHardLoss(0.25, "squared-L2"),
        "semihard angular": tfa.losses.TripletSemiHardLoss(0.5, "angular"),
        "hard": tfa.losses.TripletHardLoss(),
        "soft": tfa.losses.TripletHardLoss(soft=True),
    }
    for name, loss in losses.items():
        x = tf.constant((embeddings + np.array([0.125, 0.0]) * labels[:, None]).astype("float32"))
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = loss(labels, x)
        found[name] = [numbers(value), numbers(tape.gradient(value, x))]
    return found


@program
def metrics(tf: Any, tfa: Any) -> Any:
    m = tfa.metrics
    many: dict[str, Any] = {
        "f1": m.F1Score(3),
        "f1 micro": m.F1Score(3, "micro", 0.5),
        "f1 macro": m.F1Score(3, "macro"),
        "f1 weighted": m.F1Score(num_classes=3, average="weighted", threshold=0.3),
        "f2": m.FBetaScore(3, beta=2.0),
        "hamming": m.HammingLoss("multilabel", threshold=0.5),
        "hamming classes": m.HammingLoss(mode="multiclass"),
        "r square": m.RSquare(),
        "r square of each": m.RSquare(multioutput="raw_values"),
        "r square by variance": m.RSquare(multioutput="variance_weighted"),
        "r square adjusted": m.RSquare(num_regressors=2),
        "matthews": m.MatthewsCorrelationCoefficient(3),
        "kappa": m.CohenKappa(3),
        "kappa linear": m.CohenKappa(3, weightage="linear"),
        "kappa quadratic": m.CohenKappa(3, weightage="quadratic"),
    }
    found = {}
    for name, metric in many.items():
        metric.update_state(LABELS, SCORES)
        found[name] = [numbers(metric.result())]
        metric.update_state(LABELS[:2], SCORES[2:])
        found[name].append(numbers(metric.result()))
        metric.reset_state()
        weights = WEIGHTS[:, None] if name.startswith("r square") else WEIGHTS
        metric.update_state(LABELS, SCORES, sample_weight=weights)
        found[name].append(numbers(metric.result()))
    binary = m.CohenKappa(2, sparse_labels=True)
    binary.update_state(np.array([1, 0, 1, 1]), np.array([0.75, 0.25, 0.25, 1.0], "float32"))
    found["kappa of two"] = [numbers(binary.result())]
    sparse = m.CohenKappa(5, sparse_labels=True, regression=True)
    sparse.update_state(
        np.array([4, 4, 3, 4, 2, 4, 1, 1]), np.array([[4.25], [4], [3], [4], [4], [2], [1], [1]], "float32")
    )
    found["kappa of numbers"] = [numbers(sparse.result())]
    found["configs"] = [sorted(many["f1"].get_config()), sorted(many["kappa"].get_config())]
    return found


# --- Optimizers -------------------------------------------------------------------------------------------------------


@program
def optimizers(tf: Any, tfa: Any) -> Any:
    o = tfa.optimizers
    legacy, schedules = tf.keras.optimizers.legacy, tf.keras.optimizers.schedules
    falling = schedules.PiecewiseConstantDecay([3], [0.125, 0.03125])
    adagrad = o.extend_with_decoupled_weight_decay(legacy.Adagrad)
    made: dict[str, Callable[[], Any]] = {
        "AdamW": lambda: o.AdamW(0.03125, 0.125),
        "AdamW by schedule": lambda: o.AdamW(weight_decay=falling, learning_rate=falling, amsgrad=True),
        "AdamW but": lambda: o.AdamW(0.125, exclude_from_weight_decay=["bias"]),
        "SGDW": lambda: o.SGDW(weight_decay=0.03125, learning_rate=0.125, momentum=0.5, nesterov=True),
        "extended": lambda: adagrad(0.03125, learning_rate=0.125),
        "LAMB": lambda: o.LAMB(0.125),
        "LAMB decayed": lambda: o.LAMB(0.125, weight_decay=0.125, exclude_from_weight_decay=["bias"]),
        "LazyAdam": lambda: o.LazyAdam(0.125),
        "RectifiedAdam": lambda: o.RectifiedAdam(0.125),
        "RectifiedAdam decayed": lambda: o.RectifiedAdam(0.125, beta_2=0.75, weight_decay=0.125, amsgrad=True),
        "RectifiedAdam warm": lambda: o.RectifiedAdam(0.125, total_steps=6, warmup_proportion=0.5, min_lr=0.0625),
    }
    found = {}
    for name, make in made.items():
        optimizer = make()
        kernel = tf.Variable([[1.0, -2.0], [0.5, 3.0]], name="kernel")
        bias = tf.Variable([0.25, -0.25], name="bias")
        steps = []
        for step in range(7):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(kernel - 0.5)) + tf.reduce_sum(bias * bias * (step + 1.0))
            gradients = tape.gradient(loss, [kernel, bias])
            optimizer.apply_gradients(zip(gradients, [kernel, bias], strict=True))
            steps.append([*numbers(kernel.numpy()), numbers(bias.numpy())])
        found[name] = [steps[0], steps[-1]]
    rates = {
        "triangular": o.TriangularCyclicalLearningRate(0.125, 1.0, 4),
        "triangular2": o.Triangular2CyclicalLearningRate(0.125, 1.0, 4),
        "exponential": o.ExponentialCyclicalLearningRate(0.125, 1.0, 4, gamma=0.875),
        "cyclical": o.CyclicalLearningRate(0.125, 1.0, 2, lambda x: 1.0, "iterations"),
    }
    found["rates"] = {name: [float(rate(step)) for step in range(0, 20, 3)] for name, rate in rates.items()}
    return found


# --- Layers and images ------------------------------------------------------------------------------------------------


@program
def layers(tf: Any, tfa: Any) -> Any:
    made = tfa.layers
    images = (np.arange(2 * 3 * 3 * 4).reshape(2, 3, 3, 4) * 5 % 11 / 8).astype("float32")
    of_images = {
        "instance": made.InstanceNormalization(),
        "instance without": made.InstanceNormalization(axis=-1, center=False, scale=False, epsilon=0.125),
        "group": made.GroupNormalization(groups=2),
        "response": made.FilterResponseNormalization(learned_epsilon=True),
        "maxout": made.Maxout(2),
        "gelu": made.GELU(),
        "snake": made.Snake(),
        "sparsemax": made.Sparsemax(),
    }
    found = {name: numbers(layer(images)) for name, layer in of_images.items()}
    found["depth"] = numbers(made.StochasticDepth(0.25)([tf.constant(X), tf.constant(2 * X)], training=False))
    found["all kept"] = numbers(made.StochasticDepth(1.0)([tf.constant(X), tf.constant(2 * X)], training=True))
    return found


@program
def weight_normalization(tf: Any, tfa: Any) -> Any:
    kernel = (np.arange(12).reshape(4, 3) % 5 / 4 - 0.5).astype("float32")
    bias = np.array([0.25, 0.0, -0.5], "float32")
    dense = tf.keras.layers.Dense(3, activation="tanh")
    layer = tfa.layers.WeightNormalization(dense, data_init=False)
    dense.build((2, 4))
    dense.set_weights([kernel, bias])
    x, optimizer, steps = tf.constant(X), tf.keras.optimizers.SGD(0.25), []
    layer(x)
    for _ in range(3):
        with tf.GradientTape() as tape:
            y = layer(x)
            loss = tf.reduce_sum(y * y)
        variables = [layer.g, layer.v, dense.bias]
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        steps.append([numbers(y), *(numbers(v.numpy()) for v in variables)])
    convolution = tfa.layers.WeightNormalization(
        tf.keras.layers.Conv2D(2, 2, kernel_initializer="ones"), data_init=False
    )
    return {"steps": steps, "convolved": numbers(convolution(np.ones((1, 3, 3, 2), "float32")))}


@program
def transformed(tf: Any, tfa: Any) -> Any:
    images = np.arange(2 * 4 * 5 * 1).reshape(2, 4, 5, 1).astype("float32")
    i = tfa.image
    return {
        "rotate": numbers(i.rotate(images, np.pi / 2)),
        "rotate each": numbers(i.rotate(images, [0.25, -0.5], interpolation="bilinear", fill_value=9.0)),
        "rotate one": numbers(i.rotate(images[0], 0.375, interpolation="bilinear")),
        "rotate reflected": numbers(i.rotate(images, 0.25, "bilinear", "reflect")),
        "translate": numbers(i.translate(images, [1.0, -2.0])),
        "translate each": numbers(i.translate(images, [[0.5, 0.25], [-1.0, 0.0]], "bilinear")),
        "transform": numbers(i.transform(images[0, :, :, 0], [1.0, 0.5, 0.25, 0.0, 1.0, 0.0, 0.0, 0.0], "bilinear")),
    }
