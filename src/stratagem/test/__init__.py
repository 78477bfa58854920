"""tf.test."""

from typing import Any as _Any

from stratagem import _hooks
from stratagem._ops import not_provided as _not_provided
from stratagem._test_cases import TestCase as TestCase
from stratagem._test_cases import compute_gradient as compute_gradient
from stratagem._test_cases import create_local_cluster as create_local_cluster
from stratagem._test_cases import disable_with_predicate as disable_with_predicate
from stratagem._test_cases import gpu_device_name as gpu_device_name
from stratagem._test_cases import is_built_with_cuda as is_built_with_cuda
from stratagem._test_cases import is_built_with_gpu_support as is_built_with_gpu_support
from stratagem._test_cases import is_built_with_rocm as is_built_with_rocm
from stratagem._test_cases import is_built_with_xla as is_built_with_xla
from stratagem._test_cases import is_gpu_available as is_gpu_available
from stratagem._test_cases import main as main
from stratagem._test_cases import with_eager_op_as_function as with_eager_op_as_function
from stratagem.test import experimental as experimental

_hooks.install()


def __getattr__(name: str) -> _Any:
    raise _not_provided("test", name)
