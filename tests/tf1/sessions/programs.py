"""Programs of TensorFlow 1 with graphs and sessions, which run with this library and with TensorFlow alike."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

Answers = dict[str, Any]

_numbers = np.random.default_rng(7)
ROWS = _numbers.normal(size=(48, 6)).astype(np.float32)
CLASSES = ROWS[:, :3].argmax(axis=1).astype(np.int64)
IMAGES = _numbers.normal(size=(12, 8, 8, 2)).astype(np.float32)
HIDDEN, HIDDEN_BIAS = _numbers.normal(size=(6, 5)).astype(np.float32) / 2, np.zeros(5, np.float32)
OUT, OUT_BIAS = _numbers.normal(size=(5, 3)).astype(np.float32) / 2, np.zeros(3, np.float32)
KERNEL = _numbers.normal(size=(3, 3, 2, 4)).astype(np.float32) / 4


def _network(v1: Any) -> tuple[Any, Any, Any]:
    """Returns the placeholders of a small network, and its logits."""
    x = v1.placeholder(v1.float32, [None, 6], name="x")
    y = v1.placeholder(v1.int64, [None], name="y")
    with v1.variable_scope("hidden"):
        w = v1.get_variable("w", initializer=HIDDEN)
        b = v1.get_variable("b", initializer=HIDDEN_BIAS)
    hidden = v1.nn.relu(v1.matmul(x, w) + b)
    out = v1.Variable(OUT, name="out")
    return x, y, v1.matmul(hidden, out) + v1.Variable(OUT_BIAS, name="out_bias")


def _loss(v1: Any, logits: Any, y: Any) -> Any:
    return v1.reduce_mean(v1.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))


def _trained(v1: Any, optimizer: Callable[[Any, Any], Any]) -> Answers:
    """Takes 20 steps with batches of several sizes; returns the losses, the variables and the accuracy."""
    with v1.Graph().as_default():
        x, y, logits = _network(v1)
        step = v1.train.get_or_create_global_step()
        loss = _loss(v1, logits, y)
        train = optimizer(v1, step).minimize(loss, global_step=step)
        right = v1.reduce_mean(v1.cast(v1.equal(v1.argmax(logits, 1), y), v1.float32))
        losses = []
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for i in range(20):
                rows = slice(0, 48 if i % 3 else 16)
                losses.append(session.run([train, loss], {x: ROWS[rows], y: CLASSES[rows]})[1])
            names = [v.op.name for v in v1.trainable_variables()]
            values = session.run(v1.trainable_variables())
            taken, accuracy = session.run([step, right], feed_dict={x: ROWS, y: CLASSES})
    return {"losses": losses, "step": taken, "accuracy": accuracy, **dict(zip(names, values, strict=True))}


def _decayed(v1: Any, step: Any) -> Any:
    return v1.train.GradientDescentOptimizer(v1.train.exponential_decay(0.5, step, 5, 0.9, staircase=True))


def order_of_assignments(v1: Any) -> Answers:
    """What runs when: control dependencies, chains of assignments, reads before and after."""
    with v1.Graph().as_default(), v1.Session() as session:
        a, b = v1.Variable(1.0, name="a"), v1.Variable(10.0, name="b")
        grow = v1.assign_add(a, 1.0)
        with v1.control_dependencies([grow]):
            after = v1.identity(a.read_value()) * 2.0
            other = v1.constant(3.0) * b
            copied = v1.assign(b, a.read_value())
        with v1.control_dependencies([copied]):
            sums = v1.identity(a.read_value() + b.read_value())
        untouched = a * 100.0
        both = v1.group(v1.assign_sub(b, 1.0), grow)
        session.run(v1.global_variables_initializer())
        asked = [untouched, after, a, other, a, copied, b, sums, a, both, a, b]
        found = [session.run(fetch) for fetch in asked]
        session.run(v1.global_variables_initializer())
        found += session.run([a, b])
    return {"found": [np.float32(v) for v in found if v is not None]}


def clipped(v1: Any) -> Answers:
    """Gradients that are computed, clipped and applied apart, and an average of the variables."""
    with v1.Graph().as_default(), v1.Session() as session:
        x, y, logits = _network(v1)
        loss = _loss(v1, logits, y)
        variables = v1.trainable_variables()
        gradients, norm = v1.clip_by_global_norm(v1.gradients(loss, variables), 0.1)
        apply = v1.train.MomentumOptimizer(0.5, 0.9).apply_gradients(zip(gradients, variables, strict=True))
        average = v1.train.ExponentialMovingAverage(0.5)
        with v1.control_dependencies([apply]):
            train = average.apply(variables)
        session.run(v1.global_variables_initializer())
        norms = [session.run([train, norm], {x: ROWS, y: CLASSES})[1] for _ in range(10)]
        averages = session.run([average.average(v) for v in variables])
        squared = session.run(v1.gradients(loss * loss, [logits]), {x: ROWS[:4], y: CLASSES[:4]})
    return {"norms": norms, **{f"average{i}": v for i, v in enumerate(averages)}, "squared": squared[0]}


def elements(v1: Any) -> Answers:
    """An iterator that is initialized for each of two epochs, and one that is not."""
    with v1.Graph().as_default(), v1.Session() as session:
        rows = v1.data.Dataset.from_tensor_slices((ROWS, CLASSES)).map(lambda x, y: (x * 2.0, y + 1)).batch(20)
        iterator = v1.data.make_initializable_iterator(rows)
        x, y = iterator.get_next()
        total = v1.Variable(np.float32(0), name="total")
        add = v1.assign_add(total, v1.reduce_sum(x))
        once = v1.data.make_one_shot_iterator(v1.data.Dataset.range(5)).get_next()
        session.run(v1.global_variables_initializer())
        sizes = []
        for _ in range(2):
            session.run(iterator.initializer)
            for _ in itertools.count():
                try:
                    sizes.append(session.run([add, y])[1].size)
                except v1.errors.OutOfRangeError:
                    break
        drawn = []
        for _ in itertools.count():
            try:
                drawn.append(session.run(once))
            except v1.errors.OutOfRangeError:
                break
        return {"sizes": sizes, "total": session.run(total), "drawn": drawn}


def fed_datasets(v1: Any) -> Answers:
    """A dataset that is made of placeholders, with other arrays, sizes and numbers of elements for each initialization."""
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(v1.float32, [None, 6], name="x")
        y = v1.placeholder(v1.int64, [None], name="y")
        size = v1.placeholder(v1.int64, name="size")
        scale = v1.Variable(np.float32(2), name="scale")
        rows = v1.data.Dataset.from_tensor_slices({"x": x * scale, "y": y}).map(lambda row: (row["x"] + 1.0, row["y"]))
        numbers = v1.data.Dataset.range(size).repeat()
        pairs = v1.data.Dataset.zip((rows.batch(size), numbers)).take(size + 1)
        iterator = v1.data.make_initializable_iterator(pairs)
        (images, labels), number = iterator.get_next()
        fetches = v1.reduce_sum(images), v1.shape(labels), number
        session.run(v1.global_variables_initializer())
        found, known = [], [images.shape.as_list(), labels.shape.as_list()]
        for count, each in ((7, 3), (20, 6)):
            session.run(iterator.initializer, {x: ROWS[:count], y: CLASSES[:count], size: each})
            for _ in itertools.count():
                try:
                    found.append(session.run(fetches))
                except v1.errors.OutOfRangeError:
                    break
            session.run(v1.assign(scale, scale * 2.0))
        totals, sizes, drawn = zip(*found, strict=True)
    return {
        "totals": totals,
        "sizes": np.concatenate(sizes),
        "drawn": drawn,
        "known": [d or 0 for s in known for d in s],
    }


def measured(v1: Any) -> Answers:
    """Metrics over several runs, whose local variables are reset between."""
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(v1.float32, [None], name="x")
        labels = v1.cast(x > 0, v1.int64)
        mean, add = v1.metrics.mean(x)
        accuracy, see = v1.metrics.accuracy(labels, v1.cast(x > 0.5, v1.int64))
        found = []
        for rows in (ROWS[0], ROWS[1]):
            session.run(v1.local_variables_initializer())
            for values in (rows, rows * 2, rows[:3]):
                found += session.run([add, see], {x: values})
            found += session.run([mean, accuracy])
    return {"found": found}


def decided(v1: Any) -> Answers:
    """Conditions and loops that tensors decide."""
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(v1.float32, [], name="x")
        chosen = v1.cond(x > 1.0, lambda: x * 10.0, lambda: x - 1.0)
        _, power = v1.while_loop(lambda i, p: i < 5, lambda i, p: (i + 1, p * x), [v1.constant(0), v1.constant(1.0)])
        slopes = v1.gradients(power + chosen, [x])[0]
        fetches = {"chosen": chosen, "power": power, "slopes": slopes}
        found = [session.run(fetches, {x: value}) for value in (0.5, 2.0)]
    return {f"{name}{i}": v for i, answers in enumerate(found) for name, v in answers.items()}


def images(v1: Any) -> Answers:
    """Convolutions with batches of unknown size, and the updates of a batch normalization."""
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(v1.float32, [None, 8, 8, 2], name="x")
        hidden = v1.nn.conv2d(x, v1.Variable(KERNEL, name="kernel"), strides=[1, 1, 1, 1], padding="SAME")
        hidden = v1.nn.max_pool(v1.nn.relu(hidden), [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
        hidden = v1.layers.batch_normalization(hidden, training=True, name="bn")
        flat = v1.reshape(hidden, [v1.shape(hidden)[0], 4 * 4 * 4])
        loss = v1.reduce_mean(v1.square(v1.reduce_mean(flat, axis=1) - 1.0))
        with v1.control_dependencies(v1.get_collection(v1.GraphKeys.UPDATE_OPS)):
            train = v1.train.GradientDescentOptimizer(0.01).minimize(loss)
        session.run(v1.global_variables_initializer())
        losses = [session.run([loss, train], {x: IMAGES[: 12 - i % 4]})[0] for i in range(10)]
        values = session.run({v.op.name: v for v in v1.global_variables()})
        return {"losses": losses, **values, "shape": session.run(flat, {x: IMAGES[:3]}).shape}


def fed(v1: Any) -> Answers:
    """Values for tensors that are computed, defaults, and names."""
    with v1.Graph().as_default() as graph, v1.Session() as session:
        rate = v1.placeholder_with_default(np.float32(0.5), [], name="rate")
        x = v1.placeholder(v1.float32, [2, None], name="x")
        middle = v1.identity(x * rate, name="middle")
        last = v1.identity(v1.reduce_sum(middle, axis=1), name="last")
        first = v1.Variable(np.float32([1, 2]), name="first")
        session.run(v1.global_variables_initializer())
        by_name = graph.get_tensor_by_name("last:0")
        values = np.float32([[1, 2, 3], [4, 5, 6]])
        found = [
            session.run(last, {x: values}),
            session.run(last, {x: values, rate: 2.0}),
            session.run("last:0", {"middle:0": values[:, :2]}),
            session.run([by_name, first], {x: values[:, :1]})[0],
            session.run(first),
            last.eval({x: values}),
            first.eval(),
        ]
        return {"found": np.concatenate(found), "missing": len(session.run(v1.report_uninitialized_variables()))}


def adam_steps(v1: Any, folder: str, *, resumes: bool) -> np.ndarray:
    """Takes five steps of Adam and saves them, or five more from what is saved there; returns the weights."""
    with v1.Graph().as_default(), v1.Session() as session:
        x, y, logits = _network(v1)
        step = v1.train.get_or_create_global_step()
        train = v1.train.AdamOptimizer(0.05).minimize(_loss(v1, logits, y), global_step=step)
        saver = v1.train.Saver(v1.global_variables(), save_relative_paths=True)
        session.run(v1.global_variables_initializer())
        if resumes:
            saver.restore(session, v1.train.latest_checkpoint(folder))
        for _ in range(5):
            session.run(train, {x: ROWS, y: CLASSES})
        if not resumes:
            saver.save(session, f"{folder}/model", global_step=step)
        return session.run(v1.trainable_variables()[0])


PROGRAMS: dict[str, Callable[[Any], Answers]] = {
    "descent": lambda v1: _trained(v1, lambda v1, step: v1.train.GradientDescentOptimizer(0.5)),
    "decayed": lambda v1: _trained(v1, _decayed),
    "momentum": lambda v1: _trained(v1, lambda v1, step: v1.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True)),
    "adam": lambda v1: _trained(v1, lambda v1, step: v1.train.AdamOptimizer(0.05)),
    "adagrad": lambda v1: _trained(v1, lambda v1, step: v1.train.AdagradOptimizer(0.3)),
    "rmsprop": lambda v1: _trained(v1, lambda v1, step: v1.train.RMSPropOptimizer(0.01, momentum=0.5)),
    "ftrl": lambda v1: _trained(v1, lambda v1, step: v1.train.FtrlOptimizer(0.3, l1_regularization_strength=0.001)),
    "order_of_assignments": order_of_assignments,
    "clipped": clipped,
    "elements": elements,
    "fed_datasets": fed_datasets,
    "measured": measured,
    "decided": decided,
    "images": images,
    "fed": fed,
}
