"""Records what TensorFlow 2.15.1 answers to `expressions.py`, and writes files with it: run it where TensorFlow is.

    /tmp/tensorflow/bin/python tests/data/files/record_tensorflow.py     (see tests/parity for the environment)

The tests need no TensorFlow. `written.py` says what is in the files.
"""

import json
from pathlib import Path

import tensorflow as tf  # the real one
from expressions import EXPRESSIONS, Names, answer
from more_expressions import MORE_EXPRESSIONS
from ragged_expressions import RAGGED
from written import COMPRESSIONS, RECORDS, file_name

HERE = Path(__file__).parent


def main() -> None:
    """Write everything."""
    names = Names(tf)
    answers = {e: answer(e, names) for e in [*EXPRESSIONS, *MORE_EXPRESSIONS, *RAGGED]}
    names.close()
    lines = ",\n".join(f"{json.dumps(e)}: {json.dumps(a)}" for e, a in answers.items())
    (HERE / "tensorflow_answers.json").write_text(f"{{\n{lines}\n}}\n")
    for compression in COMPRESSIONS:
        with tf.io.TFRecordWriter(str(HERE / file_name(compression)), compression) as writer:
            for record in RECORDS:
                writer.write(record)


if __name__ == "__main__":
    main()
