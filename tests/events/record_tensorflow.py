"""Records what TensorFlow 2.15.1 writes: python tests/events/record_tensorflow.py, where it and Pillow are installed.

Writes tensorflow_answers.json beside this file.
"""

import json
import sys
import tempfile
from pathlib import Path

import tensorflow as tf

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.events.expressions import FITS, fit_tiny, write_all
from tests.events.reading import read, steps

answers = {}
with tempfile.TemporaryDirectory() as folder:
    writer = tf.summary.create_file_writer(folder)
    with writer.as_default():
        write_all(tf)
    writer.close()
    answers["summaries"] = read(folder)
for name, options in FITS.items():
    with tempfile.TemporaryDirectory() as folder:
        fit_tiny(tf.keras, folder, **options)
        runs = sorted(path.name for path in Path(folder).iterdir())
        # The profiler's and the graph's own summaries are not ours.
        answers[f"fit {name}"] = {run: steps(Path(folder) / run) for run in runs}
Path(__file__).with_name("tensorflow_answers.json").write_text(json.dumps(answers, indent=1) + "\n")
