"""One worker of Stratagem's job; its place is in TF_CONFIG. Argument: rows a worker."""

import sys

from parts import distributed
from parts.child import answer

import stratagem as tf

if __name__ == "__main__":
    answer(distributed.timer(tf, tf.distribute.MultiWorkerMirroredStrategy(), int(sys.argv[1])))
