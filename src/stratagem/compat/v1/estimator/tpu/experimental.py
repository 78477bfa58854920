"""tf.compat.v1.estimator.tpu.experimental, of which nothing is provided: its names say what to use."""

from stratagem._ops import not_provided_in as _not_provided_in

__getattr__ = _not_provided_in("compat.v1.estimator.tpu.experimental")
