"""A task of a cluster that trains canned Estimators by train_and_evaluate, in TensorFlow and here.

Arguments: the library, a folder, "together" or "served", and names of cases, whose model directories are in the folder.
together: under MultiWorkerMirroredStrategy; served: variables are on parameter servers.
Prints for each case how many steps this task has taken and, of an evaluator, what the last evaluation has found.
"""

import importlib
import json
import sys
from pathlib import Path
from typing import Any

from tests.tf1.canned.programs import BATCH, CASES, STEPS, run_config

tf: Any = importlib.import_module(sys.argv[1])
tf1: Any = importlib.import_module(f"{sys.argv[1]}.compat.v1")


class Counted(tf1.train.SessionRunHook):  # type: ignore[misc]
    """Counts the steps of this task."""

    steps = 0

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.steps += 1


class Kept(tf1.estimator.Exporter):  # type: ignore[misc]
    """Keeps what the last evaluation has found."""

    name = "kept"
    found: Any = None

    def export(
        self, estimator: Any, export_path: Any, checkpoint_path: Any, eval_result: Any, is_the_final_export: Any
    ):  # type: ignore[no-untyped-def]
        self.found = {key: float(value) for key, value in eval_result.items()}


def main() -> None:
    folder, mode, names = Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
    options = {"train_distribute": tf.distribute.MultiWorkerMirroredStrategy()} if mode == "together" else {}
    for name in names:
        make, given, truth = CASES[name](tf, tf1, folder)

        def batches(input_context: Any = None, given: Any = given, truth: Any = truth) -> Any:
            """Of workers that train together, each takes its share of the batches."""
            data = tf.data.Dataset.from_tensor_slices((given, truth)).batch(BATCH)
            if input_context is not None:
                data = data.shard(input_context.num_input_pipelines, input_context.input_pipeline_id)
            return data.repeat(100)

        def once(given: Any = given, truth: Any = truth) -> Any:
            return tf.data.Dataset.from_tensor_slices((given, truth)).batch(BATCH)

        counted, kept = Counted(), Kept()
        tf.estimator.train_and_evaluate(
            make(str(folder / name), run_config(tf, **options)),
            tf.estimator.TrainSpec(batches, max_steps=STEPS, hooks=[counted]),
            tf.estimator.EvalSpec(once, steps=None, exporters=kept, start_delay_secs=0, throttle_secs=0),
        )
        print(name, json.dumps([counted.steps, kept.found]), flush=True)


if __name__ == "__main__":
    main()
