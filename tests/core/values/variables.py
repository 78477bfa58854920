"""What programs do with variables, scopes and modules, and how each is asked in every mode of execution."""

import copy
import pickle
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

MODES = ("eager", "function", "replica")

# By name: a function of tf and a variable of shape (3, 4), which changes it or returns a tensor.
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "value": lambda tf, v: v.value() * 2.0,
    "assign": lambda tf, v: v.assign(tf.ones([3, 4])),
    "assign without reading": lambda tf, v: v.assign(tf.ones([3, 4]), read_value=False),
    "assign_add": lambda tf, v: v.assign_add(tf.ones([3, 4])),
    "assign_sub without reading": lambda tf, v: v.assign_sub(tf.ones([3, 4]), read_value=False),
    "scatter_add": lambda tf, v: v.scatter_add(tf.IndexedSlices(tf.ones([2, 4]), tf.constant([0, 0]))),
    "scatter_sub": lambda tf, v: v.scatter_sub(tf.IndexedSlices(tf.ones([1, 4]), tf.constant([2]))),
    "scatter_mul": lambda tf, v: v.scatter_mul(tf.IndexedSlices(2.0 * tf.ones([1, 4]), tf.constant([2]))),
    "scatter_div": lambda tf, v: v.scatter_div(tf.IndexedSlices(2.0 * tf.ones([1, 4]), tf.constant([2]))),
    "scatter_max": lambda tf, v: v.scatter_max(tf.IndexedSlices(5.0 * tf.ones([1, 4]), tf.constant([1]))),
    "scatter_min": lambda tf, v: v.scatter_min(tf.IndexedSlices(5.0 * tf.ones([1, 4]), tf.constant([1]))),
    "scatter_update": lambda tf, v: v.scatter_update(tf.IndexedSlices(tf.ones([1, 4]), tf.constant([1]))),
    "value of a slice": lambda tf, v: v[1:, tf.newaxis, ::2] + 0.0,
    "slice int": lambda tf, v: v[1].assign(-tf.ones([4])),
    "slice negative": lambda tf, v: v[-1, -2].assign(9.0),
    "slice broadcast": lambda tf, v: v[0:2, 1:3].assign(-5.0),
    "slice ellipsis": lambda tf, v: v[..., 0].assign([7.0, 8.0, 9.0]),
    "slice whole": lambda tf, v: v[...].assign(tf.zeros([3, 4])),
    "slice newaxis": lambda tf, v: v[1, tf.newaxis, :2].assign([[1.0, 2.0]]),
    "slice strides": lambda tf, v: v[::2, ::-2].assign([[1.0, 2.0], [3.0, 4.0]]),
    "slice backwards": lambda tf, v: v[::-1].assign(tf.reshape(tf.range(12.0), [3, 4])),
    "slice beyond": lambda tf, v: v[1:9, 3:].assign(0.5),
    "slice empty": lambda tf, v: v[2:1].assign(0.5),
    "slice tensor": lambda tf, v: v[tf.constant(2), tf.constant(1)].assign(0.25),
    "slice computed": lambda tf, v: v[tf.cast(v[0, 1], tf.int32)].assign(-tf.ones([4])),
    "slice numpy": lambda tf, v: v[np.int64(1)].assign(-1.0),
    "slice twice": lambda tf, v: (v[0].assign(1.0), v[:, 0].assign(2.0))[1],
    "gradient": lambda tf, v: _gradient(tf, v),
}

# The same for variables that belong to no strategy, which TensorFlow has not for mirrored ones.
PLAIN: dict[str, Callable[[Any, Any], Any]] = {
    "scatter_nd_add": lambda tf, v: v.scatter_nd_add([[0, 1], [0, 1]], tf.constant([1.0, 2.0])),
    "scatter_nd_sub": lambda tf, v: v.scatter_nd_sub([[0], [2]], tf.ones([2, 4])),
    "scatter_nd_update": lambda tf, v: v.scatter_nd_update([[0, 1], [2, 3]], tf.constant([1.0, 2.0])),
    "scatter_nd_max": lambda tf, v: v.scatter_nd_max([[0, 1], [2, 3]], tf.constant([5.0, 5.0])),
    "scatter_nd_min": lambda tf, v: v.scatter_nd_min([[0, 1], [2, 3]], tf.constant([5.0, 5.0])),
    "batch_scatter_update": lambda tf, v: v.batch_scatter_update(
        tf.IndexedSlices(tf.constant([[7.0], [8.0], [9.0]]), tf.constant([[2], [1], [0]]))
    ),
    "sparse_read": lambda tf, v: v.sparse_read(tf.constant([2, 0])),
    "gather_nd": lambda tf, v: v.gather_nd([[0, 1], [2, 3]]),
}

# By name: a function of tf and a variable of shape (3, 4) that raises; the class of the error is compared.
FAILURES: dict[str, Callable[[Any, Any], Any]] = {
    "row too large": lambda tf, v: v[5].assign(0.0),
    "column too large": lambda tf, v: v[0, 9],
    "too many indices": lambda tf, v: v[0, 0, 0],
    "index of text": lambda tf, v: v["a"],
    "index of a fraction": lambda tf, v: v[1.5],
    "slice of another shape": lambda tf, v: v[1].assign([1.0, 2.0]),
    "slice of a slice": lambda tf, v: v[1][2].assign(1.0),
    "slice with read_value": lambda tf, v: v[1].assign(0.0, read_value=False),
    "slice assign_add": lambda tf, v: v[1].assign_add(0.0),
    "another shape": lambda tf, v: v.assign(tf.zeros([2])),
    "scatter of a list": lambda tf, v: v.scatter_add([1.0]),
    "scatter beyond": lambda tf, v: v.scatter_add(tf.IndexedSlices(tf.ones([1, 4]), tf.constant([5]))),
    "scatter below": lambda tf, v: v.scatter_update(tf.IndexedSlices(tf.ones([1, 4]), tf.constant([-1]))),
    "scatter_nd beyond": lambda tf, v: v.scatter_nd_update([[0, 7]], [1.0]),
    "sparse_read beyond": lambda tf, v: v.sparse_read([5]),
    "gather_nd beyond": lambda tf, v: v.gather_nd([[5]]),
    "counted to the end": lambda tf, v: tf.Variable(5).count_up_to(5),
    "length": lambda tf, v: len(v),
    "values of a plain one": lambda tf, v: v.values,
    "declared otherwise": lambda tf, v: tf.Variable([1.0, 2.0], shape=[3]),
    "declared of another rank": lambda tf, v: tf.Variable([1.0, 2.0], shape=[None, None]),
    "open shape of another rank": lambda tf, v: tf.Variable([1.0], shape=[None]).assign([[1.0]]),
    "narrowed": lambda tf, v: _narrowed(tf).assign([1.0]),
    "name of a scope": lambda tf, v: tf.name_scope(3),
    "name of a module": lambda tf, v: tf.Module("x y"),
    "dependencies": lambda tf, v: _dependencies(tf, 3),
    "device": lambda tf, v: _on_device(tf, "nonsense"),
}


def facts(tf: Any) -> dict[str, Any]:
    """Answers of variables, modules and scopes by themselves, outside of functions."""
    v = tf.Variable([1.0, 2.0, 3.0], name="v")
    open_shaped = tf.Variable([1.0, 2.0], shape=tf.TensorShape([None]))
    net = modules(tf)()
    net(tf.constant(2.0))
    with tf.name_scope("o") as outer:
        sub, plain = net.sub_class(), tf.Variable(1.0, name="v")
        with tf.name_scope("i") as inner:
            deep, unnamed = tf.Variable(1.0, name="w"), tf.Variable(1.0)
        with tf.name_scope("x/"):
            absolute = tf.Variable(1.0, name="w")
        with tf.name_scope(""):
            outside = tf.Variable(1.0, name="w")
    return {
        "repr": repr(v),
        "repr of a scalar": repr(tf.Variable(3)),
        "device": v.device,
        "initializer": v.initializer,
        "elements": [float(x) for x in v],
        "copies": [repr(copy.copy(v)), repr(copy.deepcopy(v)), repr(pickle.loads(pickle.dumps(v)))],
        "modes": [v.aggregation == tf.VariableAggregation.NONE, v.synchronization == tf.VariableSynchronization.AUTO],
        "count_up_to": [int(tf.Variable(3).count_up_to(5))],
        "open shape": [repr(open_shaped.shape), repr(open_shaped)],
        "open shape after": [open_shaped.assign(tf.ones([3])).numpy().tolist(), repr(open_shaped.shape)],
        "open rank": repr(tf.Variable(1.0, shape=tf.TensorShape(None)).assign([1.0, 2.0])).replace(
            "UnreadVariable", "Variable:0"
        ),
        "scopes": [
            outer,
            inner,
            sub.name,
            sub.w.name,
            plain.name,
            deep.name,
            unnamed.name,
            absolute.name,
            outside.name,
        ],
        "module": [net.name, net.name_scope.name, tf.Module().name, type(net.variables).__name__],
        "module's variables": [v.name for v in net.variables],
        "module's trainable ones": [v.name for v in net.trainable_variables],
        "module's others": [v.name for v in net.non_trainable_variables],
        "module's modules": [m.name for m in net.submodules],
        "paths": [list(p) for p, _ in net._flatten(predicate=lambda x: isinstance(x, tf.Variable), with_path=True)],
        "module's copies": [copy.deepcopy(net).z.w.name, float(pickle.loads(pickle.dumps(net.z.w)).numpy())],
        "checkpoint": checkpointed(tf, net, modules(tf)()),
        "eagerly": [tf.executing_eagerly(), tf.inside_function(), tf.config.functions_run_eagerly()],
        "groups": [tf.group(tf.constant(1)), tf.no_op()],
        "functions": functions(tf),
    }


def modules(tf: Any) -> Any:
    """A class of a module that has others in lists, dicts and tuples."""

    class Sub(tf.Module):  # type: ignore[misc]
        def __init__(self, name: str | None = None) -> None:
            super().__init__(name=name)
            with self.name_scope:
                self.w = tf.Variable(1.0, name="w")

        @tf.Module.with_name_scope
        def __call__(self, x: Any) -> Any:
            if not hasattr(self, "b"):
                self.b = tf.Variable(0.0, name="b", trainable=False)
            return x * self.w + self.b

    class MyNet(tf.Module):  # type: ignore[misc]
        sub_class = Sub

        def __init__(self) -> None:
            super().__init__()
            self.z = Sub()
            self.layers = [Sub("a"), Sub("b")]
            self.d = {"k": tf.Variable(2.0, name="k"), "a": Sub()}
            self.v = tf.Variable(3.0)
            self.t = (Sub("t"),)
            self.again = self.z

        def __call__(self, x: Any) -> Any:
            return self.z(x)

    return MyNet


def checkpointed(tf: Any, saved: Any, other: Any) -> list[Any]:
    """Saves one module and restores it into another; returns the keys and the restored values."""
    for i, variable in enumerate(saved.trainable_variables):
        variable.assign(float(i))
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(net=saved).save(folder + "/c")
        keys = [key for key, _ in tf.train.list_variables(path) if key != "_CHECKPOINTABLE_OBJECT_GRAPH"]
        tf.train.Checkpoint(net=other).restore(path)
    return [keys, [float(v.numpy()) for v in other.trainable_variables]]


def functions(tf: Any) -> list[Any]:
    """What scopes and modes are in a compiled function, and how often one with a variable of an open shape is traced."""
    kept: list[Any] = []
    seen: list[Any] = []
    growing = tf.Variable([1.0], shape=[None])

    @tf.function
    def scoped(x: Any) -> Any:
        with tf.name_scope("q") as first, tf.name_scope("r") as second:
            seen[:] = [first, second, tf.executing_eagerly(), tf.inside_function()]
        with tf.name_scope("q") as again:  # has another name, as only in a compiled function
            seen.append(again)
        with tf.init_scope():
            seen.append(tf.executing_eagerly())
            if not kept:
                kept.append(tf.Variable(5.0, name="kept"))
        with tf.control_dependencies([kept[0].assign_add(1.0)]):
            return x + kept[0]

    @tf.function
    def grow(x: Any) -> Any:
        growing.assign(tf.concat([growing, x], 0))
        return tf.reduce_sum(growing)

    results = [float(scoped(tf.constant(1.0))) for _ in range(2)]
    totals = [float(grow(tf.constant([2.0]))) for _ in range(3)]
    return [results, seen, kept[0].name, totals, growing.numpy().tolist()]


def answers(tf: Any, mode: str) -> dict[str, Any]:
    """By operation: what it returned, and the value of the variable after it."""
    operations = OPERATIONS if mode == "replica" else OPERATIONS | PLAIN
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    kept = []
    for _ in operations:
        if mode == "replica":
            with strategy.scope():
                kept.append(tf.Variable(np.arange(12, dtype=np.float32).reshape(3, 4)))
        else:
            kept.append(tf.Variable(np.arange(12, dtype=np.float32).reshape(3, 4)))

    def every() -> list[Any]:
        found = []
        for operation, variable in zip(operations.values(), kept, strict=True):
            result = operation(tf, variable)
            found.append(result + 0.0 if hasattr(result, "dtype") else tf.constant(-1.0))  # an operation, or None
        return found

    if mode == "eager":
        results = every()
    elif mode == "function":
        results = tf.function(every)()
    else:
        results = [r.values[1] for r in strategy.run(tf.function(every))]
    after = [v.values[1] for v in kept] if mode == "replica" else kept
    return {
        name: [result.numpy().tolist(), variable.numpy().tolist()]
        for name, result, variable in zip(operations, results, after, strict=True)
    }


def failures(tf: Any) -> dict[str, str]:
    """By failing use: the class of the error."""
    found = {}
    for name, use in FAILURES.items():
        try:
            use(tf, tf.Variable(np.arange(12, dtype=np.float32).reshape(3, 4)))
            found[name] = "no error"
        except Exception as error:
            found[name] = next(
                c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins" or hasattr(tf.errors, c.__name__)
            )
    return found


def eager_steps(tf: Any) -> list[Any]:
    """What two replicas see and leave when steps run as Python."""
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    seen: list[Any] = []
    with strategy.scope():
        total = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
        own = tf.Variable(
            0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
        )
        metric = tf.keras.metrics.Mean()
        optimizer = tf.keras.optimizers.SGD(0.5)
        weight = tf.Variable(3.0)

    def step(x: Any) -> Any:
        context = tf.distribute.get_replica_context()
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            loss = weight * x * x
            shared = context.all_reduce("SUM", x * x)
        seen.append([int(context.replica_id_in_sync_group), float(x), float(shared), tf.executing_eagerly()])
        seen.append(float(tape.gradient(shared, x)))
        own.assign_add(10.0 if float(x) > 1.5 else 1.0)
        total.assign_add(x)
        metric.update_state(x)
        optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
        return loss

    tf.config.run_functions_eagerly(True)
    try:
        inputs = strategy.experimental_distribute_values_from_function(
            lambda context: tf.constant(float(context.replica_id_in_sync_group + 1))
        )
        losses = tf.function(lambda x: strategy.run(step, (x,)))(inputs)
        one = tf.function(lambda x: [seen.append(float(x)), x + 1.0][1])(tf.constant(1.0))
    finally:
        tf.config.run_functions_eagerly(False)
    values = [float(x) for x in (*losses.values, one, total.numpy(), own.numpy(), metric.result(), weight.numpy())]
    parts = [[float(part.numpy()) for part in v.values] for v in (total, own, weight)]
    return [seen, values, parts, [[part.name, part.device] for part in weight.values]]


def _gradient(tf: Any, v: Any) -> Any:
    with tf.GradientTape() as tape:
        v[1].assign(2.0 * tf.ones([4]))
        y = tf.reduce_sum(v * v)
    return tape.gradient(y, v)


def _narrowed(tf: Any) -> Any:
    v = tf.Variable([1.0, 2.0], shape=[None])
    v.set_shape([2])
    return v


def _dependencies(tf: Any, inputs: Any) -> None:
    with tf.control_dependencies(inputs):
        pass


def _on_device(tf: Any, name: str) -> None:
    with tf.device(name):
        tf.constant(1.0) + 1.0
