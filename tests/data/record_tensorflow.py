"""Records what TensorFlow 2.15.1 gives for the programs of `recorded/`, and its names: run it where TensorFlow is.

    /tmp/tensorflow/bin/python tests/data/record_tensorflow.py     (see tests/parity for the environment)

The tests need no TensorFlow.
"""

import inspect
import json
import shutil
from pathlib import Path
from typing import Any

import tensorflow as tf  # the real one
from recorded.answers import answer
from recorded.folders import FOLDERS
from recorded.programs import PROGRAMS

HERE = Path(__file__).parent / "recorded"


def signatures(owner: Any) -> dict[str, str | None]:
    """The public names of a class or a namespace, and the parameters of those that are functions."""
    names = [name for name in dir(owner) if not name.startswith("_")]
    return {name: _parameters(getattr(owner, name)) for name in names}


def _parameters(value: Any) -> str | None:
    return " ".join(inspect.signature(value).parameters) if inspect.isroutine(value) else None


def main() -> None:
    """Write both files, and the folders."""
    for name, (make, options) in FOLDERS.items():
        shutil.rmtree(HERE / "saved" / name, ignore_errors=True)
        make(tf).save(str(HERE / "saved" / name), **options)
    answers = {name: answer(program, tf) for name, program in PROGRAMS.items()}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(found)}" for name, found in answers.items())
    (HERE / "tensorflow_answers.json").write_text(f"{{\n{lines}\n}}\n")
    names = {
        "tf.data.Dataset": signatures(tf.data.Dataset),
        "tf.data": signatures(tf.data),
        "tf.data.experimental": signatures(tf.data.experimental),
    }
    (HERE / "tensorflow_names.json").write_text(f"{json.dumps(names, indent=1)}\n")


if __name__ == "__main__":
    main()
