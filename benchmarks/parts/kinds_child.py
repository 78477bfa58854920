"""A step of a network of `parts.kinds` in a process of its own: python -m parts.kinds_child MODULE KIND CLOCK CORES POLICY

MODULE: stratagem, or tensorflow with a Python that has TensorFlow 2.15 and NumPy.
CLOCK: cpu or wall. CORES: how many of this machine the process may use. POLICY: Keras', float32 or mixed_bfloat16, say.
"""

import importlib
import os
import resource
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    module, kind, clock, cores, policy = sys.argv[1:]
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(cores)])
    os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "2", "OMP_NUM_THREADS": cores}

    import numpy as np
    from parts.child import answer
    from parts.kinds import KINDS

    tf = importlib.import_module(module)
    seconds = {"cpu": time.process_time, "wall": time.perf_counter}[clock]
    network = KINDS[kind]
    tf.keras.utils.set_random_seed(0)
    tf.keras.mixed_precision.set_global_policy(policy)
    model = network.model(tf.keras)
    random = np.random.default_rng(0)
    shape = (network.batch, *model.inputs[0].shape[1:])
    values = random.integers(1, 5000, shape) if network.words else random.normal(size=shape).astype("float32")
    x, y = tf.constant(values), tf.constant(random.integers(0, 10, network.batch))
    optimizer = tf.keras.optimizers.Adam(1e-4)
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    def run(steps: int) -> float:
        begin = seconds()
        for _ in range(steps):
            loss = step(x, y)
        float(loss)
        return seconds() - begin

    first = run(1)

    def facts() -> dict[str, float]:
        """The first step's seconds and, after 20 steps, the resident memory and the most of it, in megabytes."""
        run(20)
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return {"first": first, "memory": pages * resource.getpagesize() / 1e6, "peak": peak * 1.048576}

    answer(run, facts)
