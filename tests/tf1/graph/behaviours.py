"""Model functions in TensorFlow 1's terms, which both libraries run on the same numbers: what they are given is `tf1`."""

import itertools
from collections.abc import Callable
from typing import Any, Final

from tests.tf1.graph.functions_behaviours import functions
from tests.tf1.graph.losses_behaviours import LOSSES, METRIC_WEIGHTS, METRICS, REDUCTIONS, WEIGHTS, loss, metric
from tests.tf1.graph.made import Made, Model, wave, waves
from tests.tf1.graph.variables_behaviours import VARIABLES

# --- Optimizers -------------------------------------------------------------------------------------------------------

OPTIMIZERS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "gradient_descent": ("GradientDescentOptimizer", {"learning_rate": 0.1}),
    "momentum": ("MomentumOptimizer", {"learning_rate": 0.1, "momentum": 0.9}),
    "nesterov": ("MomentumOptimizer", {"learning_rate": 0.1, "momentum": 0.9, "use_nesterov": True}),
    "adagrad": ("AdagradOptimizer", {"learning_rate": 0.1}),
    "adagrad_from_1": ("AdagradOptimizer", {"learning_rate": 0.1, "initial_accumulator_value": 1.0, "name": "Own"}),
    "adam": ("AdamOptimizer", {"learning_rate": 0.1}),
    "adam_epsilon": ("AdamOptimizer", {"learning_rate": 0.1, "beta1": 0.5, "beta2": 0.9, "epsilon": 0.1}),
    "rmsprop": ("RMSPropOptimizer", {"learning_rate": 0.1}),
    "rmsprop_momentum": ("RMSPropOptimizer", {"learning_rate": 0.1, "decay": 0.8, "momentum": 0.5, "epsilon": 1e-3}),
    "rmsprop_centered": ("RMSPropOptimizer", {"learning_rate": 0.1, "momentum": 0.5, "centered": True}),
    "adadelta": ("AdadeltaOptimizer", {"learning_rate": 1.0, "epsilon": 1e-3}),
    "ftrl": ("FtrlOptimizer", {"learning_rate": 0.1}),
    "ftrl_regularized": (
        "FtrlOptimizer",
        {
            "learning_rate": 0.2,
            "l1_regularization_strength": 0.02,
            "l2_regularization_strength": 0.05,
            "l2_shrinkage_regularization_strength": 0.1,
            "learning_rate_power": -0.7,
        },
    ),
    "ftrl_names": ("FtrlOptimizer", {"learning_rate": 0.1, "accum_name": "a", "linear_name": "b", "beta": 0.3}),
    "proximal_gradient_descent": (
        "ProximalGradientDescentOptimizer",
        {"learning_rate": 0.1, "l1_regularization_strength": 0.1, "l2_regularization_strength": 0.2},
    ),
    "proximal_adagrad": (
        "ProximalAdagradOptimizer",
        {"learning_rate": 0.1, "l1_regularization_strength": 0.1, "l2_regularization_strength": 0.2},
    ),
}


def optimizer(tf1: Any, name: str) -> Any:
    cls, arguments = OPTIMIZERS[name]
    return getattr(tf1.train, cls)(**arguments)


def dense(name: str, dtype: str) -> Model:
    """A small network, trained."""

    def model(tf1: Any, x: Any, y: Any) -> Made:
        x = tf1.cast(x, dtype)
        kernel = tf1.get_variable("kernel", [4, 3], dtype, waves(tf1))
        bias = tf1.get_variable("bias", [3], dtype, waves(tf1, 2.0))
        error = tf1.tanh(tf1.matmul(x, kernel) + bias) - tf1.one_hot(y, 3, dtype=dtype)
        loss = tf1.reduce_mean(tf1.square(error))
        step = tf1.train.get_or_create_global_step()
        return Made(tensors={"loss": loss}, operation=optimizer(tf1, name).minimize(loss, step))

    return model


def sparse(name: str, dtype: str) -> Model:
    """A table of which some rows are looked up, one of them twice."""

    def model(tf1: Any, x: Any, y: Any) -> Made:
        table = tf1.get_variable("table", [8, 2], dtype, waves(tf1))
        rows = tf1.nn.embedding_lookup(table, tf1.argmax(x, 1))  # others at every step
        loss = tf1.reduce_sum(tf1.square(rows * rows - 0.5))
        return Made(tensors={"loss": loss}, operation=optimizer(tf1, name).minimize(loss))

    return model


def given_slices(name: str, dtype: str) -> Model:
    """Gradients that the program itself gives as rows."""

    def model(tf1: Any, x: Any, y: Any) -> Made:
        table = tf1.get_variable("table", [8, 2], dtype, waves(tf1))
        rows = tf1.constant(wave((3, 2), 1.0), dtype)
        slices = tf1.IndexedSlices(rows, tf1.constant([1, 5, 1]), tf1.constant([8, 2]))
        return Made(operation=optimizer(tf1, name).apply_gradients([(slices, table)]))

    return model


# --- Layers -----------------------------------------------------------------------------------------------------------

SHAPES: Final = {1: (6, 7, 4), 2: (6, 7, 5, 4), 3: (2, 5, 4, 3, 2)}

LAYERS: Final[dict[str, tuple[str, int, dict[str, Any]]]] = {
    "dense": ("dense", 0, {"units": 3}),
    "dense_of_sequence": ("dense", 1, {"units": 3, "use_bias": False}),
    "conv1d": ("conv1d", 1, {"filters": 3, "kernel_size": 3}),
    "conv1d_causal_like": ("conv1d", 1, {"filters": 3, "kernel_size": 2, "padding": "same", "dilation_rate": 2}),
    "conv2d": ("conv2d", 2, {"filters": 3, "kernel_size": 3}),
    "conv2d_same_strides": ("conv2d", 2, {"filters": 3, "kernel_size": [3, 2], "padding": "same", "strides": (2, 1)}),
    "conv2d_dilated": ("conv2d", 2, {"filters": 3, "kernel_size": 2, "dilation_rate": (2, 1), "use_bias": False}),
    "conv3d": ("conv3d", 3, {"filters": 3, "kernel_size": 2, "padding": "same"}),
    "separable_conv1d": ("separable_conv1d", 1, {"filters": 3, "kernel_size": 3, "depth_multiplier": 2}),
    "separable_conv1d_strides": (
        "separable_conv1d",
        1,
        {"filters": 3, "kernel_size": 3, "strides": 2, "padding": "same"},
    ),
    "separable_conv2d": ("separable_conv2d", 2, {"filters": 3, "kernel_size": 3, "padding": "same"}),
    "conv2d_transpose": ("conv2d_transpose", 2, {"filters": 3, "kernel_size": 3, "strides": 2}),
    "conv2d_transpose_same": ("conv2d_transpose", 2, {"filters": 3, "kernel_size": 3, "strides": 2, "padding": "same"}),
    "conv3d_transpose": ("conv3d_transpose", 3, {"filters": 3, "kernel_size": 2, "strides": 2}),
    "max_pooling1d": ("max_pooling1d", 1, {"pool_size": 2, "strides": 2}),
    "max_pooling2d": ("max_pooling2d", 2, {"pool_size": 2, "strides": 2}),
    "max_pooling2d_same": ("max_pooling2d", 2, {"pool_size": 3, "strides": (2, 1), "padding": "same"}),
    "max_pooling3d": ("max_pooling3d", 3, {"pool_size": 2, "strides": 2}),
    "average_pooling1d": ("average_pooling1d", 1, {"pool_size": 2, "strides": 2, "padding": "same"}),
    "average_pooling2d": ("average_pooling2d", 2, {"pool_size": 2, "strides": 2, "padding": "same"}),
    "average_pooling3d": ("average_pooling3d", 3, {"pool_size": 2, "strides": 2}),
    "flatten": ("flatten", 2, {}),
    "dropout_of_inference": ("dropout", 2, {"rate": 0.5}),
    "batch_normalization": ("batch_normalization", 0, {"training": True}),
    "batch_normalization_images": ("batch_normalization", 2, {"training": True, "momentum": 0.8}),
    "batch_normalization_inference": ("batch_normalization", 2, {"training": False}),
    "batch_normalization_plain": ("batch_normalization", 2, {"training": True, "fused": False, "epsilon": 0.1}),
    "batch_normalization_volumes": ("batch_normalization", 3, {"training": True}),
    "batch_normalization_bare": ("batch_normalization", 1, {"training": True, "center": False, "scale": False}),
}


def layer(name: str) -> Model:
    """A layer, its gradient for its variables and its inputs, and two steps of training with its updates."""

    def model(tf1: Any, x: Any, y: Any) -> Made:
        function, rank, arguments = LAYERS[name]
        shape = SHAPES.get(rank, (6, 4))
        inputs = tf1.get_variable("inputs", initializer=tf1.constant(wave(shape), tf1.float32))
        with tf1.variable_scope("body", initializer=waves(tf1, 0.7)):
            outputs = getattr(tf1.layers, function)(inputs, **arguments)
        loss = tf1.reduce_mean(tf1.square(outputs - 0.1))
        updates = tf1.get_collection(tf1.GraphKeys.UPDATE_OPS)
        with tf1.control_dependencies(updates):
            operation = tf1.train.GradientDescentOptimizer(0.05).minimize(loss)
        return Made(tensors={"outputs": outputs, "loss": loss}, operation=operation)

    return model


def regularized(tf1: Any, x: Any, y: Any) -> Made:
    """Regularizers of kernels, of activities, of scopes: what they leave in the collections."""

    def squares(weight: float) -> Callable[[Any], Any]:
        return lambda value: weight * tf1.reduce_sum(tf1.square(value))

    with tf1.variable_scope("net", initializer=waves(tf1), regularizer=squares(0.5)):
        hidden = tf1.layers.dense(x, 3, tf1.tanh, activity_regularizer=squares(2.0), name="first")
        logits = tf1.layers.dense(hidden, 3, kernel_regularizer=squares(0.25), bias_regularizer=squares(3.0))
    tf1.losses.sparse_softmax_cross_entropy(y, logits)
    losses = tf1.losses.get_regularization_losses()
    total = tf1.losses.get_total_loss()
    operation = tf1.train.GradientDescentOptimizer(0.1).minimize(total)
    tensors = {f"regularization_{i}": value for i, value in enumerate(losses)}
    return Made(tensors=tensors | {"total": total, "sum": tf1.losses.get_regularization_loss()}, operation=operation)


# --- Learning rates, scopes, the rest ---------------------------------------------------------------------------------

SCHEDULES: Final[dict[str, tuple[Any, ...]]] = {
    "exponential_decay": (3, 0.5),
    "natural_exp_decay": (3, 0.5),
    "inverse_time_decay": (3, 0.5),
    "polynomial_decay": (3, 0.01, 2.0),
    "cosine_decay": (3, 0.1),
    "cosine_decay_restarts": (2,),
    "linear_cosine_decay": (3,),
}


def schedules(tf1: Any, x: Any, y: Any) -> Made:
    """Learning rates at the steps 0, 1, 2 …"""
    step = tf1.train.get_or_create_global_step()
    rates = {name: getattr(tf1.train, name)(0.3, step, *arguments) for name, arguments in SCHEDULES.items()}
    rates["staircase"] = tf1.train.exponential_decay(0.3, step, 2, 0.5, staircase=True)
    rates["natural_staircase"] = tf1.train.natural_exp_decay(0.3, step, 2, 0.5, staircase=True)
    rates["cycle"] = tf1.train.polynomial_decay(0.3, step, 2, cycle=True)
    rates["piecewise"] = tf1.train.piecewise_constant(step, [0, 2], [0.1, 0.2, 0.3])
    rates["restarts"] = tf1.train.cosine_decay_restarts(0.3, step, 1, 1.0, 0.5, 0.1)
    return Made(tensors=rates, operation=tf1.assign_add(step, 1))


def scheduled(tf1: Any, x: Any, y: Any) -> Made:
    """An optimizer whose learning rate follows the global step, with clipped gradients and averages of variables."""
    step = tf1.train.get_or_create_global_step()
    kernel = tf1.get_variable("kernel", [4, 3], initializer=waves(tf1))
    loss = tf1.losses.sparse_softmax_cross_entropy(y, tf1.matmul(x, kernel))
    optimizer = tf1.train.MomentumOptimizer(tf1.train.exponential_decay(0.5, step, 2, 0.5), 0.9)
    gradients, variables = zip(*optimizer.compute_gradients(loss), strict=True)
    clipped, norm = tf1.clip_by_global_norm(gradients, 0.2)
    train = optimizer.apply_gradients(zip(clipped, variables, strict=True), step)
    averages = tf1.train.ExponentialMovingAverage(0.9, step)
    with tf1.control_dependencies([train]):
        operation = averages.apply([kernel])
    return Made(tensors={"loss": loss, "norm": norm}, operation=operation)


def scopes(tf1: Any, x: Any, y: Any) -> Made:
    """Names of variables: default names, nesting, scopes that are opened again, reuse."""
    one = tf1.ones_initializer()
    tf1.layers.dense(x, 2, kernel_initializer=one)
    tf1.layers.dense(x, 2, kernel_initializer=one)
    with tf1.variable_scope("a"):
        tf1.layers.dense(x, 2, kernel_initializer=one)
        tf1.layers.dense(x, 2, kernel_initializer=one, name="named")
        with tf1.variable_scope("b", initializer=one) as inner:
            tf1.get_variable("w", [2])
            tf1.get_variable("half", [1], tf1.float64)
    with tf1.variable_scope("a", reuse=True):
        tf1.layers.dense(x, 2)
        tf1.layers.dense(x, 2, name="named")
    with tf1.variable_scope(inner, reuse=True):
        tf1.get_variable("w", [2])
    with tf1.variable_scope("a", reuse=tf1.AUTO_REUSE, initializer=one):
        tf1.get_variable("late", [2])
        tf1.get_variable("late", [2])
    with tf1.variable_scope(None, "a", initializer=one):
        tf1.get_variable("w", [2])
    with tf1.variable_scope("c", initializer=one):
        tf1.get_variable("w", [2])
        tf1.get_variable_scope().reuse_variables()
        tf1.get_variable("w", [2])
    for _ in range(2):
        with tf1.name_scope("n"):
            tf1.Variable(1.0, name="plain")
            tf1.get_variable("through", [1], initializer=one) if _ == 0 else None
    tf1.Variable([2.0, 3.0])
    shared = tf1.layers.Dense(2, kernel_initializer=one)
    shared(x)
    shared(x + 1.0)
    found = tf1.trainable_variables("a/")
    return Made(tensors={"count": tf1.constant(len(found)), "all": tf1.constant(len(tf1.global_variables()))})


DTYPES: Final = ("float32", "float64")
_NOT_IN_TENSORFLOW: Final = {
    (f"proximal_{name}", "float64") for name in ("gradient_descent", "adagrad")
}  # it mixes types

CASES: Final[dict[str, Model]] = (
    {
        f"dense-{n}-{d}": dense(n, d)
        for n, d in itertools.product(OPTIMIZERS, DTYPES)
        if (n, d) not in _NOT_IN_TENSORFLOW
    }
    | {
        f"sparse-{n}-{d}": sparse(n, d)
        for n, d in itertools.product(OPTIMIZERS, DTYPES)
        if (n, d) not in _NOT_IN_TENSORFLOW
    }
    | {f"slices-{n}": given_slices(n, "float32") for n in OPTIMIZERS}
    | {f"loss-{n}-{w}": loss(n, w, None) for n, w in itertools.product(LOSSES, WEIGHTS)}
    | {
        f"loss-{n}-rows-{r}": loss(n, "rows", r)
        for n, r in itertools.product(LOSSES, REDUCTIONS)
        if n != "mean_pairwise_squared_error"
    }
    | {f"layer-{n}": layer(n) for n in LAYERS}
    | {f"metric-{n}-{w}": metric(n, w) for n, w in itertools.product(METRICS, METRIC_WEIGHTS)}
    | {
        "regularized": regularized,
        "schedules": schedules,
        "scheduled": scheduled,
        "scopes": scopes,
        "functions": functions,
    }
    | VARIABLES
)
