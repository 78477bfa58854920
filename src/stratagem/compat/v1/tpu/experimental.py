"""tf.compat.v1.tpu.experimental: TPU cores by their topology, as in tf.tpu.experimental."""

from stratagem._ops import not_provided_in as _not_provided_in
from stratagem._strategies import Topology as Topology
from stratagem._strategies import initialize_tpu_system as initialize_tpu_system
from stratagem._strategies import shutdown_tpu_system as shutdown_tpu_system

__getattr__ = _not_provided_in("compat.v1.tpu.experimental")
