"""Reads numbers and prints, for every step, what each of this worker's replicas got.

Arguments: the source (memory, files, function, generator), the policy, a checkpoint to begin with or -, the number of steps
or -1 for an epoch, a checkpoint to end with or -, and for files their folder.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import stratagem as tf

source, policy, begin, steps, end, folder = sys.argv[1:]
ROWS, BATCH = 45, 8

strategy = tf.distribute.MultiWorkerMirroredStrategy()


def numbers() -> Any:
    """The dataset, in batches of the global size."""
    match source:
        case "memory":
            made = tf.data.Dataset.range(ROWS).shuffle(ROWS)
        case "generator":
            made = tf.data.Dataset.from_generator(lambda: range(ROWS), output_signature=tf.TensorSpec((), tf.int64))
        case "files":
            names = tf.data.Dataset.list_files(str(Path(folder, "*.txt")), shuffle=False)
            made = tf.data.TextLineDataset(names).map(lambda line: np.int64(int(line.numpy())))
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy[policy]
    return made.batch(BATCH).with_options(options)


def own_part(context: Any) -> Any:
    """What one worker reads, by its own doing: as in the guides, without a seed."""
    made = tf.data.Dataset.range(ROWS).shuffle(ROWS)
    made = made.shard(context.num_input_pipelines, context.input_pipeline_id)
    return made.batch(context.get_per_replica_batch_size(BATCH))


if source == "function":
    distributed = strategy.distribute_datasets_from_function(own_part)
else:
    distributed = strategy.experimental_distribute_dataset(numbers())
iterator = iter(distributed)
checkpoint = tf.train.Checkpoint(iterator=iterator)
if begin != "-":
    checkpoint.restore(begin).assert_consumed()
seen: list[list[list[int]]] = []
for batch in iterator:
    seen.append([piece.numpy().tolist() for piece in strategy.experimental_local_results(batch)])
    total = strategy.reduce("SUM", batch, axis=0)
    if len(seen) == int(steps):
        break
print("seen", json.dumps(seen), flush=True)
if end != "-":
    checkpoint.write(end)
