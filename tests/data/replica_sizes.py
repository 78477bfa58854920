"""How many rows each of two replicas gets of batches, by source and sharding policy, ours and as TensorFlow has it.

    /tmp/tensorflow/bin/python -m tests.data.replica_sizes

writes `recorded/replica_sizes.json` with TensorFlow 2.15.1.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parent / "recorded" / "replica_sizes.json"
LENGTHS = ((14,), (13, 9, 10, 12), (22, 22), (5,), (9, 10))  # of the files
BATCHES = (4, 7, 8)
SOURCES, POLICIES = ("files", "interleave", "memory", "hinted"), ("AUTO", "FILE", "DATA", "OFF", "HINT")
CASES = [
    f"{'+'.join(map(str, lengths))} rows in batches of {batch}: {source} {policy}"
    for lengths in LENGTHS
    for batch in BATCHES
    for source in SOURCES
    for policy in POLICIES
    if (source == "hinted") is (policy == "HINT")
]


def sizes(tf: Any, strategy: Any, case: str, folder: Path) -> list[list[int]]:
    """The rows of each replica in each step."""
    rows, _, size, source, policy = case.replace(" rows in batches of ", " of ").replace(":", "").split()
    lengths = [int(length) for length in rows.split("+")]
    files = [str(folder / f"{number} of {rows}.txt") for number in range(len(lengths))]
    for name, length in zip(files, lengths, strict=True):
        Path(name).write_text("line\n" * length)
    dataset = {
        "files": lambda: tf.data.TextLineDataset(files),
        "interleave": lambda: tf.data.Dataset.from_tensor_slices(files).interleave(tf.data.TextLineDataset),
        "memory": lambda: tf.data.Dataset.range(sum(lengths)),
        "hinted": lambda: tf.data.Dataset.range(sum(lengths)).shard(*[tf.data.experimental.SHARD_HINT] * 2),
    }[source]()
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy[policy]
    distributed = strategy.experimental_distribute_dataset(dataset.batch(int(size)).with_options(options))
    return [[int(piece.shape[0]) for piece in strategy.experimental_local_results(batch)] for batch in distributed]


def main() -> None:
    """Records all cases."""
    import tensorflow as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with tempfile.TemporaryDirectory() as folder:
        found = {case: sizes(tf, strategy, case, Path(folder)) for case in CASES}
    RECORDED.write_text("{\n" + ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in found.items()) + "\n}\n")


if __name__ == "__main__":
    sys.exit(main())
