"""Tests of the user's own, as `tf.test` has them: cases with assertions on tensors, derivatives by differences, a cluster.

In: what a test computes, and what it should be.
Out: assertions that fail with where values differ.
Never: is needed by a program that trains.
"""

from stratagem._test_cases._conditions import disable_with_predicate as disable_with_predicate
from stratagem._test_cases._conditions import gpu_device_name as gpu_device_name
from stratagem._test_cases._conditions import is_built_with_cuda as is_built_with_cuda
from stratagem._test_cases._conditions import is_built_with_gpu_support as is_built_with_gpu_support
from stratagem._test_cases._conditions import is_built_with_rocm as is_built_with_rocm
from stratagem._test_cases._conditions import is_built_with_xla as is_built_with_xla
from stratagem._test_cases._conditions import is_gpu_available as is_gpu_available
from stratagem._test_cases._conditions import main as main
from stratagem._test_cases._conditions import sync_devices as sync_devices
from stratagem._test_cases._conditions import with_eager_op_as_function as with_eager_op_as_function
from stratagem._test_cases._difference_quotients import compute_gradient as compute_gradient
from stratagem._test_cases._local_cluster import create_local_cluster as create_local_cluster
from stratagem._test_cases._test_case import TestCase as TestCase
