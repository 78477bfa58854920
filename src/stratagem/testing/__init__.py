"""Support for tests of programs that use strategies: one strategy of every kind to run a test over, and free ports for jobs."""

from stratagem._cluster import free_ports as free_ports
from stratagem.testing._strategies import STRATEGIES as STRATEGIES
