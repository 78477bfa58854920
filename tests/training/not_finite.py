"""A job of two in which the second worker's data holds a NaN; argv: how it trains. Prints how it ended."""

import sys

import numpy as np

import stratagem as tf

HOW = sys.argv[1]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
worker = strategy.cluster_resolver.task_id
x = np.ones((24, 3), np.float32)
x[14] = np.nan  # in the fourth batch, in the second worker's half
y = np.ones((24, 1), np.float32)
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Input((3,)), tf.keras.layers.Dense(1)])
    loss = tf.keras.metrics.Mean("loss")
    optimizer = tf.keras.optimizers.SGD(0.01)
    model.compile(optimizer, "mse", metrics=["mae"])
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)
if HOW != "terminate":
    strategy.non_finite = "stop"
if HOW == "loop":

    @tf.function
    def step(batch):
        def replica(batch):
            x, y = batch
            with tf.GradientTape() as tape:
                value = tf.reduce_sum(tf.square(model(x) - y)) / 4.0
            optimizer.apply(tape.gradient(value, model.trainable_variables), model.trainable_variables)
            loss.update_state(value)

        strategy.run(replica, args=(batch,))

    for batch in strategy.experimental_distribute_dataset(data):
        step(batch)
else:
    callbacks = [tf.keras.callbacks.TerminateOnNaN()] if HOW == "terminate" else []
    model.fit(data, epochs=3, verbose=0, callbacks=callbacks)
    print("steps", int(model.optimizer.iterations.numpy()))
