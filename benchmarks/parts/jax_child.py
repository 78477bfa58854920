"""The step written by hand in JAX, without rewrites and compiler options, in a process without Stratagem's devices."""

from parts import by_hand
from parts.child import answer

if __name__ == "__main__":
    answer(by_hand.timer(rewrites=False))
