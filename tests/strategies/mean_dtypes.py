"""The dtypes of sums and means of every dtype, on a facade: TensorFlow's, or ours."""

import json
from typing import Any

DTYPES = [
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
]
STRATEGIES = ("default", "one device", "mirrored 1", "mirrored 2")


def strategy(tf: Any, name: str) -> Any:
    """A strategy of so many CPUs."""
    if name == "default":
        return tf.distribute.get_strategy()
    if name == "one device":
        return tf.distribute.OneDeviceStrategy("CPU:0")
    return tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(int(name[-1]))])


def answers(tf: Any, name: str) -> dict[str, Any]:
    """By operation and dtype [dtype, value], or None where it is an error."""
    found: dict[str, Any] = {}
    under = strategy(tf, name)
    for dtype in DTYPES:
        for op in ("MEAN", "SUM"):
            for label, reduced in operations(tf, under, op, getattr(tf, dtype)).items():
                try:
                    value = reduced()
                    found[f"{label} {op} {dtype}"] = [value.dtype.name, float(value)]
                except (TypeError, ValueError, tf.errors.InvalidArgumentError):
                    found[f"{label} {op} {dtype}"] = None
    return found


def operations(tf: Any, under: Any, op: str, dtype: Any) -> dict[str, Any]:
    """What reduces 1 and 4, or as rows 1, 1 and 4, 1."""

    def given(rows: bool) -> Any:
        def value(context: Any) -> Any:
            first = (1, 4)[context.replica_id_in_sync_group]
            return tf.cast(tf.constant([first, 1] if rows else first), dtype)

        return under.experimental_distribute_values_from_function(value)

    def everywhere(value: Any) -> Any:
        return under.run(lambda x: tf.distribute.get_replica_context().all_reduce(op, x), (value,))

    return {
        "reduce": lambda: under.reduce(op, given(False), axis=None),
        "reduce rows": lambda: under.reduce(op, given(True), axis=0),
        "all_reduce": lambda: under.experimental_local_results(everywhere(given(False)))[0],
        "reduce in a function": lambda: tf.function(lambda v: under.reduce(op, v, axis=None))(given(False)),
        "reduce rows in a function": lambda: tf.function(lambda v: under.reduce(op, v, axis=0))(given(True)),
        "all_reduce in a function": lambda: under.experimental_local_results(tf.function(everywhere)(given(False)))[0],
    }


if __name__ == "__main__":  # with TensorFlow 2.15.1: one process a strategy, and its answer on one line
    import sys

    import tensorflow  # the real one

    cpu = tensorflow.config.list_physical_devices("CPU")[0]
    tensorflow.config.set_logical_device_configuration(cpu, [tensorflow.config.LogicalDeviceConfiguration()] * 2)
    print(json.dumps(answers(tensorflow, sys.argv[1])))
