"""The cluster of a job, and the task that this process is in it.

In: TF_CONFIG, Slurm, torchrun, Open MPI, Ray, or a ClusterSpec of the user's.
Out: resolvers, and the checked facts of a job (`ClusterJob`); `control` has the channel between the tasks, by which they
agree and learn of a failure; `coordination` is JAX's service for several processes.
Never: imports JAX's Python or Keras, since supervisors run on it; touches a tensor.
"""

from stratagem._cluster._address import Address as Address
from stratagem._cluster._config_proto import ConfigProto as ConfigProto
from stratagem._cluster._default_resolver import default_resolver as default_resolver
from stratagem._cluster._default_resolver import task_name as task_name
from stratagem._cluster._free_ports import free_ports as free_ports
from stratagem._cluster._job import ClusterJob as ClusterJob
from stratagem._cluster._job import Task as Task
from stratagem._cluster._job import job_of as job_of
from stratagem._cluster._launcher_resolvers import OpenMPIClusterResolver as OpenMPIClusterResolver
from stratagem._cluster._launcher_resolvers import TorchrunClusterResolver as TorchrunClusterResolver
from stratagem._cluster._nodelist import expand_counts as expand_counts
from stratagem._cluster._nodelist import expand_nodes as expand_nodes
from stratagem._cluster._ray_cluster_resolver import RayClusterResolver as RayClusterResolver
from stratagem._cluster._resolver import ClusterResolver as ClusterResolver
from stratagem._cluster._resolver import SimpleClusterResolver as SimpleClusterResolver
from stratagem._cluster._resolver import UnionResolver as UnionResolver
from stratagem._cluster._rules import check_cluster as check_cluster
from stratagem._cluster._slurm import SlurmClusterResolver as SlurmClusterResolver
from stratagem._cluster._spec import ClusterSpec as ClusterSpec
from stratagem._cluster._tf_config import TFConfigClusterResolver as TFConfigClusterResolver
from stratagem._cluster._tf_config import tf_config as tf_config
from stratagem._cluster._tf_config import unread_keys as unread_keys
from stratagem._cluster._tpu_resolver import TPUClusterResolver as TPUClusterResolver
from stratagem._cluster._visible_gpus import gpu_memory as gpu_memory
from stratagem._cluster._visible_gpus import visible_gpus as visible_gpus
from stratagem._cluster._visible_tpus import visible_tpus as visible_tpus
