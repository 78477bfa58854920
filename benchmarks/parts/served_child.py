"""One task of a parameter-server job; of the coordinator steps are timed. Of TensorFlow's if it is told so.

python -m parts.served_child LIBRARY NETWORK PORTS      all tasks in one process, at these ports
python -m parts.served_child LIBRARY NETWORK            the task of TF_CONFIG
"""

import importlib
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("GRPC_FAIL_FAST", "use_caller")

from parts import served_program
from parts.child import answer

if __name__ == "__main__":
    library, network, *ports = sys.argv[1:]
    tf = importlib.import_module(library)
    if ports:
        resolver = served_program.in_one_process(tf, [int(port) for port in ports[0].split(",")])
    else:
        resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
        if resolver.task_type in ("worker", "ps"):
            tf.distribute.Server(
                resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id, protocol="grpc"
            ).join()
    answer(served_program.timer(tf, network, resolver))
