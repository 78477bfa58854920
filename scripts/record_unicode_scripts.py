"""Records TensorFlow 2.15.1's script of every code point, for `tf.strings.unicode_script`: the numbers of ICU, as it has them.

    /tmp/tensorflow/bin/python scripts/record_unicode_scripts.py            (where TensorFlow is, in the project's folder)

A line of `src/stratagem/_ops/text/scripts.txt` has a code point in hexadecimal, and the script of all from there on.
"""

import os
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf  # the real one

FILE = Path(__file__).parents[1] / "src" / "stratagem" / "_ops" / "text" / "scripts.txt"
CODE_POINTS = 0x110000

found = tf.strings.unicode_script(tf.range(CODE_POINTS)).numpy()
starts = np.flatnonzero(np.append(True, found[1:] != found[:-1]))
FILE.write_text("".join(f"{start:x} {found[start]}\n" for start in starts.tolist()), encoding="ascii")
