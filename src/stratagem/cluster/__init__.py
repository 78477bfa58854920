"""Who is in the job, and which task this process is: ClusterSpec, resolvers, and the checked facts of a multi-worker job."""

from stratagem.cluster._address import Address as Address
from stratagem.cluster._default import default_resolver as default_resolver
from stratagem.cluster._gpus import visible_gpus as visible_gpus
from stratagem.cluster._job import Job as Job
from stratagem.cluster._job import Task as Task
from stratagem.cluster._job import job_of as job_of
from stratagem.cluster._launchers import OpenMPIClusterResolver as OpenMPIClusterResolver
from stratagem.cluster._launchers import TorchrunClusterResolver as TorchrunClusterResolver
from stratagem.cluster._ray import RayClusterResolver as RayClusterResolver
from stratagem.cluster._resolver import ClusterResolver as ClusterResolver
from stratagem.cluster._resolver import SimpleClusterResolver as SimpleClusterResolver
from stratagem.cluster._resolver import UnionResolver as UnionResolver
from stratagem.cluster._rules import check_cluster as check_cluster
from stratagem.cluster._session_config import ConfigProto as ConfigProto
from stratagem.cluster._slurm import SlurmClusterResolver as SlurmClusterResolver
from stratagem.cluster._spec import ClusterSpec as ClusterSpec
from stratagem.cluster._tf_config import TFConfigClusterResolver as TFConfigClusterResolver
from stratagem.cluster._tf_config import tf_config as tf_config
