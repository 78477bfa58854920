"""A check fails on the last worker's replica; every worker catches that, and trains on."""

import stratagem as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.cluster_resolver.task_id or 0
with strategy.scope():
    v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)


@tf.function
def step(x):
    def replica(x):
        tf.cond(x < 0, lambda: tf.debugging.assert_positive(x, message="wrong"), lambda: None)
        tf.debugging.assert_less(tf.stack([x, x]), 10.0)
        v.assign_add(x)

    strategy.run(replica, (x,))


def given(last):
    return strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant(last if context.replica_id_in_sync_group == 1 else 1.0)
    )


for last in (1.0, -2.0, 1.0):
    try:
        step(given(last))
    except tf.errors.InvalidArgumentError as error:
        print(f"caught {str(error).splitlines()}")
print(f"v is {float(v.numpy())}")
