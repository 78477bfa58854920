"""RunOptions: options of `strategy.run`, none of which changes anything."""

from typing import Any, NamedTuple

from stratagem._base.exports import exported


@exported("distribute.RunOptions")
class RunOptions(NamedTuple):
    """Options of `strategy.run`, as `tf.distribute.RunOptions`: they are about TPUs under TensorFlow, and have no effect."""

    experimental_enable_dynamic_batch_size: Any = True
    experimental_bucketizing_dynamic_shape: Any = False
    experimental_xla_options: Any = None
