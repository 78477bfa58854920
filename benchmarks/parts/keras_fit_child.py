"""Keras 3 on JAX by itself: its own trainer, fed with arrays of one pass over the data."""

import os
import sys
import time

os.environ["KERAS_BACKEND"] = "jax"

import keras
from parts import fit_program
from parts.child import answer


def timer(network: str, per_execution: int) -> fit_program.Timer:
    """`fit` on as many examples as the steps need."""
    trained = fit_program.compiled(keras, network, per_execution)
    examples, labels = fit_program.data(network)

    def run(steps: int) -> float:
        rows = fit_program.BATCH * steps
        repeats = -(-rows // len(labels))
        x, y = (array.repeat(repeats, axis=0)[:rows] for array in (examples, labels))
        start = time.perf_counter()
        trained.fit(x, y, batch_size=fit_program.BATCH, epochs=1, verbose=0, shuffle=False)
        return time.perf_counter() - start

    return run


if __name__ == "__main__":
    answer(timer(sys.argv[1], int(sys.argv[2])))
