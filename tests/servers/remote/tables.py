"""Programs of users of parameter servers whose steps look rows up in tables, in the order that the program has."""

from typing import Any

import numpy as np

import stratagem as tf
from tests.servers.remote.programs import CLASSES, ROWS, SPARSE, parts, random_table, train
from tests.servers.remote.serving import Program

keras = tf.keras
layers = keras.layers


def _links() -> Any:
    """A table of integers: for every row another one."""
    return tf.Variable(np.random.default_rng(5).integers(0, ROWS, ROWS), trainable=False, dtype="int64")


def _squares(table: Any, ids: Any) -> Any:
    return tf.reduce_mean(tf.square(tf.nn.embedding_lookup(table, ids)))


def _several_updates() -> Any:
    """Three updates in one compiled step; each sees the one before."""
    table, kernel = tf.Variable(random_table(ROWS, 4)), tf.Variable(random_table(4, CLASSES))
    optimizer = keras.optimizers.Adagrad(0.1)

    @tf.function
    def step(ids: Any, y: Any) -> Any:
        losses = []
        for _ in range(3):
            with tf.GradientTape() as tape:
                rows = tf.reduce_mean(tf.nn.embedding_lookup(table, ids), axis=1)
                errors = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=tf.matmul(rows, kernel))
                loss = tf.reduce_mean(errors)
            train(optimizer, tape, loss, [*parts(table), *parts(kernel)])
            losses.append(loss)
        return losses, optimizer.iterations + 0

    return step, [table, kernel, optimizer.iterations]


def _embeddings_only() -> Any:
    """Two updates of tables that a step only looks rows up in, and a look-up after them: each sees the one before."""
    words, contexts = tf.Variable(random_table(ROWS, 4)), tf.Variable(random_table(ROWS, 4) / 2)
    optimizer = keras.optimizers.Adagrad(0.5)

    @tf.function
    def step(ids: Any, y: Any) -> Any:
        losses = []
        for k in range(2):
            with tf.GradientTape() as tape:
                near, far = tf.nn.embedding_lookup(words, ids[:, k]), tf.nn.embedding_lookup(contexts, ids[:, k + 1])
                loss = tf.reduce_mean(tf.square(tf.reduce_sum(near * far, 1) - 1))
            train(optimizer, tape, loss, [*parts(words), *parts(contexts)])
            losses.append(loss)
        return losses, tf.nn.embedding_lookup(words, ids[:, 0])

    return step, [words, contexts, optimizer.iterations]


def _looked_up_late() -> Any:
    """Rows of before an update that are known to be needed only after it could be sent; and rows that nobody needs."""
    table, links, optimizer = tf.Variable(random_table(ROWS, 4)), _links(), keras.optimizers.SGD(0.5)

    @tf.function
    def step(ids: Any, y: Any) -> Any:
        far = tf.nn.embedding_lookup(links, tf.nn.embedding_lookup(links, tf.nn.embedding_lookup(links, ids)))
        before = tf.nn.embedding_lookup(table, far)
        with tf.GradientTape() as tape:
            loss = _squares(table, ids)
        train(optimizer, tape, loss, parts(table))
        tf.nn.embedding_lookup(table, tf.nn.embedding_lookup(links, ids // 2))
        return before, tf.nn.embedding_lookup(table, far), optimizer.iterations + 0

    return step, [table, optimizer.iterations]


def _later_update_first() -> Any:
    """The second of two updates has its gradient before the first, and is read."""
    table, scale, links = tf.Variable(random_table(ROWS, 4)), tf.Variable(random_table(4)), _links()
    first, second = keras.optimizers.SGD(0.5), keras.optimizers.SGD(0.25)

    @tf.function
    def step(ids: Any, y: Any) -> Any:
        with tf.GradientTape() as one, tf.GradientTape() as other:
            deep = _squares(table, tf.nn.embedding_lookup(links, tf.nn.embedding_lookup(links, ids)))
            shallow = tf.reduce_sum(tf.square(tf.convert_to_tensor(scale)))
        train(first, one, deep, parts(table))
        train(second, other, shallow, parts(scale))
        return tf.reduce_sum(tf.convert_to_tensor(scale))

    return step, [table, scale, first.iterations, second.iterations]


def _two_look_ups() -> Any:
    """Two look-ups in one table, one of them of a look-up's answer, and a table of integers."""
    table, links = tf.Variable(random_table(ROWS, 4)), _links()
    optimizer = keras.optimizers.SGD(0.5)

    @tf.function
    def step(ids: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            near = tf.nn.embedding_lookup(table, ids)
            far = tf.nn.embedding_lookup(table, tf.nn.embedding_lookup(links, ids[:, :2]))
            again = tf.gather(table, ids[:, 1])
            loss = tf.reduce_mean(tf.square(tf.reduce_sum(near, 1) - tf.reduce_sum(far, 1) * again))
        train(optimizer, tape, loss, parts(table))
        return loss

    return step, [table, optimizer.iterations]


def _shared_table() -> Any:
    """One table that words are looked up in, and logits computed with: it is used whole as well."""
    table, optimizer = layers.Embedding(ROWS, 4), keras.optimizers.Adam(0.02)
    table.build(None)
    loss_object = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function
    def step(ids: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            hidden = tf.reduce_mean(table(ids[:, 1:]), axis=1)
            logits = tf.matmul(hidden, tf.transpose(tf.convert_to_tensor(table.embeddings)))
            loss = loss_object(ids[:, 0] + y, logits)
        train(optimizer, tape, loss, table.trainable_variables)
        return loss

    return step, [*table.weights, optimizer.iterations]


TABLES: dict[str, Program] = {
    "several updates": Program(_several_updates, SPARSE),
    "embeddings only": Program(_embeddings_only, SPARSE),
    "looked up late": Program(_looked_up_late, SPARSE),
    "later update first": Program(_later_update_first, SPARSE),
    "look-ups": Program(_two_look_ups, SPARSE),
    "shared table": Program(_shared_table, SPARSE),
}
