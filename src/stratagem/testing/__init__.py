"""For tests of programs that use strategies: one of every kind, to run the same test over, and free ports for jobs."""

from stratagem.testing._ports import free_ports as free_ports
from stratagem.testing._strategies import STRATEGIES as STRATEGIES
