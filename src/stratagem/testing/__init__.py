"""For tests of programs that use strategies: one of every kind, to run the same test over."""

from stratagem.testing._strategies import STRATEGIES as STRATEGIES
