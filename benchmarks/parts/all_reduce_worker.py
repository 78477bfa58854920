"""One worker that sums an array of as many bytes as its argument says over all workers; its place is in TF_CONFIG."""

import sys
import time

from parts.child import answer

import stratagem as tf

if __name__ == "__main__":
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    value = tf.ones([int(sys.argv[1]) // 4])

    def all_reduce(x: tf.Tensor) -> tf.Tensor:
        """The sum over all replicas."""
        return tf.distribute.get_replica_context().all_reduce("SUM", x)

    def timer(steps: int) -> float:
        """Run so many, each waiting for the one before."""
        start = time.perf_counter()
        for _ in range(steps):
            result = strategy.run(all_reduce, args=(value,))
            strategy.experimental_local_results(result)[0].block_until_ready()
        return time.perf_counter() - start

    answer(timer)
