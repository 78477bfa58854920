"""One worker of Stratagem's job; its place is in TF_CONFIG. Arguments: rows a worker, perhaps the gradients' dtype."""

import sys

from parts import distributed
from parts.child import answer

import stratagem as tf

if __name__ == "__main__":
    sent = tf.distribute.experimental.CommunicationOptions(gradient_dtype=sys.argv[2] if len(sys.argv) > 2 else None)
    answer(
        distributed.timer(tf, tf.distribute.MultiWorkerMirroredStrategy(communication_options=sent), int(sys.argv[1]))
    )
