"""How variables are named, found, typed and collected: model functions that both libraries run."""

from typing import Any, Final

from tests.tf1.graph.made import Made, Model, waves


def counted(tf1: Any, **lists: Any) -> dict[str, Any]:
    """How long lists are, as tensors."""
    return {name: tf1.constant(len(found)) for name, found in lists.items()}


def names(tf1: Any, x: Any, y: Any) -> Made:
    """Variables that ask for a name that something else has."""
    one = tf1.ones_initializer()
    got = tf1.get_variable("w", [], initializer=one)
    tf1.Variable(5.0, name="w")
    tf1.Variable(6.0, name="w")
    with tf1.variable_scope("", reuse=True):
        again = tf1.get_variable("w", [])
    tf1.Variable(7.0, name="u")
    tf1.get_variable("u", [], initializer=one)
    with tf1.variable_scope("a", initializer=one):
        tf1.get_variable("w", [])
        tf1.identity(x, name="i")
        tf1.get_variable("i", [])
    tf1.get_variable("a", [], initializer=one)
    return Made(tensors={"same": tf1.constant(again is got)})


def collections(tf1: Any, x: Any, y: Any) -> Made:
    """Variables in collections of their own are trained all the same."""
    keys = [tf1.GraphKeys.GLOBAL_VARIABLES, "mine"]
    kernel = tf1.get_variable("kernel", [4, 3], initializer=waves(tf1), collections=keys)
    tf1.get_variable("fixed", [1], initializer=waves(tf1), collections=keys, trainable=False)
    loss = tf1.losses.sparse_softmax_cross_entropy(y, tf1.matmul(x, kernel))
    operation = tf1.train.GradientDescentOptimizer(0.5).minimize(loss)
    found = counted(tf1, mine=tf1.get_collection("mine"), trained=tf1.trainable_variables())
    return Made(tensors={"loss": loss, **found}, operation=operation)


def reopened(tf1: Any, x: Any, y: Any) -> Made:
    """Scopes that are opened again, while they are open and later, and what they make by default names."""
    x = x[:, :2]
    with tf1.variable_scope("net", initializer=waves(tf1)) as net:
        tf1.layers.dense(x, 2)
        with tf1.variable_scope(net, reuse=tf1.AUTO_REUSE):
            tf1.layers.dense(x, 2)
        with tf1.variable_scope("", reuse=tf1.AUTO_REUSE), tf1.variable_scope(net):
            pass
        with tf1.variable_scope(net):
            tf1.get_variable("v", [2])
        with tf1.variable_scope(None, "dense"):
            tf1.get_variable("w", [2])
    with tf1.variable_scope("once") as once:
        tf1.get_variable("v", [2], initializer=waves(tf1))
        once.reuse_variables()
        tf1.get_variable("v", [2])
        once.reuse_variables()
        with tf1.variable_scope("inner") as inner:
            pass
    with tf1.variable_scope(once) as later, tf1.variable_scope("once") as anew:
        tf1.get_variable_scope()
    flags = [once.reuse, inner.reuse, later.reuse, anew.reuse]
    return Made(tensors={"reuse": tf1.constant([bool(flag) for flag in flags])})


def getters(tf1: Any, x: Any, y: Any) -> Made:
    """Getters within getters; a layer whose variables are tensors."""
    asked: list[Any] = []

    def noting(number: float) -> Any:
        def own(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
            asked.append(number + (10.0 if kwargs["dtype"] is tf1.float32 else 0.0))
            return getter(name, *args, **kwargs)

        return own

    def doubled(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        return getter(name, *args, **kwargs) * 2.0

    scope = tf1.variable_scope("a", custom_getter=noting(1.0), initializer=waves(tf1))
    with scope as outer, tf1.variable_scope("b", custom_getter=noting(2.0)):
        tf1.get_variable("v", [1])
        tf1.get_variable("u", [1], custom_getter=noting(3.0))
    with tf1.variable_scope(outer, custom_getter=noting(4.0)):
        tf1.get_variable("w", [1])
    with tf1.variable_scope("c", custom_getter=doubled, initializer=waves(tf1)):
        layer = tf1.layers.Dense(3, kernel_regularizer=tf1.reduce_sum)
        outputs = layer(x) + layer(x)
        images = tf1.reshape(x, [6, 2, 2, 1])
        outputs += tf1.reduce_mean(tf1.layers.conv2d_transpose(images, 1, 2))
        outputs += tf1.reduce_mean(tf1.layers.separable_conv2d(images, 2, 2))
    loss = tf1.reduce_mean(tf1.square(outputs)) + tf1.losses.get_regularization_loss()
    operation = tf1.train.GradientDescentOptimizer(0.001).minimize(loss)
    weights = counted(tf1, all=layer.weights, trainable=layer.trainable_weights)
    return Made(tensors={"asked": tf1.constant(asked), "outputs": outputs, "loss": loss} | weights, operation=operation)


def beside_keras(tf1: Any, x: Any, y: Any) -> Made:
    """Layers of Keras and of tf1.layers in one graph, in scopes, with averages and slots."""
    keras = {"kernel_initializer": waves(tf1), "bias_initializer": waves(tf1)}
    hidden = tf1.keras.layers.Dense(4, **keras)(x)
    with tf1.variable_scope("", initializer=waves(tf1)):
        hidden = tf1.layers.dense(hidden, 4)
    with tf1.variable_scope("generator"):
        hidden = tf1.keras.layers.Dense(4, name="first", **keras)(hidden)
        hidden = tf1.keras.layers.Dense(4, name="second", **keras)(hidden)
    with tf1.name_scope("scope"):
        logits = tf1.keras.layers.Dense(3, name="last", **keras)(hidden)
    loss = tf1.losses.sparse_softmax_cross_entropy(y, logits)
    with tf1.variable_scope("opt"):
        train = tf1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        averages = tf1.train.ExponentialMovingAverage(0.5)
        with tf1.control_dependencies([train]):
            operation = averages.apply(tf1.trainable_variables("generator"))
    found = counted(tf1, dense=tf1.trainable_variables("dense"), generator=tf1.trainable_variables("generator/first/"))
    return Made(tensors={"loss": loss, **found}, operation=operation)


def two_averages(tf1: Any, x: Any, y: Any) -> Made:
    """Two averages of one variable, under one name."""
    variable = tf1.get_variable("v", [2], initializer=waves(tf1))
    slow, fast = (tf1.train.ExponentialMovingAverage(decay) for decay in (0.9, 0.5))
    with tf1.control_dependencies([tf1.assign_add(variable, [1.0, 2.0])]):
        operation = tf1.group(slow.apply([variable]), fast.apply([variable]))
    return Made(operation=operation)


def types(tf1: Any, x: Any, y: Any) -> Made:
    """What a value, and a callable without arguments, make of the type."""
    values = [tf1.constant([1, 2]), [1, 2], 3, 2.5, tf1.constant(1.0, tf1.float64)]
    made = [tf1.get_variable(f"v{i}", initializer=value) for i, value in enumerate(values)]
    made.append(tf1.get_variable("called", initializer=lambda: tf1.zeros([3], tf1.int32)))
    with tf1.variable_scope("doubles", dtype=tf1.float64):
        made.append(tf1.get_variable("single", initializer=tf1.constant(1.0)))
        made.append(tf1.get_variable("double", [1], initializer=tf1.ones_initializer()))
    return Made(tensors={str(i): variable + 0 for i, variable in enumerate(made)})


def reads(tf1: Any, x: Any, y: Any) -> Made:
    """Reads that depend on operations, and rows that operations change."""
    variable = tf1.get_variable("v", [3, 2], initializer=waves(tf1))
    with tf1.control_dependencies([tf1.assign_add(variable, tf1.ones([3, 2]))]):
        after = variable.read_value()
    rows = tf1.IndexedSlices(tf1.ones([2, 2]), tf1.constant([0, 2]))
    operation = variable.scatter_sub(rows)
    variable.scatter_update(rows)
    variable.scatter_nd_add([[0, 0]], [100.0])
    return Made(tensors={"after": after}, operation=operation)


def frozen(tf1: Any, x: Any, y: Any) -> Made:
    """Batch normalization that is not trained: by the batch, without updates."""
    outputs = tf1.layers.batch_normalization(x, training=True, trainable=False)
    updates = tf1.get_collection(tf1.GraphKeys.UPDATE_OPS)
    return Made(tensors={"outputs": outputs, **counted(tf1, updates=updates)})


def variances(tf1: Any, x: Any, y: Any) -> Made:
    """Which moving variances are those of a sample: those of TensorFlow's fused kernel."""
    shapes = {
        "rows": ([6, 4], {"fused": True}, "float32"),
        "images": ([2, 3, 2, 2], {}, "float32"),
        "odd_axis": ([2, 3, 2, 2], {"axis": 2, "fused": True}, "float32"),
        "channels_first": ([2, 3, 2, 2], {"axis": 1}, "float32"),
        "double": ([2, 3, 2, 2], {"fused": True}, "float64"),
        "half": ([2, 3, 2, 2], {}, "float16"),
    }
    for name, (shape, given, dtype) in shapes.items():
        inputs = tf1.cast(tf1.reshape(x, shape), dtype)
        tf1.layers.batch_normalization(inputs, training=True, momentum=0.5, name=name, **given)
    return Made(operation=tf1.group(*tf1.get_collection(tf1.GraphKeys.UPDATE_OPS)))


VARIABLES: Final[dict[str, Model]] = {
    f"variables-{model.__name__}": model
    for model in (
        names,
        collections,
        reopened,
        getters,
        beside_keras,
        two_averages,
        types,
        reads,
        frozen,
        variances,
    )
}
