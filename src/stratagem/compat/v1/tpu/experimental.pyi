# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._strategies import Topology as Topology
from stratagem._strategies import initialize_tpu_system as initialize_tpu_system
from stratagem._strategies import shutdown_tpu_system as shutdown_tpu_system

__all__ = [
    "Topology", "initialize_tpu_system", "shutdown_tpu_system"
]  # fmt: skip
