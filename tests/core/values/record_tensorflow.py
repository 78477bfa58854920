"""Records into how many parts TensorFlow 2.15.1 cuts variables: run it where TensorFlow is, the tests need none.

/tmp/tensorflow/bin/python tests/core/values/record_tensorflow.py     (see tests/parity for the environment)
"""

import json
import random
from pathlib import Path
from typing import Any

import tensorflow as tf  # the real one

HERE = Path(__file__).parent
NEW, OLD = tf.distribute.experimental.partitioners, tf.compat.v1
DTYPES = ("float32", "float64", "bfloat16", "int8", "string")
SIZES = (1, 2, 3, 4, 7, 16, 31, 100, 1000, 4096, 65536, 1 << 20)
SHARDS = (1, 2, 3, 5, 8, 100)


def arguments(name: str) -> dict[str, Any]:
    """Random ones, some left to their defaults."""
    size, shards, text = random.choice(SIZES), random.choice(SHARDS), random.choice((1, 5, 16, 100))
    every = {
        "FixedShardsPartitioner": {"num_shards": shards},
        "MinSizePartitioner": {"min_shard_bytes": size, "max_shards": shards, "bytes_per_string": text},
        "MaxSizePartitioner": {"max_shard_bytes": size, "max_shards": shards, "bytes_per_string": text},
        "fixed_size_partitioner": {"num_shards": shards},
        "min_max_variable_partitioner": {
            "min_slice_size": size,
            "max_partitions": shards,
            "bytes_per_string_element": text,
        },
        "variable_axis_size_partitioner": {
            "max_shard_bytes": size,
            "max_shards": shards,
            "bytes_per_string_element": text,
        },
    }[name]
    needed = {"num_shards", "max_shard_bytes"}
    return {key: value for key, value in every.items() if key in needed or random.random() < 0.8}


def case(name: str) -> dict[str, Any]:
    """One partitioner, one variable, and the answer."""
    given = arguments(name)
    shape = [random.choice((1, 2, 3, 5, 8, 13, 64, 1000, 16384)) for _ in range(random.randint(1, 3))]
    axis = random.randrange(-len(shape), len(shape)) if random.random() < 0.3 else 0
    dtype = random.choice(DTYPES)
    known, kind = tf.TensorShape(shape), tf.dtypes.as_dtype(dtype)
    if hasattr(NEW, name):
        answer = getattr(NEW, name)(**given)(known, kind, axis=axis)
    else:
        given |= {"axis": axis}
        answer = getattr(OLD, name)(**given)(shape=known, dtype=kind)
    return {"name": name, "given": given, "shape": shape, "dtype": dtype, "axis": axis, "answer": answer}


def main() -> None:
    random.seed(7)
    names = [
        *("FixedShardsPartitioner", "MinSizePartitioner", "MaxSizePartitioner"),
        *("fixed_size_partitioner", "min_max_variable_partitioner", "variable_axis_size_partitioner"),
    ]
    cases = [json.dumps(case(name)) for name in names for _ in range(80)]
    (HERE / "tensorflow_answers.json").write_text("[\n" + ",\n".join(cases) + "\n]\n")


if __name__ == "__main__":
    main()
