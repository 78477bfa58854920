"""A checkpoint that goes from one job to another."""

import numpy as np
from job import FOLDER, Shards, run, strategy

import stratagem as tf
from stratagem.testing import free_ports


def made(strategy):
    """A table with slots, in the shards that the strategy says, and its checkpoint."""
    tf.keras.utils.set_random_seed(5)
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.Input((2,), dtype="int32"), tf.keras.layers.Embedding(11, 4)])
        optimizer = tf.keras.optimizers.Adam(0.1)
        optimizer.build(model.trainable_variables)
    return model, optimizer, tf.train.Checkpoint(model=model, optimizer=optimizer)


def numbers_of(model, optimizer):
    """The table and its two slots, one after another, however they are cut."""
    slots = [v for v in optimizer.variables if v.shape]
    whole = [np.concatenate([part.numpy() for part in parts]) for parts in (model.variables, slots[::2], slots[1::2])]
    assert [each.shape for each in whole] == [(11, 4)] * 3
    return np.stack(whole)


def a_checkpoint_goes_to_other_shards_and_servers():
    """From three servers of this process to two of the job, a step there, and back to one."""

    def in_this_process(servers):
        ports = free_ports(servers + 1)
        spec = tf.train.ClusterSpec({"ps": [f"localhost:{p}" for p in ports[1:]], "worker": [f"localhost:{ports[0]}"]})
        for index in range(servers):
            tf.distribute.Server(spec, "ps", index)
        resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(spec)
        return tf.distribute.ParameterServerStrategy(resolver, variable_partitioner=Shards(servers))

    first, there, last = made(in_this_process(3)), made(strategy), made(in_this_process(1))

    def step(model, optimizer):
        def taken():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(model(np.array([[0, 3], [10, 3]], "int32")) ** 2)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))

        return tf.function(taken)

    step(*first[:2])()
    first[2].write(FOLDER / "out")
    there[2].restore(FOLDER / "out").assert_consumed()
    assert np.array_equal(numbers_of(*there[:2]), numbers_of(*first[:2]))
    run(step(*there[:2]))
    step(*first[:2])()
    there[2].write(FOLDER / "back")
    last[2].restore(FOLDER / "back").assert_consumed()
    assert np.array_equal(numbers_of(*last[:2]), numbers_of(*there[:2]))
    assert np.allclose(numbers_of(*there[:2]), numbers_of(*first[:2]), atol=1e-6)
    return len(last[0].variables), len(there[0].variables), len(first[0].variables)


PARTS = (a_checkpoint_goes_to_other_shards_and_servers,)
