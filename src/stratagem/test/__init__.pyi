# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

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

__all__ = [
    "TestCase", "compute_gradient", "create_local_cluster", "disable_with_predicate", "experimental", "gpu_device_name",
    "is_built_with_cuda", "is_built_with_gpu_support", "is_built_with_rocm", "is_built_with_xla", "is_gpu_available",
    "main", "with_eager_op_as_function"
]  # fmt: skip
