"""RunOptions: options of `strategy.run`, none of which changes anything."""

from typing import NamedTuple

from stratagem._base.types import Unused


class RunOptions(NamedTuple):
    """Options of `strategy.run`, as `tf.distribute.RunOptions`: they are about TPUs under TensorFlow, and have no effect."""

    experimental_enable_dynamic_batch_size: Unused = True
    experimental_bucketizing_dynamic_shape: Unused = False
    experimental_xla_options: Unused = None
